"""Example payloads mean what they meant when they were written down."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gateway.messages import Inbound
from tests.replay.slack.examples import ME, cases, read

CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_example_means_what_it_says(name: str) -> None:
    case = CASES[name]
    raw = json.dumps(case["payload"]).encode()

    event = read(case["kind"], case["payload"], raw, case.get("known"))

    found: dict[str, Any] = {"dropped": event.dropped} if event.inbound is None else _told(event.inbound)
    assert {key: found.get(key) for key in case["expect"]} == case["expect"]
    assert event.raw == raw


@pytest.mark.parametrize("name", CASES)
def test_only_what_means_something_takes_keys(name: str) -> None:
    case = CASES[name]

    event = read(case["kind"], case["payload"], b"", case.get("known"))

    assert (event.inbound is None) == ("dropped" in case["expect"])
    assert bool(event.dedupe) == (event.inbound is not None)


def test_mention_has_one_key_in_common_however_it_comes() -> None:
    """As `message` and as `app_mention`, whose event ids differ."""
    one, two = (CASES[name]["payload"] for name in ("channel_mention", "app_mention"))
    two = {**two, "event_id": "Ev_other"}

    first, second = (read("events_api", payload, b"") for payload in (one, two))

    assert set(first.dedupe) & set(second.dedupe) == {f"m:{ME.team}:C0123ABCD:1796000000.000200"}


def _told(inbound: Inbound) -> dict[str, Any]:
    place, sender = inbound.place, inbound.sender
    return {
        "kind": inbound.kind,
        "chat": place.chat,
        "thread": place.thread,
        "private": place.private,
        "sender": sender.id,
        "text": inbound.text,
        "message_id": inbound.message_id,
        "addressed": inbound.addressed,
        "command": inbound.command,
        "action": inbound.action,
        "press": inbound.press,
        "reply_to": inbound.reply_to,
        "attachments": [[file.kind, file.id] for file in inbound.attachments],
        "unreadable": inbound.unreadable,
        "at": inbound.at,
    }
