"""The story of a turn holds what an operator needs, and nobody's words."""

from __future__ import annotations

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.abc.store import Turn
from gateway.admin.stories import as_dict, line_of, story
from gateway.notes import NoteSettings
from gateway.session.record import read, row
from tests.unit.session.scene import Answering, Scene, reply


async def _turn(scene: Scene) -> Turn:
    await scene.say("the person's words")
    return (await scene.store.turns())[0]


async def test_story_tells_the_ending_the_raw_word_and_the_note() -> None:
    turn = await _turn(Scene(Answering([reply("the agent's words", "MAX_TOKENS", retry_after=7.0)])))

    told = story(turn)

    assert "length_truncated@agent.reply" in told
    assert "'MAX_TOKENS'" in told
    assert "asked to wait" in told
    assert read(turn).ref in told


async def test_story_names_the_key_that_suppressed_the_note() -> None:
    notes = NoteSettings(surface=False, never_silent=False)

    turn = await _turn(Scene(Answering([reply("", "network_error")]), notes=notes))

    assert "never_silent" in story(turn)


async def test_story_shows_what_was_raised_with_secrets_masked() -> None:
    async def fail(_: TurnRequest, context: TurnContext) -> TurnResult:
        await context.before_action("send_mail")
        raise RuntimeError("api_key=sk-live-abcdefghijklmnop0123")

    told = story(await _turn(Scene(Answering(fail))))

    assert "RuntimeError" in told
    assert "send_mail" in told
    assert "sk-live" not in told


@pytest.mark.parametrize("reason", ["", "max_steps", "Moon-Phase", "refused"])
async def test_nothing_that_was_said_is_in_any_of_them(reason: str) -> None:
    turn = await _turn(Scene(Answering([reply("the agent's words", reason)])))

    assert "words" not in story(turn)
    assert "words" not in line_of(turn)
    assert "words" not in str(as_dict(turn))


async def test_line_is_one_line_and_dict_has_both_ends() -> None:
    turn = await _turn(Scene(Answering([reply("half", "max_steps")])))
    facts = as_dict(turn)

    assert "\n" not in line_of(turn)
    assert facts["code"] == "max_steps@agent.reply"
    assert (facts["state"], facts["delivery"]) == ("finished", "")


async def test_turn_that_still_runs_and_one_with_every_fact_can_be_told() -> None:
    turn = await _turn(Scene(Answering([reply("half", "max_steps")])))
    record = read(turn)
    record.completion, record.state, record.noted = {}, "running", ""
    running = row(record)
    record.parent, record.how, record.delivery, record.sends = "t0", "retry", "delivered", 3
    record.skipped, record.maybe_duplicate, record.delivered = 2, True, record.finished + 9.0
    late = story(row(record))

    assert "running" in line_of(running)
    assert "not decided yet" in story(running)
    for fact in ("retry of t0", "3 tries", "2 parts refused", "possibly twice", "9.0 s after"):
        assert fact in late
