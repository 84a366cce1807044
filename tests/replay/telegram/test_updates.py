"""Example updates mean what they meant when they were written down."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gateway.messages import Inbound
from gateway_adapters.telegram.inbound import read_update
from gateway_adapters.telegram.news import membership, migration
from tests.replay.telegram.updates import ME, cases

CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_example_means_what_it_says(name: str) -> None:
    case = CASES[name]
    raw = json.dumps(case["update"]).encode()

    event = read_update(case["update"], raw, ME)

    found: dict[str, Any] = {"dropped": event.dropped} if event.inbound is None else _told(event.inbound)
    moved = migration(case["update"])
    if moved is not None:
        found["migration"] = list(moved)
    change = membership(case["update"])
    if change is not None:
        found["membership"] = [change.chat, change.private, change.before, change.now]
    assert {key: found.get(key) for key in case["expect"]} == case["expect"]
    assert event.raw == raw


@pytest.mark.parametrize("name", CASES)
def test_only_what_means_something_takes_keys(name: str) -> None:
    case = CASES[name]

    event = read_update(case["update"], b"", ME)

    update = f"u:{case['update']['update_id']}"
    assert (event.inbound is None) == ("dropped" in case["expect"])
    assert (update in event.dedupe) == (event.inbound is not None)
    assert not event.dropped or event.dedupe == ()


def test_move_is_told_by_its_own_examples_only() -> None:
    """Every other update leaves the addresses of chats alone."""
    told = [name for name, case in CASES.items() if migration(case["update"])]

    assert told == ["migrated_from_group", "migrated_to_supergroup"]


def _told(inbound: Inbound) -> dict[str, Any]:
    place, sender = inbound.place, inbound.sender
    return {
        "kind": inbound.kind,
        "chat": place.chat,
        "thread": place.thread,
        "private": place.private,
        "sender": sender.id,
        "language": sender.language,
        "text": inbound.text,
        "message_id": inbound.message_id,
        "addressed": inbound.addressed,
        "command": inbound.command,
        "action": inbound.action,
        "press": inbound.press,
        "reply_to": inbound.reply_to,
        "attachments": [[file.kind, file.id] for file in inbound.attachments],
        "unreadable": inbound.unreadable,
        "album": inbound.album,
        "at": inbound.at,
    }
