"""Edits, and the bot's own place in chats."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.errors import DeadTarget
from gateway.messages import Part, Place
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.integration.telegram.alone import CHAT, GROUP, alone

PART = Part("p", {"text": "hello"}, {"text": "hello"})


async def test_edit_is_told_as_one() -> None:
    async with alone() as (adapter, tg):
        message = tg.say("one")
        tg.edit(message, "two", at=1_796_000_060)
        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        first, edit = context.inbounds
        assert (first.kind, edit.kind, edit.text, edit.command) == ("message", "edit", "two", "")
        assert (edit.message_id, edit.at, edit.place) == (first.message_id, 1_796_000_060, first.place)


async def test_edits_of_one_second_are_told_apart_and_repetitions_are_not() -> None:
    async with alone() as (adapter, tg):
        message = tg.say("one")
        for text in ("two", "three", "three"):
            tg.edit(message, text, at=1_796_000_060)
        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        assert [one.text for one in context.inbounds] == ["one", "two", "three"]


async def test_edit_that_is_delivered_again_after_a_restart_is_one() -> None:
    context = FakeAdapterContext()
    async with alone() as (adapter, tg):
        for number in (1, 2):
            tg.edit(77, "two", at=1_796_000_060)
            async with listening(adapter, context):
                await context.until(lambda: tg.unconfirmed == 0)
            assert len(context.inbounds) == 1, number


@pytest.mark.parametrize(
    "said", ["hello", "/ask what is new", "see [this]"], ids=["text", "command", "brackets"]
)
async def test_edit_that_changes_nothing_a_person_reads_is_dropped(said: str) -> None:
    """Telegram reports one, too, when it found a picture for a link."""
    async with alone() as (adapter, tg):
        message = tg.say(said)
        marks = [{"type": "bot_command", "offset": 0, "length": 4}] if said.startswith("/") else []
        tg.edit(message, said, link_preview_options={"url": "https://x.example"}, entities=marks)
        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        assert [event.dropped for event in context.events] == ["", "unchanged"]


async def test_edit_that_changes_nothing_is_dropped_when_the_store_refused_it_first() -> None:
    """And one that changes something is not taken for known because it came before in vain."""
    async with alone() as (adapter, tg):
        message = tg.say("one")
        tg.edit(message, "two")
        async with listening(adapter, FakeAdapterContext(refusals=2)) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        assert [one.text for one in context.inbounds] == ["one", "two"]


async def test_words_of_many_messages_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.reception._REMEMBERED", 5)
    async with alone() as (adapter, tg):
        messages = [tg.say(f"m{number}") for number in range(10)]
        tg.edit(messages[0], "m0")
        tg.edit(messages[9], "m9")
        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        assert [event.dropped for event in context.events[10:]] == ["unchanged", "unchanged"]
        tg.edit(messages[0], "m0")
        tg.edit(messages[9], "m9")
        async with listening(adapter) as later:
            await later.until(lambda: tg.unconfirmed == 0)
        assert [event.dropped for event in later.events] == ["", ""]


@pytest.mark.parametrize(
    ("chat", "status"), [(CHAT, "kicked"), (GROUP, "kicked"), (GROUP, "left"), (GROUP, "restricted")]
)
async def test_place_of_the_bot_in_a_chat_is_logged(chat: int, status: str) -> None:
    async with alone() as (adapter, tg):
        tg.member(chat, status)
        async with listening(adapter) as context:
            await context.until(lambda: context.events)

        values: dict[str, Any] = {"chat": str(chat), "private": chat > 0, "before": "member", "now": status}
        assert ("info", "adapter.membership_changed", values) in context.log.lines
        assert context.events[0].dropped == "membership"


@pytest.mark.parametrize("chat", [CHAT, GROUP])
async def test_chat_that_shut_the_bot_out_is_dead_until_it_is_let_in_again(chat: int) -> None:
    place = Place(str(chat), private=chat > 0)
    async with alone() as (adapter, tg):
        tg.member(chat, "kicked")
        async with listening(adapter) as context:
            await context.until(lambda: context.events)
            with pytest.raises(DeadTarget):
                await adapter.send(place, PART)

            tg.member(chat, "member")
            tg.say("@emulated_bot back again", chat=chat, user=1)
            await context.until(lambda: context.inbounds)
            await adapter.send(context.inbounds[0].place, PART)

        assert tg.texts(chat) == ["hello"]


async def test_link_that_adds_the_bot_to_a_group_carries_its_payload() -> None:
    """`https://t.me/BOT?startgroup=PAYLOAD`."""
    async with alone() as (adapter, tg):
        tg.say("/start@emulated_bot invite-42", chat=GROUP, user=1)
        tg.say("/start@other_bot invite-42", chat=GROUP, user=1)
        tg.say("/start invite-43", chat=CHAT)
        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        told = [(one.command, one.text, one.place.private, one.addressed) for one in context.inbounds]
        assert told == [("start", "invite-42", False, True), ("start", "invite-43", True, True)]
