"""What a conversation remembers, and what an agent is shown of it."""

from __future__ import annotations

import pytest

from gateway.abc.agent import PastLine, TurnRequest, TurnResult
from gateway.notes import NoteSettings
from tests.unit.session.scene import ADA, Answering, Scene, reply

DONE = reply("done")


async def _lines(scene: Scene) -> list[tuple[str, str]]:
    return [(line.role, line.text) for line in await scene.store.history("bot/1", limit=100)]


def _shown(request: TurnRequest) -> list[tuple[str, str]]:
    return [(line.role, line.text) for line in request.history]


async def _press(scene: Scene, kind: str) -> None:
    await scene.press(scene.token(await scene.answer(), kind))


async def test_note_never_enters_the_history() -> None:
    scene = Scene(Answering([reply("half", "max_steps", detail="a note of the agent")]))

    await scene.say("go")

    answer = await scene.answer()
    assert answer.note is not None
    assert await _lines(scene) == [("user", "go"), ("assistant", "half")]


@pytest.mark.parametrize("reason", ["refused", "content_filter", "guardrail"])
async def test_refused_exchange_is_not_remembered(reason: str) -> None:
    """Or the next, harmless message would be refused for it too."""
    scene = Scene(Answering([reply("I cannot help with that.", reason), DONE]))
    await scene.say("something bad")

    await scene.say("something good")

    assert scene.agent.requests[1].history == ()
    assert await _lines(scene) == [("user", "something good"), ("assistant", "done")]


async def test_turn_that_showed_nothing_is_not_remembered() -> None:
    scene = Scene(Answering([reply("", "network_error"), DONE]))
    await scene.say("first")

    await scene.say("second")

    assert scene.agent.requests[1].history == ()


async def test_retry_does_not_show_the_failed_exchange_and_forgets_it() -> None:
    scene = Scene(Answering([DONE, reply("hal", "stream_cut"), reply("whole")]))
    await scene.say("one")
    await scene.mail()
    await scene.say("two")

    await _press(scene, "retry")

    last = scene.agent.requests[2]
    assert last.text == "two"
    assert not last.resume
    assert _shown(last) == [("user", "one"), ("assistant", "done")]
    assert await _lines(scene) == [
        ("user", "one"),
        ("assistant", "done"),
        ("user", "two"),
        ("assistant", "whole"),
    ]


async def test_retry_of_a_retry_asks_what_was_asked_first() -> None:
    """The press that started the failed retry has no text of its own."""
    scene = Scene(
        Answering([reply("a", "stream_cut"), reply("b", "stream_cut"), reply("c", "stream_cut"), DONE])
    )
    await scene.say("the question")

    for _ in range(3):
        await _press(scene, "retry")

    assert [request.text for request in scene.agent.requests] == ["the question"] * 4
    assert await _lines(scene) == [("user", "the question"), ("assistant", "done")]


async def test_continue_keeps_what_was_said_and_shows_it() -> None:
    scene = Scene(Answering([reply("first half", "max_steps"), reply("second half")]))
    await scene.say("go")

    await _press(scene, "continue")

    assert scene.agent.requests[1].resume
    assert _shown(scene.agent.requests[1]) == [("user", "go"), ("assistant", "first half")]
    assert await _lines(scene) == [
        ("user", "go"),
        ("assistant", "first half"),
        ("user", "continue"),
        ("assistant", "second half"),
    ]


async def test_retry_of_a_continuation_continues_again() -> None:
    scene = Scene(Answering([reply("first", "max_steps"), reply("", "network_error"), reply("second")]))
    await scene.say("go")
    await _press(scene, "continue")

    await _press(scene, "retry")

    last = scene.agent.requests[2]
    assert last.resume
    assert _shown(last) == [("user", "go"), ("assistant", "first")]


async def test_agent_gets_its_own_state_back() -> None:
    scene = Scene(Answering([TurnResult("one", data=b"state"), DONE]))
    await scene.say("a")

    await scene.say("b")

    assert scene.agent.requests[1].history[1] == PastLine("assistant", "one", "t1", "", b"state")


async def test_state_that_is_too_large_is_not_kept() -> None:
    scene = Scene(Answering([TurnResult("one", data=b"x" * (512 * 1024 + 1)), DONE]))
    await scene.say("a")

    await scene.say("b")

    assert scene.agent.requests[1].history[1].data == b""


async def test_new_forgets_this_conversation_only() -> None:
    scene = Scene(Answering([DONE, DONE, DONE, DONE]))
    await scene.say("here")
    await scene.say("there", chat="2")

    await scene.command("new")
    await scene.say("again")
    await scene.say("again there", chat="2")

    assert scene.agent.requests[2].history == ()
    assert _shown(scene.agent.requests[3]) == [("user", "there"), ("assistant", "done")]


async def test_agents_text_is_remembered_and_sent_byte_for_byte() -> None:
    text = "  *odd* <b>&amp; \r\n\n```\nopen fence\t  "
    scene = Scene(Answering([reply(text, "max_steps")]), notes=NoteSettings(surface=False))

    await scene.say("go", by=ADA)

    answer = await scene.answer()
    assert (answer.text, answer.note, answer.actions) == (text, None, ())
    assert await _lines(scene) == [("user", "go"), ("assistant", text)]


async def test_halves_of_characters_neither_break_a_turn_nor_leave_it_unanswered() -> None:
    """A stream cut inside an emoji leaves half a surrogate pair, which is no Unicode text."""
    scene = Scene(Answering([reply("so \ud83d\ude00 so \ud83d", "Moon\udc00", detail="d\ud83d")]))

    record = await scene.say("go")

    assert (await scene.answer()).text == "so 😀 so \ufffd"
    assert record.state == "finished"
    assert len(scene.agent.requests) == 1
