"""Decide what a scripted turn does, from the message and the script alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gateway.completion import normalise
from gateway_agents.scripted.options import Line, Options
from gateway_agents.scripted.texts import STORY

__all__ = ["Plan", "plan_for", "words"]

_DIRECTIVE = re.compile(r"\s*!\s*(?=[^\W\d])")
_HALF = 0.5  # of the story is told before an ending that leaves an answer unfinished
_SLOWLY = 10.0  # times the usual pace
_EFFECT = "send_report"

_UNFINISHED = frozenset(
    {
        "max_steps",
        "length_truncated",
        "cancelled",
        "stream_cut",
        "timeout",
        "tool_error",
        "tool_error_budget",
        "tool_loop_guard",
        "approval_stop",
        "interrupt_drain_guard",
        "suspended",
        "abandoned",
        "aborted",
    }
)


@dataclass(frozen=True, slots=True)
class Plan:
    """One turn, decided.

    Attributes:
        say: The whole answer, of which `cut_after` words are said (all when `None`).
        end: The word it ends with.
        pace: How many times slower than usual it speaks.
        wait: Seconds before the first word.
        resume: What is said on Continue instead of the rest.
    """

    say: str = ""
    end: str = "completed"
    cut_after: int | None = None
    action: str = ""
    hang: bool = False
    crash: bool = False
    pace: float = 1.0
    wait: float = 0.0
    resume: str = ""
    retry_after: float | None = None
    payload: Mapping[str, object] | None = None

    @property
    def told(self) -> list[str]:
        """The words that are said, each with the white space before it."""
        return words(self.say)[: self.cut_after]


def plan_for(text: str, options: Options) -> Plan:
    """What to do about a message."""
    found = _DIRECTIVE.match(text) if options.directives else None
    if found is not None:
        return _directed(text[found.end() :].split())
    wanted = text.casefold()
    for line in options.script:
        if line.when == "*" or line.when.casefold() in wanted:
            return _scripted(line)
    return Plan(say=options.default)


def words(text: str) -> list[str]:
    """The words of a text, each with the white space before it; together they are the text."""
    found = re.findall(r"\s*\S+", text)
    if not found:
        return [text] if text else []
    tail = text[sum(map(len, found)) :]
    return [*found[:-1], found[-1] + tail]


def _scripted(line: Line) -> Plan:
    return Plan(
        say=line.say,
        end=line.end,
        cut_after=line.cut_after,
        action=line.action,
        hang=line.hang,
        crash=line.crash,
        wait=line.wait,
        resume=line.resume,
        retry_after=line.retry_after,
        payload=line.payload,
    )


def _directed(asked: list[str]) -> Plan:
    """`!slow action max_steps 20`: manners first, then the ending and its number, in any order."""
    plan = Plan(say=STORY)
    number: float | None = None
    for word in (word.strip(".,").lower() for word in asked):
        if _is_number(word):
            number = float(word)
        else:
            plan = _MANNERS[word](plan) if word in _MANNERS else _ending(plan, word)
    return _counted(plan, number)


def _ending(plan: Plan, word: str) -> Plan:
    reason = normalise(word)
    match reason:
        case "timeout":
            return replace(plan, end=reason, hang=True)
        case "error":
            return replace(plan, end=reason, crash=True)
        case "completed":
            return replace(plan, end=reason)
        case _:
            return replace(plan, end=reason, say=plan.say if reason in _UNFINISHED else "")


def _counted(plan: Plan, number: float | None) -> Plan:
    """What the number of a directive means: words before an unfinished ending, else seconds to wait."""
    if plan.end in _UNFINISHED:
        told = int(number) if number is not None else int(len(words(STORY)) * _HALF)
        return replace(plan, cut_after=told)
    if plan.end == "error":
        return replace(plan, cut_after=int(number or 0))
    return replace(plan, retry_after=number) if plan.end != "completed" else plan


def _is_number(word: str) -> bool:
    return re.fullmatch(r"\d{1,6}(?:\.\d+)?", word) is not None


_MANNERS: dict[str, Callable[[Plan], Plan]] = {
    "slow": lambda plan: replace(plan, pace=_SLOWLY),
    "action": lambda plan: replace(plan, action=_EFFECT),
    "hang": lambda plan: replace(plan, hang=True, end="timeout"),
    "crash": lambda plan: replace(plan, crash=True, end="error"),
    "story": lambda plan: plan,
}
