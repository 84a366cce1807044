"""Buttons and typed words: one action for each ending, for the person it was offered to."""

from __future__ import annotations

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.messages import Inbound, Place
from gateway.session import offers
from gateway.testing.clock import ManualClock
from tests.unit.session.scene import ADA, BOB, Answering, QuietAdapter, Scene, reply

LIMIT = reply("half", "max_steps")
DONE = reply("done")


def _line(scene: Scene, name: str) -> str:
    return scene.bot.notebook.line(name, "en")


async def _offered(scene: Scene, kind: str, text: str = "go") -> str:
    """The token of a button under the ending of a first message."""
    await scene.say(text)
    return scene.token(await scene.answer(), kind)


async def _acting(_: TurnRequest, context: TurnContext) -> TurnResult:
    await context.before_action("pay")
    raise ConnectionError


async def test_press_continues_the_answer() -> None:
    scene = Scene(Answering([LIMIT, DONE]))

    record = await scene.press(await _offered(scene, "continue"))

    assert scene.agent.requests[1].resume
    assert record.how == "continue"
    assert scene.adapter.presses == ["p1"]


async def test_second_press_on_the_same_ending_is_told_that_it_is_over() -> None:
    scene = Scene(Answering([LIMIT, DONE]))
    token = await _offered(scene, "continue")
    await scene.press(token)

    await scene.press(token)

    assert len(scene.agent.requests) == 2
    assert scene.adapter.presses[-1] == _line(scene, "button_expired")


async def test_press_of_somebody_else_is_refused_and_leaves_the_offer_open() -> None:
    scene = Scene(Answering([LIMIT, DONE]))
    token = await _offered(scene, "continue")

    await scene.press(token, by=BOB)
    refusal = scene.adapter.presses[-1]
    await scene.press(token, by=ADA)

    assert refusal == _line(scene, "not_your_button")
    assert len(scene.agent.requests) == 2


async def test_press_on_an_offer_that_expired_is_told_so() -> None:
    clock = ManualClock()
    scene = Scene(Answering([LIMIT, DONE]), clock=clock)
    token = await _offered(scene, "continue")

    clock.advance(86_401)
    await scene.press(token)

    assert len(scene.agent.requests) == 1
    assert scene.adapter.presses == [_line(scene, "button_expired")]


@pytest.mark.parametrize("token", ["", ".", "t1", "t1.nonce.0", "../../etc", "x" * 500, "t1.\u0000.9"])
async def test_press_with_a_made_up_token_does_nothing(token: str) -> None:
    scene = Scene(Answering([LIMIT]))
    await _offered(scene, "continue")

    await scene.press(token)

    assert len(scene.agent.requests) == 1


async def test_press_that_cannot_be_answered_on_the_button_still_works() -> None:
    """Not even an odd exception of the adapter stands in its way."""
    scene = Scene(Answering([LIMIT, DONE]), adapter=QuietAdapter(press=ValueError("odd")))
    token = await _offered(scene, "continue")

    await scene.press(token)
    await scene.press(token)

    first, second = await scene.mail()
    assert first.answer.text == "done"
    assert second.answer.note is not None
    assert second.answer.note.text == _line(scene, "button_expired")


async def test_entry_that_took_an_offer_before_a_crash_takes_it_again() -> None:
    scene = Scene(Answering([LIMIT, DONE]))
    token = await _offered(scene, "continue")
    await scene.put(Inbound("action", Place("1"), ADA, action=token))
    claim = await scene.claim()
    assert (await offers.redeem(scene.store, token, person="ada", entry=claim.entry)).state == "taken"
    await scene.store.retry(claim, delay=0)

    await scene.manager.handle(await scene.claim())

    assert (await scene.answer()).text == "done"


async def test_typed_word_works_while_the_offer_is_open() -> None:
    scene = Scene(Answering([LIMIT, DONE]))
    await _offered(scene, "continue")

    record = await scene.say("Continue")

    assert record.how == "continue"
    assert scene.agent.requests[1].resume


