"""Decide which word ends a turn: the precedence of everything that claims to know."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

from gateway.completion import classify_exception, normalise
from gateway.completion import ending as row_of
from gateway.completion.model import TurnCompletion
from gateway.session.running import Running
from gateway.session.supervision import Outcome

__all__ = ["Ending", "conclude", "readable"]

_RANK = {"completed": 0, "error": 1}


@dataclass(frozen=True, slots=True)
class Ending:
    """The turn's text and word.

    Attributes:
        completion: Always set; `site` says where it was decided.
        problem: The exception behind it, for the record; `None` when there was none.
    """

    text: str
    completion: TurnCompletion
    problem: BaseException | None = None


def conclude(running: Running, outcome: Outcome) -> Ending:
    """The ending of a turn whose agent call is over.

    The runtime's own decision beats everything that arrives after it; a specific word beats a generic one;
    a clean end with nothing readable is `empty_response`.
    """
    if running.decided is not None:
        return Ending(running.text, running.decided)
    if outcome.problem is not None:
        return Ending(running.text, _from_problem(outcome.problem), outcome.problem)
    result = outcome.result
    text = (result.text if result is not None else "") or running.text
    found = result.completion if result is not None else None
    completion = _normal(found) if found is not None else TurnCompletion(site="session.returned")
    if not readable(text) and not row_of(completion.reason).told:
        completion = _nothing_said(completion)
    return Ending(text, completion)


def readable(text: str) -> bool:
    """Whether a person can see anything of it: not only blanks, controls and invisible marks."""
    return any(unicodedata.category(mark)[0] not in "ZC" and mark not in _BLANK for mark in text)


_BLANK = frozenset("\u2800\u3164\uffa0\u115f\u1160\ufe0f\u200d")  # letters and marks that draw nothing


def _nothing_said(completion: TurnCompletion) -> TurnCompletion:
    """What an ending that nobody is told of comes to where there is nothing to read either."""
    token = completion.token
    if token is None and completion.truncated:
        token = completion.reason
    return replace(completion, reason="empty_response", token=token)


def _from_problem(problem: BaseException) -> TurnCompletion:
    completion = classify_exception(problem)
    if not completion.truncated:
        completion = replace(completion, reason="error")
    return _normal(replace(completion, source=completion.source or "exception"))


def _normal(completion: TurnCompletion) -> TurnCompletion:
    """One spelling of the word, the raw one kept as the token, and a site always."""
    word = normalise(completion.reason)
    changes: dict[str, object] = {}
    if word != completion.reason:
        changes["reason"] = word
        if completion.token is None and completion.reason:
            changes["token"] = completion.reason
    if not completion.site:
        changes["site"] = "agent.reply"
    return replace(completion, **changes) if changes else completion  # type: ignore[arg-type]  # typed above
