"""The trial of agents finds what is wrong with one, and says so to people who did not write this."""

from __future__ import annotations

import asyncio
import time

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.cli.trial import Finding, Plan, Trial, examine
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.errors import AgentError
from gateway.plugins import wrap_agent


async def _found(target: object, plan: Plan | None = None) -> dict[str, Finding]:
    """What each check found; what it failed of several messages counts."""
    trial = Trial(wrap_agent(target), patience=5.0)
    found: dict[str, Finding] = {}
    async for finding in examine(trial, plan or Plan(["Hello"])):
        if finding.check not in found or finding.verdict == "fail":
            found[finding.check] = finding
    return found


async def _verdicts(target: object, plan: Plan | None = None) -> dict[str, str]:
    return {check: finding.verdict for check, finding in (await _found(target, plan)).items()}


async def exemplary(request: TurnRequest, context: TurnContext) -> AgentReply:
    """Does everything right."""
    if request.text == "fail":
        raise ValueError("the secret of the house")
    if request.text == "slow":
        await context.emit("One moment")
        await asyncio.sleep(5.0)
    if request.text:
        await context.before_action("speak")
    past = [line.text for line in request.history if line.role == "user"]
    await context.emit("You said: ")
    await context.emit(" / ".join([*past, request.text]))
    return AgentReply(completion=TurnCompletion())


exemplary.reports_actions = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]  # how a function promises it


async def test_agent_that_does_everything_right_passes_every_check() -> None:
    found = await _verdicts(exemplary, Plan(["Hello", "Good day"], slow="slow", failing="fail"))

    assert set(found.values()) == {"pass"}
    assert len(found) == 13


async def test_plain_function_fails_nothing() -> None:
    """What it cannot show is no fault, and it is told what it could do."""

    def plain(text: str) -> str:
        return f"You said {text}"

    found = await _found(plain)

    assert not [finding for finding in found.values() if finding.verdict == "fail"]
    assert {check for check, finding in found.items() if finding.verdict == "n/a"} == {
        "ending", "streaming", "memory", "stop", "deadline", "failures", "actions",
    }  # fmt: skip
    assert all(finding.advice for finding in found.values() if finding.verdict == "n/a")


async def test_history_that_everybody_shares_is_found() -> None:
    class Shared:
        def __init__(self) -> None:
            self.past: list[str] = []

        def chat(self, text: str) -> str:
            self.past.append(text)
            return " / ".join(self.past)

    found = await _found(Shared())

    assert (found["people"].verdict, found["memory"].verdict) == ("fail", "pass")
    assert "factory:" in found["people"].advice


async def test_function_that_blocks_everybody_is_found() -> None:
    async def blocking(text: str) -> str:
        await asyncio.sleep(0)
        time.sleep(0.6)  # noqa: ASYNC251  # what it is about
        return text

    found = await _found(blocking, Plan(["Hello"], people=1))

    assert found["shares"].verdict == "fail"
    assert "'def'" in found["shares"].advice


async def test_function_that_loads_something_at_first_is_no_fault() -> None:
    loaded: list[str] = []

    async def loading(text: str) -> str:
        await asyncio.sleep(0)
        if not loaded:
            time.sleep(0.6)  # noqa: ASYNC251  # as an import does
        loaded.append(text)
        return text

    assert (await _verdicts(loading, Plan(["Hello"], people=1)))["shares"] == "pass"


async def test_agent_that_will_not_be_stopped_is_found() -> None:
    async def stubborn(text: str) -> str:
        until = time.monotonic() + (2.0 if text == "slow" else 0.0)
        while time.monotonic() < until:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        return text

    found = await _found(stubborn, Plan(["Hello"], slow="slow", people=1))

    assert found["stop"].told == "it was stopped, and worked on for more than a second"
    assert (found["stop"].verdict, found["deadline"].verdict) == ("fail", "fail")


async def test_agent_that_swallows_the_stop_is_found() -> None:
    async def swallowing(text: str) -> str:
        try:
            await asyncio.sleep(3.0 if text == "slow" else 0.0)
        except asyncio.CancelledError:
            return "never mind"
        return text

    found = await _found(swallowing, Plan(["Hello"], slow="slow", people=1))

    assert found["stop"].told == "it was stopped, swallowed that, and came to an end of its own"


async def test_thread_that_nobody_can_stop_is_told_of() -> None:
    def blocking(text: str) -> str:
        time.sleep(1.5 if text == "slow" else 0.0)
        return text

    found = await _found(blocking, Plan(["Hello"], slow="slow", people=1))

    assert (found["stop"].verdict, found["deadline"].verdict) == ("pass", "pass")
    assert "its thread works on" in found["stop"].told


