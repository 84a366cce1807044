"""Tell the story of a turn to an operator."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gateway.abc.store import Turn
from gateway.completion import TurnCompletion, ending, operator_text
from gateway.observability import redact
from gateway.session.record import Record, Remedied, read

__all__ = ["as_dict", "line_of", "story"]


def story(turn: Turn) -> str:
    """Everything worth knowing about a turn, a fact a line; no text of the person or the agent."""
    record = read(turn)
    facts = list(_facts(record))
    width = max(len(name) for name, _ in facts)
    lines = [f"{name.ljust(width)}  {value}" for name, value in facts]
    if record.problem:
        lines += ["", "what was raised (secrets masked):", record.problem.rstrip()]
    return "\n".join(lines)


def line_of(turn: Turn) -> str:
    """One turn in one line."""
    record = read(turn)
    word = _code(record) or "running"
    return (
        f"{_clock(record.at)}  {record.ref}  {record.bot:<12}  {record.state:<13}  {word:<36}  {record.noted}"
    )


def as_dict(turn: Turn) -> dict[str, object]:
    """A turn as JSON-ready facts, without texts."""
    record = read(turn)
    return {
        "turn": record.id,
        "ref": record.ref,
        "bot": record.bot,
        "lane": record.lane,
        "at": record.at,
        "state": record.state,
        "completion": record.completion,
        "code": _code(record),
        "noted": record.noted,
        "suppressed": record.suppressed,
        "language": record.language,
        "agent": record.agent,
        "actions": record.actions,
        "remedies": [
            {"kind": one.kind, "after": one.after, "waited": one.waited, "detail": one.detail}
            for one in record.remedies
        ],
        "attempts": [{"number": one.number, "at": one.at, "code": one.code} for one in record.attempts],
        "parent": record.parent,
        "how": record.how,
        "delivery": record.delivery,
        "failure": redact(record.failure),
        "maybe_duplicate": record.maybe_duplicate,
        "usage": record.usage,
    }


def _code(record: Record) -> str:
    if not record.completion:
        return ""
    return f"{record.completion.get('reason', '')}@{record.completion.get('site', 'unknown')}"


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    completion = record.completion
    yield "turn", f"{record.id} (ref {record.ref})"
    yield "bot", f"{record.bot}, agent {record.agent or '-'}"
    yield "lane", record.lane
    yield (
        "from",
        f"person {record.inbound.sender.id}, {record.inbound.kind} {record.inbound.message_id}".rstrip(),
    )
    yield "accepted", _clock(record.at)
    yield "state", record.state
    if completion:
        yield "ended", _code(record)
        yield "meaning", ending(str(completion.get("reason", ""))).meaning
        yield "provider said", _said(completion)
        if completion.get("retry_after") is not None:
            yield "asked to wait", f"{completion['retry_after']} s"
        yield "for the operator", operator_text(TurnCompletion.from_dict(completion))
    if record.parent:
        yield "follows", f"{record.how} of {record.parent}"
    for attempt in record.attempts:
        took = f", {attempt.ended - attempt.at:.1f} s" if attempt.ended else ""
        yield f"attempt {attempt.number}", f"{_clock(attempt.at)}{took} {attempt.code}".rstrip()
    for number, remedy in enumerate(record.remedies, 1):
        yield f"remedy {number}", _remedied(remedy)
    if record.actions:
        yield "tools started", ", ".join(record.actions)
    yield "note", record.noted or "not decided yet"
    if record.suppressed:
        yield "nothing sent", record.suppressed
    if record.offered:
        yield "offered", ", ".join(record.offered)
    yield "language", record.language or "-"
    yield "delivery", _delivery(record)


def _remedied(remedy: Remedied) -> str:
    facts = [f"after {remedy.after}"]
    if remedy.detail:
        facts.append(remedy.detail)
    if remedy.waited:
        facts.append(f"waited {remedy.waited:.1f} s")
    return f"{remedy.kind.replace('_', ' ')} ({', '.join(facts)})"


def _said(completion: dict[str, object]) -> str:
    token = completion.get("token")
    return repr(token) if token is not None else "nothing (no word of its own)"


def _delivery(record: Record) -> str:
    if not record.delivery:
        return "not yet" if record.state == "finished" else "-"
    extras = [f"{record.sends} tries"] if record.sends > 1 else []
    if record.skipped:
        extras.append(f"{record.skipped} parts refused by the platform")
    if record.maybe_duplicate:
        extras.append("possibly twice")
    if record.failure not in ("", record.delivery):
        extras.append(redact(record.failure))
    late = f", {record.delivered - record.finished:.1f} s after it was ready" if record.delivered else ""
    return f"{record.delivery}{late}" + (f" ({', '.join(extras)})" if extras else "")


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
