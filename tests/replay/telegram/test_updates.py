"""Updates as Telegram sends them, scrubbed, and what each of them means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.messages import Event
from gateway_adapters.telegram.inbound import Me, migration, read_update

ME = Me(123456789, "emulated_bot")
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("updates.jsonl").read_text("utf-8").splitlines()
]


def _facts(event: Event, update: Mapping[str, Any]) -> dict[str, object]:
    """What can be expected of an event, under the names the rows use."""
    facts: dict[str, object] = {"dropped": event.dropped}
    moved = migration(update)
    if moved is not None:
        facts["moved"] = list(moved)
    inbound = event.inbound
    if inbound is None:
        return facts
    names = ("kind", "text", "command", "action", "addressed", "reply_to", "unreadable", "message_id")
    return {
        **facts,
        **{name: getattr(inbound, name) for name in names},
        "thread": inbound.place.thread,
        "private": inbound.place.private,
        "sender": inbound.sender.id,
        "language": inbound.sender.language,
        "attachments": [file.kind for file in inbound.attachments],
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_update_means_what_it_says(row: dict[str, Any]) -> None:
    event = read_update(row["update"], b"raw", ME)

    facts = _facts(event, row["update"])
    assert {name: facts[name] for name in row["event"]} == row["event"]
    assert bool(event.dedupe) == (event.inbound is not None)
