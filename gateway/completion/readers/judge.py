"""Decide what the facts of an error mean: structure before prose, money before rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.completion.readers import codes, prose, statuses
from gateway.completion.readers.bodies import Facts
from gateway.completion.readers.verdict import Verdict

__all__ = ["Judgement", "judge"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and how much it rests on.

    Attributes:
        certain: Whether a decisive code or a phrase says so, not just a general one or the status.
    """

    verdict: Verdict
    certain: bool


_FIRST = (
    "content_filtered",
    "refused",
    "quota_exhausted",
    "context_overflow",
    "length_truncated",
    "model_not_found",
    "auth_failed",
)
_GENERAL = frozenset({"invalid_request", "provider_error", "network_error"})
_BEATS_CODES = frozenset({402, 413})


def judge(facts: Facts, status: int | None, *, names: Sequence[str] = ()) -> Judgement | None:
    """What the facts, the status and the names of an exception's classes say, or `None` for nothing."""
    effective = _effective(facts, status)
    decisive = _decisive(facts, names)
    if decisive is not None:
        return Judgement(decisive, certain=True)
    token = _token(facts, effective)
    told = _told(facts, effective)
    if told:
        return Judgement(Verdict(told, token), certain=True)
    general = _general(facts, effective, names)
    return Judgement(Verdict(general, token), certain=False) if general else None


def _effective(facts: Facts, status: int | None) -> int | None:
    """The status of the answer, else the one named inside: an error may come in a 200."""
    if status is not None and statuses.reason_of(status) is not None:
        return status
    return next(iter(facts.statuses), status)


def _decisive(facts: Facts, names: Sequence[str]) -> Verdict | None:
    numbered = [Verdict(reason, raw) for reason, raw in facts.numbered if reason != "invalid_request"]
    named = [Verdict(reason, raw) for raw in facts.codes if (reason := codes.strong(raw))]
    typed = [Verdict(reason, _token(facts, None)) for name in names if (reason := codes.strong(name))]
    found = [*numbered, *named, *typed[:1]]
    if facts.daily and not any(one.reason == "content_filtered" for one in found):
        return Verdict("quota_exhausted", _token(facts, None))
    if not found:
        return None
    return min(found, key=lambda one: _FIRST.index(one.reason) if one.reason in _FIRST else len(_FIRST))


def _told(facts: Facts, status: int | None) -> str | None:
    """What the messages say; one that names the provider's fault only is often a wrapper around another."""
    said = [reason for message in facts.messages if (reason := prose.said(message, status))]
    said = [reason for reason in said if not (reason == "quota_exhausted" and facts.minutely)]
    return next((reason for reason in said if reason not in _GENERAL), None) or next(iter(said), None)


def _general(facts: Facts, status: int | None, names: Sequence[str]) -> str | None:
    by_status = statuses.reason_of(status)
    if status in _BEATS_CODES:
        return by_status
    said = [reason for raw in (*facts.codes, *names) if (reason := codes.weak(raw))]
    said += [reason for reason, _ in facts.numbered]
    narrow = next((reason for reason in said if reason not in _GENERAL), None)
    if narrow:
        return narrow
    if by_status and by_status not in _GENERAL:
        return by_status
    return next(iter(said), by_status)


def _token(facts: Facts, status: int | None) -> str | None:
    """The raw word for the record: the narrowest code, else the status."""
    words = [raw for raw in facts.codes if codes.strong(raw) or codes.weak(raw)] or facts.codes
    named = next((raw for raw in words if codes.weak(raw) not in _GENERAL), None) or next(iter(words), None)
    return named or (str(status) if status is not None and statuses.reason_of(status) else None)
