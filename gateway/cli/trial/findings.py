"""What a check comes to, and what an agent is tried with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["BRIEF", "LAG", "Finding", "Plan", "short"]

Verdict = Literal["pass", "fail", "n/a"]

LAG = 0.5  # seconds that nobody else can run
BRIEF = 0.15  # seconds; an answer that comes sooner cannot be stopped on its way
_WIDTH = 60  # of a text in a line of a terminal


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check came to.

    Attributes:
        told: What was seen.
        advice: What to do; empty for nothing.
        problem: The traceback behind it, for those who ask for it.
    """

    check: str
    verdict: Verdict
    told: str
    advice: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an agent is tried with.

    Attributes:
        messages: Get an ordinary answer each.
        slow: Takes long; empty where none is known.
        failing: Makes it raise; empty where none is known.
        people: Write to it at the same time.
    """

    messages: Sequence[str]
    slow: str = ""
    failing: str = ""
    people: int = 5


def short(text: str) -> str:
    """A text in one line, its end left out where it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= _WIDTH else f"{plain[: _WIDTH - 3]}..."
