"""The examples beside this module: the shapes that Slack documents, people and places invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gateway.messages import Event
from gateway_adapters.slack.inbound import Known, Me, read_event, read_press, read_slash

__all__ = ["ME", "cases", "read"]

ME = Me("U0HELPER1", "B0HELPER1", "T024BE7LD")


def cases() -> dict[str, dict[str, Any]]:
    """Every example by name: what it is `about`, its `kind` and `payload`, and what to `expect`."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(Path(__file__).parent.glob("*.json"))
    }


def read(kind: str, payload: object, raw: bytes, known: dict[str, Any] | None = None) -> Event:
    """What an example means."""
    told = known or {}
    knows = Known(
        joined=told.get("joined", False),
        commands=frozenset(told.get("commands", ())),
        latest=told.get("latest"),
    )
    match kind:
        case "interactive":
            return read_press(payload, raw, ME)
        case "slash_commands":
            return read_slash(payload, raw, ME, knows)
        case _:
            return read_event(payload, raw, ME, knows)
