"""Tell operators of dead letters."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gateway.admin.dead import Dead
from gateway.observability import redact

__all__ = ["as_dict", "line_of", "story"]


def as_dict(dead: Dead, *, text: bool = False) -> dict[str, object]:
    """A dead letter as JSON-ready facts; what was said only where it is asked for."""
    record, inbound, place = dead.record, dead.inbound, dead.place
    facts: dict[str, object] = {
        "id": dead.letter.id,
        "ref": record.ref if record is not None else "",
        "kind": dead.kind,
        "bot": dead.bot,
        "state": dead.kept.state,
        "why": _shown(dead.why),
        "code": _code(dead),
        "at": dead.letter.at,
        "died": dead.kept.closed,
        "person": inbound.sender.id if inbound is not None else "",
        "name": _shown(inbound.sender.name) if inbound is not None else "",
        "chat": place.chat if place is not None else "",
        "thread": place.thread if place is not None else "",
        "parts": _parts(dead),
        "noted": record.noted if record is not None else "",
    }
    return facts | (_texts(dead) if text else {})


def line_of(dead: Dead) -> str:
    """One dead letter in one line."""
    facts = as_dict(dead)
    return (
        f"{_clock(dead.kept.closed)}  {dead.letter.id:<8}  {facts['ref'] or '-':<5}  {facts['bot']:<12}"
        f"  {facts['kind']:<7}  {facts['state']:<13}  {facts['why']}"
    )


def story(dead: Dead, *, text: bool = False) -> str:
    """Everything worth knowing about a dead letter, a fact a line."""
    facts = list(_facts(dead))
    width = max(len(name) for name, _ in facts)
    lines = [f"{name.ljust(width)}  {value}" for name, value in facts]
    if text:
        for name, said in _texts(dead).items():
            lines += ["", f"{name}:", str(said) or "-"]
    return "\n".join(lines)


def _facts(dead: Dead) -> Iterator[tuple[str, object]]:
    facts, parts = as_dict(dead), _parts(dead)
    yield "letter", dead.letter.id
    if facts["ref"]:
        yield "turn", f"{dead.letter.turn} (ref {facts['ref']}); `lastword why {facts['ref']}` tells more"
    yield "kind", "a message that was never answered" if dead.kind == "message" else "an answer"
    yield "bot", facts["bot"]
    yield "to", f"person {facts['person'] or '-'} {facts['name']}".rstrip()
    yield "where", f"chat {facts['chat'] or '-'}" + (f", thread {facts['thread']}" if facts["thread"] else "")
    yield "written", _clock(dead.letter.at)
    yield "died", f"{_clock(dead.kept.closed)}, {facts['state']}"
    yield "why", facts["why"]
    if facts["code"]:
        yield "ended", facts["code"]
    if facts["noted"]:
        yield "note", facts["noted"]
    if parts["all"]:
        yield "parts", f"{parts['sent']} of {parts['all']} sent, {parts['skipped']} skipped"


def _parts(dead: Dead) -> dict[str, int]:
    states = [part.state for part in dead.kept.parts]
    return {"all": len(states), "sent": states.count("sent"), "skipped": states.count("skipped")}


def _texts(dead: Dead) -> dict[str, object]:
    """What was asked and what was to be told, secrets masked."""
    answer = dead.mail.answer if dead.mail is not None else None
    inbound = dead.inbound
    return {
        "asked": _shown(inbound.text) if inbound is not None else "",
        "text": _shown(answer.text) if answer is not None else "",
        "note_text": _shown(answer.note.text) if answer is not None and answer.note is not None else "",
    }


def _code(dead: Dead) -> str:
    completion = dead.record.completion if dead.record is not None else {}
    return f"{completion.get('reason', '')}@{completion.get('site', 'unknown')}" if completion else ""


def _shown(text: str) -> str:
    """A text without secrets, and without what a terminal would obey."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in redact(text))


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
