"""Several people at once: kept apart, known again, and answered side by side."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from gateway.cli.trial.findings import BRIEF, LAG, Finding, Plan
from gateway.cli.trial.turns import Trial, Turn

__all__ = ["people"]

_SERIAL = 0.8  # of the time that turns take one after another


async def people(trial: Trial, plan: Plan, first: Turn) -> list[Finding]:
    """Several people at once, each with a word of their own, which each asks for afterwards."""
    words = {f"person {place}": f"word{secrets.token_hex(4)}" for place in range(plan.people)}
    loop = asyncio.get_running_loop()
    began = loop.time()
    said = await _all(trial, {person: f"Please repeat this: {word}" for person, word in words.items()})
    taken = loop.time() - began
    asked = await _all(trial, dict.fromkeys(words, "What was it that I asked you to repeat?"))
    held = max(turn.lag for turn in said.values()) >= LAG
    alone = first.seconds if held else min(turn.seconds for turn in said.values())
    return [
        _apart(words, said, asked),
        _remembers(words, asked),
        _side_by_side(trial, taken, alone, plan.people),
    ]


async def _all(trial: Trial, messages: dict[str, str]) -> dict[str, Turn]:
    turns = await asyncio.gather(*(trial.turn(person, text) for person, text in messages.items()))
    return dict(zip(messages, turns, strict=True))


def _apart(words: dict[str, str], said: dict[str, Turn], asked: dict[str, Turn]) -> Finding:
    failed = [turn for turn in (*said.values(), *asked.values()) if isinstance(turn.raised, Exception)]
    if failed:
        kinds = ", ".join(sorted({type(turn.raised).__name__ for turn in failed}))
        told = f"with {len(words)} people at once, {len(failed)} of {2 * len(words)} turns raised {kinds}"
        return Finding("people", "fail", told, "Look at the error: --verbose shows it.", failed[0].problem)
    shown = [
        person
        for person, word in words.items()
        if any(
            other in turns[person].text for turns in (said, asked) for other in set(words.values()) - {word}
        )
    ]
    if shown:
        return Finding(
            "people",
            "fail",
            f"{len(shown)} of {len(words)} people were shown what others wrote",
            "It keeps one history for everybody: write 'factory:' and name a function that makes one object"
            " for each conversation, or take (request) and read request.history.",
        )
    if not any(word in said[person].text for person, word in words.items()):
        told = "its answers repeat nothing of what it is told, so nothing can be told apart"
        return Finding("people", "n/a", told)
    return Finding("people", "pass", f"{len(words)} people at once: nobody was shown what others wrote")


def _remembers(words: dict[str, str], asked: dict[str, Turn]) -> Finding:
    known = sum(word in asked[person].text for person, word in words.items())
    if known:
        told = f"{known} of {len(words)} people were answered out of what they had said before"
        return Finding("memory", "pass", told)
    return Finding(
        "memory",
        "n/a",
        "no answer shows that it knows what was said before",
        "Where it should: take (request) and read request.history, or write 'factory:' for an object that"
        " keeps its own.",
    )


def _side_by_side(trial: Trial, taken: float, alone: float, people: int) -> Finding:
    warnings: Sequence[str] = getattr(trial.agent, "warnings", ())
    if warnings:
        return Finding("together", "fail", "it answers one person at a time", " ".join(warnings))
    if alone < BRIEF:
        return Finding("together", "pass", f"{people} people were answered within {taken:.1f} s")
    if people > 1 and taken > alone * people * _SERIAL:
        return Finding(
            "together",
            "fail",
            f"{people} people waited {taken:.1f} s in all, where one waits {alone:.1f} s",
            "Something in it lets one in at a time: a lock, one connection, or a call that blocks.",
        )
    return Finding(
        "together", "pass", f"{people} people waited {taken:.1f} s in all, where one waits {alone:.1f} s"
    )
