"""What only lasts while an answer is written."""

from __future__ import annotations

from gateway_adapters.local.chats import Chat
from gateway_adapters.local.transcript import Transcript
from tests.integration.local.scene import Context


def _chat() -> Chat:
    return Chat(Transcript(Context(), "c", ttl=60.0))


def test_typing_ends_with_the_last_preview() -> None:
    chat = _chat()
    chat.type(10.0)
    chat.grow("t1", "a", 10.0)
    chat.grow("t2", "b", 10.0)

    chat.finish("t1")
    assert chat.typing_until > 10.0

    chat.finish("t2")
    assert chat.typing_until == 0.0


def test_answer_to_something_else_leaves_the_preview() -> None:
    """A command is answered while a turn runs."""
    chat = _chat()
    chat.type(10.0)
    chat.grow("t1", "a", 10.0)

    chat.finish("")

    assert list(chat.previews) == ["t1"]
    assert chat.typing_until > 10.0


def test_preview_is_given_up_when_its_turn_went_silent() -> None:
    chat = _chat()
    chat.grow("t1", "a", 10.0)

    chat.prune(39.0)
    assert list(chat.previews) == ["t1"]

    chat.prune(41.0)
    assert chat.previews == {}


def test_typing_keeps_a_preview_that_does_not_grow() -> None:
    """An agent may think for minutes in the middle of a sentence."""
    chat = _chat()
    chat.grow("t1", "a", 10.0)

    for second in range(14, 120, 4):
        chat.type(float(second))
        chat.prune(float(second))

    assert list(chat.previews) == ["t1"]


async def test_every_change_wakes_whoever_waits() -> None:
    chat = _chat()
    before = chat.changed

    chat.notice("hello")

    assert before.is_set()
    assert not chat.changed.is_set()