async def test_typed_word_is_a_message_where_nothing_is_on_offer() -> None:
    scene = Scene(Answering([DONE, DONE]))
    await scene.say("hello")

    record = await scene.say("continue")

    assert record.how == ""
    assert scene.agent.requests[1].text == "continue"
    assert not scene.agent.requests[1].resume


async def test_typed_word_after_the_press_is_a_message() -> None:
    """The press was New chat; `continue` must not answer that a button has expired."""
    scene = Scene(Answering([reply("half", "max_steps"), DONE]))
    await scene.say("go")
    answer = await scene.answer()
    token, foreign = offers.make(
        "t1", person="ada", lane="bot/1", kinds=("new", "continue"), acted=False, label=str
    )
    for fact in foreign:
        assert fact.value is not None
        await scene.store.set(fact.key, fact.value)
    assert answer.actions

    await scene.press(token[0].token)
    record = await scene.say("continue")

    assert record.how == ""
    assert scene.agent.requests[-1].text == "continue"


async def test_typed_word_after_new_is_a_message() -> None:
    scene = Scene(Answering([LIMIT, DONE]))
    await _offered(scene, "continue")

    await scene.command("new")
    record = await scene.say("continue")

    assert record.how == ""
    assert scene.agent.requests[1].history == ()


async def test_typed_word_in_another_conversation_is_a_message() -> None:
    scene = Scene(Answering([LIMIT, DONE]))
    await _offered(scene, "continue")

    record = await scene.say("continue", chat="2")

    assert record.how == ""


async def test_command_takes_an_offer_like_its_button() -> None:
    scene = Scene(Answering([reply("", "network_error"), DONE]))
    await _offered(scene, "retry", "what is up?")

    record = await scene.command("retry")

    assert record.how == "retry"
    assert scene.agent.requests[1].text == "what is up?"


async def test_command_with_nothing_on_offer_is_told_so() -> None:
    scene = Scene(Answering([]))

    await scene.command("retry")

    answer = await scene.answer()
    assert answer.note is not None
    assert answer.note.text == _line(scene, "button_expired")


async def test_retry_asks_first_when_actions_ran() -> None:
    scene = Scene(Answering(_acting))
    await scene.press(await _offered(scene, "retry", "pay the bill"))

    question = await scene.answer()
    assert question.note is not None
    assert question.note.text == _line(scene, "effects")
    assert [action.kind for action in question.actions] == ["confirm_retry", "dismiss"]
    assert len(scene.agent.requests) == 1

    await scene.press(scene.token(question, "confirm_retry"))

    assert [request.text for request in scene.agent.requests] == ["pay the bill"] * 2


async def test_retry_that_is_dismissed_runs_nothing() -> None:
    scene = Scene(Answering(_acting))
    await scene.press(await _offered(scene, "retry"))
    question = await scene.answer()

    record = await scene.press(scene.token(question, "dismiss"))
    await scene.press(scene.token(question, "confirm_retry"))

    assert len(scene.agent.requests) == 1
    assert (record.state, record.suppressed) == ("suppressed", "dismissed")
    assert scene.silent() == 0


async def test_offer_whose_turn_is_forgotten_is_told_to_be_over() -> None:
    clock = ManualClock()
    scene = Scene(Answering([LIMIT]), clock=clock)
    token = await _offered(scene, "continue")
    clock.advance(3600)
    await scene.store.trim(clock.time())

    record = await scene.press(token)

    assert record.how == ""
    assert scene.adapter.presses == [_line(scene, "button_expired")]


async def test_press_on_new_chat_is_answered_once_with_words() -> None:
    """A platform shows only the first answer to a press."""
    scene = Scene(Answering([DONE, reply("", "context_overflow"), DONE]))
    await scene.say("hello")
    await scene.answer()
    token = await _offered(scene, "new")

    await scene.press(token)
    await scene.say("hello")

    assert scene.adapter.presses == [_line(scene, "new_chat")]
    assert scene.agent.requests[2].history == ()