async def test_message_that_is_not_slow_stops_nothing() -> None:
    found = await _found(exemplary, Plan(["Hello"], slow="Hello", people=1))

    assert (found["stop"].verdict, found["deadline"].verdict) == ("n/a", "n/a")


async def test_one_person_at_a_time_is_found() -> None:
    """By the word it keeps on itself, and by the clock."""

    class Keeping:
        last_stop_reason = "completed"

        def chat(self, text: str) -> str:
            return text

    lock = asyncio.Lock()

    async def serial(text: str) -> str:
        async with lock:
            await asyncio.sleep(0.2)
        return text

    kept, timed = await _found(Keeping()), await _found(serial, Plan(["Hello"], people=4))

    assert (kept["together"].verdict, timed["together"].verdict) == ("fail", "fail")
    assert "last_stop_reason" in kept["together"].advice
    assert "a lock" in timed["together"].advice


async def test_picture_alone_must_not_break_it() -> None:
    def first_word(text: str) -> str:
        return text.split(maxsplit=1)[0]

    found = await _found(first_word)

    assert found["empty"].verdict == "fail"
    assert "IndexError" in found["empty"].told
    assert "split" in found["empty"].problem


async def test_failure_that_passes_for_an_answer_is_found() -> None:
    def polite(text: str) -> str:
        return "Sorry, an error occurred" if text == "fail" else text

    found = await _found(polite, Plan(["Hello"], failing="fail"))

    assert found["failures"].verdict == "fail"
    assert "as if all were well" in found["failures"].told


async def test_failure_that_is_shown_is_found() -> None:
    async def telling(text: str, context: TurnContext) -> str:
        if text == "fail":
            await context.emit("password is 1234")
            raise ValueError("password is 1234")
        return text

    found = await _found(telling, Plan(["Hello"], failing="fail"))

    assert (found["failures"].verdict, found["failures"].told) == (
        "fail",
        "what the error says is shown to people",
    )


async def test_failure_that_it_names_itself_passes() -> None:
    def knowing(text: str) -> AgentReply:
        return AgentReply("", TurnCompletion("rate_limited")) if text == "fail" else AgentReply(text)

    found = await _found(knowing, Plan(["Hello"], failing="fail"))

    assert found["failures"].told == "it said itself that it ended rate_limited"


async def test_answer_that_is_not_what_was_shown_is_found() -> None:
    async def changing(text: str, context: TurnContext) -> str:
        await context.emit("One thing")
        return f"Another than {text}"

    assert (await _verdicts(changing))["streaming"] == "fail"


async def test_people_who_meet_an_error_only_together_are_found() -> None:
    """What works for one person may not for several."""
    inside = 0

    async def crowded(text: str) -> str:
        nonlocal inside
        inside += 1
        try:
            await asyncio.sleep(0.02)
            if inside > 1:
                raise RuntimeError("one connection only")
        finally:
            inside -= 1
        return text

    found = await _found(crowded)

    assert (found["people"].verdict, found["answers"].verdict) == ("fail", "pass")
    assert "RuntimeError" in found["people"].told


def _silent(text: str) -> None:
    del text


def _broken(text: str) -> float:
    return len(text) / 0


def _locked_out(text: str) -> AgentReply:
    return AgentReply(text, TurnCompletion("auth_failed"))


@pytest.mark.parametrize(
    ("target", "told", "advice"),
    [
        (_silent, "ended empty_response", "Give back a text"),
        (_broken, "raised ZeroDivisionError", "--verbose"),
        (_locked_out, "ended auth_failed", "credentials"),
    ],
)
async def test_agent_that_gives_no_answer_is_told_what_to_do(target: object, told: str, advice: str) -> None:
    """Nothing else is tried then."""
    found = await _found(target)

    assert list(found) == ["answers", "shares", "the rest", "close"]
    assert told in found["answers"].told
    assert advice in found["answers"].advice


class _Closing:
    """An agent that cannot be closed."""

    reports_actions = False

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        del context
        return TurnResult(request.text)

    async def close(self) -> None:
        raise AgentError("it is stuck")


async def test_agent_that_cannot_be_closed_is_found() -> None:
    found = [finding async for finding in examine(Trial(_Closing(), patience=5.0), Plan(["Hello"]))]

    assert (found[-1].check, found[-1].verdict) == ("close", "fail")
    assert "it is stuck" in found[-1].told
