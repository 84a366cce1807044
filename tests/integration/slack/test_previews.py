"""Text that grows: streams in threads, edited messages elsewhere, and what becomes of them."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import Unreachable
from gateway.messages import Answer, Note
from tests.emulators.slack import Fault
from tests.integration.slack.alone import CHANNEL, CHAT, PERSON, PLACE, adapter_of, alone, heard, threaded

_NOTE = Note("⏳ I stopped.", "max_steps", reference="Ref K7Q2M")


async def test_preview_in_a_thread_is_a_stream_that_becomes_the_answer() -> None:
    async with heard() as (adapter, slack, context):
        root = slack.say("<@U0BOT> tell me", channel=CHANNEL)
        await context.until(lambda: context.inbounds)
        place = context.inbounds[0].place
        handle = await adapter.preview(place, "One", turn="t")
        handle = await adapter.preview(place, "One **two", turn="t", handle=handle)
        assert slack.texts(CHANNEL) == ["One **two"]
        assert slack.sent("chat.startStream")[0]["recipient_user_id"] == PERSON
        assert slack.sent("chat.startStream")[0]["recipient_team_id"] == "T0HOME"
        assert slack.methods.streams
        (part,) = adapter.render(Answer("One **two** three", note=_NOTE), key="k")
        receipt = await adapter.send(place, part, replaces=handle)

        (shown,) = slack.messages(CHANNEL)
        assert shown.text == "One two three\n\n⏳ I stopped.\nRef K7Q2M"
        assert (shown.thread, shown.ts) == (root, receipt.message_id)
        assert not slack.methods.streams
        assert slack.sent("chat.update")[-1]["metadata"]["event_type"] == "lastword_part"


@pytest.mark.parametrize("second", ["something else", "On", ""])
async def test_stream_whose_text_changed_goes_on_as_an_edited_message(second: str) -> None:
    async with alone() as (adapter, slack):
        place = threaded(slack, CHAT)
        handle = await adapter.preview(place, "One", turn="t")
        assert handle.endswith("~")
        after = await adapter.preview(place, second, turn="t", handle=handle)

        assert slack.texts(CHAT) == [second or "One"]
        assert after.endswith("~") == (not second)


async def test_stream_that_ended_by_itself_goes_on_as_an_edited_message() -> None:
    async with alone() as (adapter, slack):
        place = threaded(slack, CHAT)
        handle = await adapter.preview(place, "One", turn="t")
        slack.methods.streams.clear()
        handle = await adapter.preview(place, "One two", turn="t", handle=handle)
        await asyncio.sleep(0)
        handle = await adapter.preview(place, "One two three", turn="t", handle=handle)

        assert slack.texts(CHAT) == ["One two three"]
        assert "~" not in handle


async def test_stream_of_a_process_that_died_becomes_the_answer() -> None:
    """A stream cannot be edited before it is ended; the handle says that it is one."""
    async with alone() as (adapter, slack):
        place = threaded(slack, CHAT)
        handle = await adapter.preview(place, "One", turn="t")
        following = adapter_of(slack)
        try:
            (part,) = following.render(Answer("One two"), key="k")
            await following.send(place, part, replaces=handle)
        finally:
            await following.close()

        assert slack.texts(CHAT) == ["One two"]


async def test_place_that_takes_no_streams_is_asked_once() -> None:
    async with alone() as (adapter, slack):
        slack.methods.refuses_streams = "channel_type_not_supported"
        place = threaded(slack, CHAT)
        handle = await adapter.preview(place, "One", turn="t")
        await adapter.preview(place, "Two", turn="u")

        assert "~" not in handle
        assert len(slack.sent("chat.startStream")) == 1


async def test_growing_text_in_a_private_chat_is_an_edited_message() -> None:
    async with alone() as (adapter, slack):
        handle = ""
        for count in range(1, 4):
            handle = await adapter.preview(PLACE, "word " * count, turn="t", handle=handle)
            await asyncio.sleep(0.01)

        assert len(slack.messages(CHAT)) == 1
        assert not slack.sent("chat.startStream")


@pytest.mark.parametrize("private", [True, False])
async def test_growing_text_that_is_too_long_shows_its_end_and_the_answer_is_whole(
    monkeypatch: pytest.MonkeyPatch, *, private: bool
) -> None:
    """Nothing is refused on the way, and the last state is the whole text in several messages."""
    monkeypatch.setattr("gateway_adapters.slack.previews._EVERY", 0.0)
    async with alone() as (adapter, slack):
        place = PLACE if private else threaded(slack, CHAT)
        words = [f"word{number}" for number in range(900)]
        handle = ""
        for count in range(50, 901, 50):
            handle = await adapter.preview(place, " ".join(words[:count]), turn="t", handle=handle)
        assert slack.texts(CHAT)[0].endswith("word899")
        rendered = adapter.render(Answer(" ".join(words)), key="k")
        for index, part in enumerate(rendered):
            await adapter.send(place, part, replaces=handle if index == 0 else "")

        assert " ".join(slack.texts(CHAT)).split() == words
        assert len(slack.messages(CHAT)) == len(rendered) == 2


async def test_edit_that_slack_finds_too_long_goes_as_a_new_message() -> None:
    """The preview does not stay beside it."""
    async with alone() as (adapter, slack):
        handle = await adapter.preview(PLACE, "One", turn="t")
        slack.fail("chat.update", Fault(error="msg_too_long"))
        (part,) = adapter.render(Answer("One two"), key="k")
        await adapter.send(PLACE, part, replaces=handle)

        assert slack.texts(CHAT) == ["One two"]


async def test_preview_that_somebody_deleted_does_not_take_the_answer_with_it() -> None:
    async with alone() as (adapter, slack):
        handle = await adapter.preview(PLACE, "One", turn="t")
        slack.chats.channel(CHAT).messages.clear()
        (part,) = adapter.render(Answer("One two"), key="k")
        await adapter.send(PLACE, part, replaces=handle)

        assert slack.texts(CHAT) == ["One two"]


async def test_answer_that_replaces_a_preview_plainly_leaves_nothing_of_its_blocks() -> None:
    async with alone() as (adapter, slack):
        handle = await adapter.preview(PLACE, "**One**", turn="t")
        (part,) = adapter.render(Answer("**One** two"), key="k")
        await adapter.send(PLACE, part, replaces=handle, plain=True)

        assert slack.texts(CHAT) == ["One two"]


async def test_edit_of_unknown_result_may_be_tried_again() -> None:
    async with alone() as (adapter, slack):
        handle = await adapter.preview(PLACE, "One", turn="t")
        slack.fail("chat.update", Fault(after=True, cut=True))
        (part,) = adapter.render(Answer("One two"), key="k")
        with pytest.raises(Unreachable):
            await adapter.send(PLACE, part, replaces=handle)
        await adapter.send(PLACE, part, replaces=handle)

        assert slack.texts(CHAT) == ["One two"]


async def test_retracted_stream_is_gone() -> None:
    async with alone() as (adapter, slack):
        place = threaded(slack, CHAT)
        handle = await adapter.preview(place, "One", turn="t")
        await adapter.retract(place, handle)
        await adapter.retract(place, handle)

        assert slack.messages(CHAT) == []
        assert not slack.methods.streams
