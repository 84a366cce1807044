"""Every check, in the order in which people would notice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from gateway.cli.trial import answers, people, stops
from gateway.cli.trial.findings import Finding, Plan
from gateway.cli.trial.turns import Trial, Turn

__all__ = ["examine"]


async def examine(trial: Trial, plan: Plan) -> AsyncIterator[Finding]:
    """Try an agent, check by check, until it turns out to give no answer; it is closed in the end."""
    turns = [await trial.turn(f"asker {place}", text) for place, text in enumerate(plan.messages)]
    answered = [answers.answered(text, turn) for text, turn in zip(plan.messages, turns, strict=True)]
    for finding in answered:
        yield finding
    yield await answers.leaves_time(trial, plan.messages[0], turns)
    if any(finding.verdict == "fail" for finding in answered):
        yield Finding("the rest", "n/a", "was not tried, because there is no answer to compare with")
    else:
        async for finding in _behaviour(trial, plan, turns):
            yield finding
    yield await stops.closes(trial)


async def _behaviour(trial: Trial, plan: Plan, turns: Sequence[Turn]) -> AsyncIterator[Finding]:
    first = turns[0]
    yield answers.says_its_ending(first)
    yield answers.grows(turns)
    for finding in await people.people(trial, plan, first):
        yield finding
    yield await answers.empty(trial)
    yield await stops.stops(trial, plan, first)
    yield await stops.times_out(trial, plan, first)
    yield await stops.fails(trial, plan)
    yield answers.reports(trial)
