"""How a turn ends that does not end by itself: stopped, late, failed; and the agent closed in the end."""

from __future__ import annotations

import threading

from gateway.cli.trial.findings import BRIEF, Finding, Plan, short
from gateway.cli.trial.turns import Trial, Turn

__all__ = ["closes", "fails", "stops", "times_out"]

_NAME_SLOW = "Name a message that takes long: --slow TEXT."


async def stops(trial: Trial, plan: Plan, first: Turn) -> Finding:
    """Whether a turn that is stopped ends soon."""
    if not plan.slow and first.seconds < BRIEF:
        return Finding("stop", "n/a", "it answers too fast to be stopped", _NAME_SLOW)
    after = 0.3 if plan.slow else first.seconds * 0.3
    fate, turn = await trial.stop("stopping person", plan.slow or plan.messages[0], after=after)
    match fate:
        case "too late":
            return Finding("stop", "n/a", "it had answered before it could be stopped", _NAME_SLOW)
        case "stopped" if getattr(trial.agent, "abandoned", 0):
            told = "its turn ends at once; its thread works on for nobody, as no thread can be stopped"
            return Finding("stop", "pass", told, "An asynchronous function stops for good.")
        case "stopped":
            return Finding("stop", "pass", f"it ended {turn.seconds - after:.1f} s after it was stopped")
        case "ignored":
            told = "it was stopped, swallowed that, and came to an end of its own"
        case "goes on":
            told = "it was stopped, and worked on for more than a second"
    return Finding(
        "stop", "fail", told, "Let asyncio.CancelledError out: catch Exception, never BaseException."
    )


async def times_out(trial: Trial, plan: Plan, first: Turn) -> Finding:
    """Whether a turn ends when its deadline passes."""
    if not plan.slow and first.seconds < BRIEF:
        return Finding("deadline", "n/a", "it answers too fast to pass a deadline", _NAME_SLOW)
    deadline = 0.3 if plan.slow else first.seconds * 0.3
    turn = await trial.turn("late person", plan.slow or plan.messages[0], deadline=deadline)
    if turn.completion.site != "session.deadline" and turn.seconds < deadline * 2:
        return Finding("deadline", "n/a", "it had answered before the deadline", _NAME_SLOW)
    if turn.completion.reason == "timeout" and turn.seconds < deadline + 1.0:
        return Finding(
            "deadline", "pass", f"a deadline of {deadline:.1f} s ended it after {turn.seconds:.1f} s"
        )
    told = f"a deadline of {deadline:.1f} s ended it after {turn.seconds:.1f} s, as {turn.completion.reason}"
    return Finding("deadline", "fail", told, "Let asyncio.CancelledError out, and block nothing.")


async def fails(trial: Trial, plan: Plan) -> Finding:
    """Whether a failure is let out, and not shown."""
    if not plan.failing:
        advice = "Name a message on which it fails: --failing TEXT."
        return Finding("failures", "n/a", "no message is known that makes it fail", advice)
    turn = await trial.turn("unlucky person", plan.failing)
    raised = turn.raised
    if isinstance(raised, Exception):
        if str(raised).strip() and str(raised) in turn.text:
            told = "what the error says is shown to people"
            return Finding(
                "failures", "fail", told, "Emit nothing of an exception; let it out.", turn.problem
            )
        told = f"it let {type(raised).__name__} out, which is told as {turn.completion.reason}"
        return Finding("failures", "pass", told, problem=turn.problem)
    if turn.completion.truncated:
        return Finding("failures", "pass", f"it said itself that it ended {turn.completion.reason}")
    return Finding(
        "failures",
        "fail",
        f"it failed, and answered {short(turn.text)!r} as if all were well",
        "Let the exception out, or give back an AgentReply with a TurnCompletion.",
    )


async def closes(trial: Trial) -> Finding:
    """Whether the agent can be closed, twice, and leaves nothing behind."""
    try:
        await trial.agent.close()
        await trial.agent.close()
    except Exception as exc:  # noqa: BLE001  # whatever it is, it is what this check tells
        return Finding("close", "fail", f"closing it raised {type(exc).__name__}: {exc}")
    kept = [
        thread.name
        for thread in threading.enumerate()
        if not thread.daemon
        and thread is not threading.main_thread()
        and not thread.name.startswith("asyncio_")
    ]
    if kept:
        told = f"its threads keep the process from ending: {', '.join(kept)}"
        return Finding("close", "fail", told, "End them in close() or aclose(), or make them daemons.")
    return Finding("close", "pass", "it can be closed, and leaves nothing that keeps the process alive")
