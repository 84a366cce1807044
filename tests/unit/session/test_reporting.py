"""What operators learn of a turn: one line, its numbers, and a record with both ends."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import cast

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.abc.store import Letter, LetterClaim, LetterState
from gateway.delivery import Outlet, Result
from gateway.session import Afterwards
from gateway.session.record import Record, read
from tests.unit.session.scene import Answering, QuietAdapter, Scene, reply

OUTLET = Outlet("bot", "test", QuietAdapter())
SECRET = "sk-live-abcdefghijklmnop0123456789"


def _lines(caplog: pytest.LogCaptureFixture, event: str = "") -> list[dict[str, object]]:
    """What was logged, or what of it has this event."""
    messages: list[object] = [record.msg for record in caplog.records]
    lines = [cast("dict[str, object]", message) for message in messages if isinstance(message, dict)]
    return [line for line in lines if event in ("", line["event"])]


async def _raise(_: TurnRequest, context: TurnContext) -> TurnResult:
    await context.emit("the agent's words")
    raise RuntimeError(f"api_key={SECRET}")


async def _settled(
    scene: Scene, state: LetterState, result: Result | None = None, *, attempts: int = 1
) -> Record:
    """The record after its letter's end."""
    (claim,) = await scene.store.claim_letters("test", bots=["bot"], limit=1, lease=60.0)
    claim = LetterClaim(claim.letter, claim.token, attempts, claim.parts)
    after = await _afterwards(scene).closed(OUTLET, claim, state, result or Result(state))
    assert after.turn is not None
    return read(after.turn)


def _afterwards(scene: Scene) -> Afterwards:
    return Afterwards(scene.store, bots=lambda: {"bot": scene.bot}, clock=scene.clock, metrics=scene.metrics)


def _count(scene: Scene, result: str) -> float | None:
    labels = {"bot": "bot", "result": result}
    return scene.metrics.registry.get_sample_value("lastword_deliveries_total", labels)


@pytest.mark.parametrize("reason", ["", "max_steps", "Moon-Phase"])
async def test_turn_leaves_exactly_one_line_without_anybodys_words(
    reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    scene = Scene(Answering([reply("the agent's words", reason)]))

    caplog.set_level(logging.INFO)
    await scene.say("the person's words")

    finished = _lines(caplog, "turn.finished")
    assert len(finished) == 1
    assert finished[0]["reason"] == (reason or "completed")
    assert "words" not in str(_lines(caplog))


async def test_line_of_a_turn_that_raised_holds_no_secret_and_is_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene(Answering(_raise))

    caplog.set_level(logging.INFO)
    record = await scene.say("hello")

    (line,) = _lines(caplog, "turn.finished")
    assert line["level"] == "error"
    assert SECRET not in str(_lines(caplog))
    assert SECRET not in record.problem
    assert "RuntimeError" in record.problem
    assert SECRET not in str(await scene.mail())


async def test_raw_word_is_in_the_line_and_the_record_and_not_in_the_chat(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene(Answering([reply("half", "MAX_TOKENS")]))

    caplog.set_level(logging.INFO)
    record = await scene.say("hello")

    assert _lines(caplog, "turn.finished")[0]["gen_ai.response.finish_reasons"] == ["MAX_TOKENS"]
    assert record.completion["token"] == "MAX_TOKENS"
    assert "MAX_TOKENS" not in str((await scene.mail())[0].answer)


async def test_turn_is_counted_by_its_reason_and_an_unknown_one_as_unknown() -> None:
    scene = Scene(Answering([reply("half", "max_steps"), reply("half", "Moon-Phase")]))

    await scene.say("a")
    await scene.say("b")

    def counted(reason: str) -> float | None:
        labels = {"bot": "bot", "platform": "test", "reason": reason}
        return scene.metrics.registry.get_sample_value("lastword_turns_total", labels)

    assert (counted("max_steps"), counted("unknown"), counted("Moon-Phase")) == (1, 1, None)


async def test_provider_that_said_nothing_is_a_fact_in_the_record() -> None:
    scene = Scene(Answering([reply("done")]))

    record = await scene.say("hello")

    assert "token" in record.completion
    assert record.completion["token"] is None


async def test_record_tells_both_ends() -> None:
    scene = Scene(Answering([reply("half", "max_steps")]))
    await scene.say("hello")

    record = await _settled(scene, "delivered", attempts=3)

    assert record.completion["reason"] == "max_steps"
    assert (record.state, record.delivery, record.sends) == ("delivered", "delivered", 3)
    assert record.delivered > 0
    assert _count(scene, "delivered") == 1


@pytest.mark.parametrize(
    ("state", "told"),
    [("undeliverable", "undeliverable"), ("expired", "expired"), ("dropped", "undeliverable")],
)
async def test_answer_that_did_not_arrive_is_an_error_for_operators(
    state: LetterState, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    scene = Scene(Answering([reply("done")]))
    await scene.say("hello")

    caplog.set_level(logging.INFO)
    record = await _settled(scene, state)

    assert record.state == told
    assert [line["level"] for line in _lines(caplog, "delivery.failed")] == ["error"]


async def test_possible_duplicate_is_counted_and_recorded() -> None:
    scene = Scene(Answering([reply("done")]))
    await scene.say("hello")

    record = await _settled(scene, "delivered", Result("delivered", duplicate=True, skipped=1))

    assert record.maybe_duplicate
    assert record.skipped == 1
    assert _count(scene, "maybe_duplicate") == 1


async def test_letter_of_no_turn_and_of_an_unreadable_one_close_even_so() -> None:
    scene = Scene(Answering([reply("done")]))
    await scene.say("hello")
    (turn,) = await scene.store.turns()
    (claim,) = await scene.store.claim_letters("test", bots=["bot"], limit=1, lease=60.0)
    await scene.store.settle(claim, "delivered", turn=replace(turn, body=b"not ours"))
    afterwards = _afterwards(scene)

    for known in ("", "t999", turn.id):
        letter = Letter("l", "bot", "bot/1", known, b"", 0.0)
        claim = LetterClaim(letter, "x", 1)
        assert (await afterwards.closed(OUTLET, claim, "delivered", Result("x"))).turn is None
