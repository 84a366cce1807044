"""What an ordinary answer shows: that there is one, how it comes, how it ends, and who waits meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.cli.trial.findings import LAG, Finding, short
from gateway.cli.trial.turns import Trial, Turn
from gateway.completion import operator_text

__all__ = ["answered", "empty", "grows", "leaves_time", "reports", "says_its_ending"]


def answered(text: str, turn: Turn) -> Finding:
    """Whether a message got an answer, and what to do where it did not."""
    completion = turn.completion
    asked = f"{short(text)!r}"
    if not completion.truncated and turn.text.strip():
        return Finding(
            "answers", "pass", f"{asked} was answered in {turn.seconds:.1f} s: {short(turn.text)!r}"
        )
    if isinstance(turn.raised, Exception):
        told = f"{asked} raised {type(turn.raised).__name__}, which is told as {completion.reason}"
    else:
        told = f"{asked} ended {completion.reason}, with {len(turn.text.strip())} characters of text"
    return Finding("answers", "fail", told, _advice(completion.reason, turn), turn.problem)


def _advice(reason: str, turn: Turn) -> str:
    if reason == "empty_response":
        return "Give back a text, an AgentReply, or a mapping or object with text, output or content in it."
    if reason == "error":
        return "Look at the error: --verbose shows where it was raised."
    return operator_text(turn.completion)


async def leaves_time(trial: Trial, text: str, turns: Sequence[Turn]) -> Finding:
    """Whether other people's turns went on meanwhile; what only a first turn does is not counted."""
    lag = max(turn.lag for turn in turns)
    if lag >= LAG:
        lag = (await trial.turn("patient person", text)).lag
    if lag < LAG:
        return Finding("shares", "pass", "other people's turns go on while it works")
    return Finding(
        "shares",
        "fail",
        f"it held the whole gateway for {lag:.1f} s, every other person with it",
        "Something asynchronous blocks (time.sleep, requests, a long computation): await it, or make the"
        " function a plain 'def', which gets a thread of its own.",
    )


def says_its_ending(turn: Turn) -> Finding:
    """Whether the agent itself says how a turn ended."""
    if turn.completion.site != "session.returned":
        return Finding("ending", "pass", f"it says how a turn ended: {turn.completion.code}")
    return Finding(
        "ending",
        "n/a",
        "it does not say how a turn ended, so an answer that was cut or filtered passes for a whole one",
        "Give back the result of your provider or framework instead of its text, or an AgentReply with a"
        " TurnCompletion.",
    )


def grows(turns: Sequence[Turn]) -> Finding:
    """Whether the answer is seen while it grows, and is then the same."""
    shown = [turn for turn in turns if turn.pieces]
    for turn in shown:
        said = turn.returned.text if turn.returned is not None else ""
        if said and said != "".join(turn.pieces):
            return Finding(
                "streaming",
                "fail",
                f"it showed {short(''.join(turn.pieces))!r}, and gave back {short(said)!r}",
                "Give back exactly what was emitted, or no text at all: then what was emitted counts.",
            )
    if not shown:
        return Finding(
            "streaming",
            "n/a",
            "people see its answer only when it is complete, and nothing of one that breaks off",
            "Yield pieces of text, or call context.emit; for agents of frameworks write 'stream: true'.",
        )
    pieces = max(len(turn.pieces) for turn in shown)
    return Finding("streaming", "pass", f"its answer comes in {pieces} pieces")


async def empty(trial: Trial) -> Finding:
    """What comes of a message with no text in it."""
    turn = await trial.turn("silent person", "")
    if not isinstance(turn.raised, Exception):
        told = f"a message with no text in it, such as a photo, ends {turn.completion.reason}"
        return Finding("empty", "pass", told)
    return Finding(
        "empty",
        "fail",
        f"a message with no text in it, such as a photo, raises {type(turn.raised).__name__}",
        "Answer something to an empty text; people do send pictures alone.",
        turn.problem,
    )


def reports(trial: Trial) -> Finding:
    """Whether actions are told before they start."""
    if trial.agent.reports_actions:
        return Finding("actions", "pass", "it tells what it is about to do before it does it")
    return Finding(
        "actions",
        "n/a",
        "it does not tell what it is about to do, so any turn that breaks off may have done something",
        "Where it acts: take (text, context), call context.before_action(name) before each action, and set"
        " reports_actions = True.",
    )
