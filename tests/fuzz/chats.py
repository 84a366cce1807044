"""What goes to a chat and what comes from one: Markdown, notes, updates."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

from gateway.completion import TurnCompletion
from gateway.messages import Answer, Event, Note
from gateway.notes import SHIPPED, Circumstances, Notebook, NoteSettings, decide
from gateway.text import Rich, parse, split, utf16_length
from gateway_adapters.telegram.inbound import read_update
from gateway_adapters.telegram.render import render
from tests.fuzz.checks import in_time
from tests.fuzz.trees import grow, named
from tests.replay.telegram.updates import ME

__all__ = ["markdown", "note", "update"]

_LIMIT = 4096  # UTF-16 code units a message of Telegram takes
_ENTITIES = 100  # that Telegram keeps of a message
_MEASURES: tuple[Callable[[str], int], ...] = (len, utf16_length)


def markdown(data: bytes) -> None:
    """Read an agent's Markdown, cut it, and render it."""
    limit, text = max(2, int.from_bytes(data[:2]) % 200), data[2:].decode("utf-8", "surrogateescape")
    with in_time():
        rich = parse(text)
        _nests(rich)
        assert not text.strip() or rich.text.strip()
    for measure in _MEASURES:
        with in_time():
            parts = split(rich, limit=limit, measure=measure)
        assert all(measure(part.text) <= limit for part in parts)
        assert all(part.text.strip() for part in parts)
        assert _said(*(part.text for part in parts)) == _said(rich.text)
        for part in parts:
            _nests(part)
    noted = Note("⏳ This stopped.", "error", reference="Ref K7Q2M") if limit % 2 else None
    with in_time():
        _sends(Answer(text, noted, plain=limit % 3 == 0))


def _said(*texts: str) -> str:
    return "".join("".join(text.split()) for text in texts)


def _nests(rich: Rich) -> None:
    for span in rich.spans:
        assert 0 <= span.start < span.end <= len(rich.text), span
    assert all(one.start <= other.start for one, other in pairwise(rich.spans))


def _sends(answer: Answer) -> None:
    for part in render(answer, key="k"):
        assert part.role in {"text", "note"}
        for body in (part.body, part.plain):
            text = cast("str", body["text"])
            assert text.strip()
            assert utf16_length(text) <= _LIMIT
            json.dumps(body, ensure_ascii=False).encode()
            _marks(text, cast("list[dict[str, Any]]", body.get("entities", [])))


def _marks(text: str, entities: list[dict[str, Any]]) -> None:
    units = utf16_length(text)
    assert len(entities) <= _ENTITIES
    for entity in entities:
        assert entity["length"] > 0
        assert 0 <= entity["offset"] <= units - entity["length"], entity


_NOTEBOOK = Notebook()
_LANGUAGES = (*SHIPPED, "", "xx", "zh-Hant-TW", "e\ud800")
_LONGEST_NOTE = 1_000


def note(data: bytes) -> None:
    """Tell of a completion, whatever stands in it."""
    choice, grown = data[:1] or b"\0", grow(data[1:])
    parts = named(grown)
    completion = TurnCompletion.from_dict(grown)
    flags = [bool(choice[0] >> bit & 1) for bit in range(8)]
    ref, contact, wait = parts.get("ref"), parts.get("contact"), completion.retry_after
    around = Circumstances(
        language=_LANGUAGES[choice[0] % len(_LANGUAGES)],
        partial=flags[0],
        visible=flags[0] or flags[1],
        addressed=flags[2],
        resumable=flags[3],
        ref=ref if isinstance(ref, str) else "",
        wait=wait,
    )
    settings = NoteSettings(
        surface=flags[4], never_silent=not flags[5], contact=contact if isinstance(contact, str) else ""
    )
    with in_time():
        decided = decide(completion, around, settings, _NOTEBOOK)
    assert decided.noted in {"yes", "clean"} or decided.noted.startswith("suppressed_by:")
    assert (decided.note is not None) == (decided.noted == "yes")
    assert decided.note or not decided.actions
    if not around.visible and around.addressed and (settings.surface or settings.never_silent):
        assert decided.note is not None or completion.reason == "superseded", completion
    if decided.note is not None:
        _tells(decided.note, contact=settings.contact, ref=around.ref)


def _tells(told: Note, *, contact: str, ref: str) -> None:
    text = told.text
    assert text.strip()
    assert len(text) <= _LONGEST_NOTE + len(contact)
    assert contact or "\n" not in text
    if not contact and not ref:
        text.encode()
        assert not any(ord(mark) < ord(" ") for mark in text), text
    with in_time():
        _sends(Answer("", told))


def update(data: bytes) -> None:
    """Read an update of Telegram's, whatever stands in it."""
    found = grow(data, plain=True)
    with in_time():
        event = read_update(found, data, ME)
    assert event.raw == data
    assert (event.inbound is None) == bool(event.dropped)
    assert (event.inbound is None) == (event.dedupe == ())
    _means(event)


def _means(event: Event) -> None:
    inbound = event.inbound
    if inbound is None:
        return
    assert inbound.kind in {"message", "command", "action", "edit"}
    for word in (inbound.place.chat, inbound.sender.id):
        assert isinstance(word, str)
        assert word
    said = (
        inbound.text,
        inbound.message_id,
        inbound.command,
        inbound.action,
        inbound.reply_to,
        inbound.press,
    )
    assert all(isinstance(word, str) for word in said), said
    assert isinstance(inbound.at, float | int)
    assert math.isfinite(inbound.at)
