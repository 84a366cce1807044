"""How fast the bot speaks, against a Telegram that refuses who speaks faster."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from gateway.errors import AdapterError, RateLimited
from gateway.messages import Action, Answer, Inbound, Part, Person, Place
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.telegram.alone import CHAT, GROUP, UNPACED, alone
from tests.integration.telegram.scene import config

PART = Part("p", {"text": "hello"}, {"text": "hello"})
OPEN = Place(str(GROUP), private=False)
PLACE = Place(str(CHAT))


async def test_sixty_people_are_answered_at_once_and_telegram_refuses_nothing() -> None:
    async with alone() as (adapter, tg):
        tg.flood.on = True
        chats = range(50_000, 50_060)
        tg.chats.known |= set(chats)
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for chat in chats:
                group.create_task(adapter.typing(Place(str(chat))))
                group.create_task(adapter.preview(Place(str(chat)), "hel", turn=str(chat)))
                group.create_task(adapter.send(Place(str(chat)), PART))

        assert [tg.texts(chat) for chat in chats] == [["hello"]] * 60
        assert tg.flood.refused == []
        assert time.monotonic() - began < 4.0


async def test_flooded_group_is_put_off_and_holds_up_nobody() -> None:
    async with alone() as (adapter, tg):
        tg.flood.on = True
        waits: list[float] = []
        for _ in range(30):
            try:
                await adapter.send(OPEN, PART)
            except RateLimited as exc:
                waits.append(exc.retry_after)
        began = time.monotonic()
        for chat in (CHAT, -100_501):
            tg.chats.known.add(chat)
            await adapter.send(Place(str(chat), private=chat > 0), PART)

        assert (len(tg.texts(GROUP)), len(waits)) == (20, 10)
        assert all(30.0 < wait <= 61.0 for wait in waits)
        assert (tg.texts(CHAT), tg.texts(-100_501)) == (["hello"], ["hello"])
        assert tg.flood.refused == []
        assert time.monotonic() - began < 1.0


async def test_person_who_gets_very_much_gets_it_in_order_and_telegram_refuses_nothing() -> None:
    async with alone() as (adapter, tg):
        tg.flood.on = True
        for number in range(11):
            await adapter.send(PLACE, Part(f"p{number}", {"text": str(number)}))

        assert tg.texts(CHAT) == [str(number) for number in range(11)]
        assert tg.flood.refused == []


async def test_long_answer_leaves_at_once() -> None:
    async with alone() as (adapter, tg):
        tg.flood.on = True
        began = time.monotonic()
        for part in adapter.render(Answer("word " * 6000), key="k"):
            await adapter.send(PLACE, part)

        assert len(tg.texts(CHAT)) == 8
        assert tg.flood.refused == []
        assert time.monotonic() - began < 2.0


async def test_press_and_button_are_answered_in_the_middle_of_a_flood() -> None:
    async with alone() as (adapter, tg):
        for chat in range(50_000, 50_030):
            tg.chats.known.add(chat)
            await adapter.send(Place(str(chat)), PART)
        query = tg.press_data(CHAT, 1, "token")
        began = time.monotonic()

        await adapter.answer_press(Inbound("action", PLACE, Person("1"), press=query), "Working on it")

        assert tg.pressed == {query: "Working on it"}
        assert time.monotonic() - began < 0.5


async def test_chat_that_telegram_slows_down_is_not_asked_again_too_early() -> None:
    async with alone() as (adapter, tg):
        limit = Fault(status=429, description="Too Many Requests: retry after 30", retry_after=30)
        tg.fail("sendMessage", limit)
        waits: list[float] = []
        for _ in range(2):
            with pytest.raises(RateLimited) as caught:
                await adapter.send(PLACE, PART)
            waits.append(caught.value.retry_after)
        await adapter.typing(PLACE)

        assert waits[0] == 30.0
        assert 29.0 < waits[1] <= 30.0
        assert [method for method, _ in tg.calls] == ["sendmessage"]


async def test_slow_previews_take_no_connection_from_answers() -> None:
    hold = asyncio.Event()
    async with alone(rates=UNPACED) as (adapter, tg):
        tg.fail("sendMessageDraft", *(Fault(hold=hold, passes=True) for _ in range(10)))
        chats = range(50_000, 50_010)
        tg.chats.known |= set(chats)
        shown = [asyncio.create_task(adapter.preview(Place(str(chat)), "h", turn="t")) for chat in chats]
        await tg.until(lambda: len(tg.sent("sendMessageDraft")) == 4)

        await adapter.send(PLACE, PART)
        hold.set()
        ends = await asyncio.gather(*shown, return_exceptions=True)

        assert tg.texts(CHAT) == ["hello"]
        assert all(end == "" or isinstance(end, AdapterError) for end in ends)


async def test_used_buttons_are_taken_off_once() -> None:
    action = Action("continue", "token", "Continue")
    async with alone() as (adapter, tg):
        (part,) = adapter.render(Answer("Go on?", actions=(action,)), key="k")
        receipt = await adapter.send(PLACE, part)

        for _ in range(2):
            await adapter.disarm(PLACE, receipt.message_id)
        await adapter.disarm(PLACE, "999")
        await adapter.disarm(PLACE, "")

        (shown,) = tg.messages(CHAT)
        assert (shown.text, shown.buttons) == ("Go on?", [])


async def test_button_under_a_message_that_is_gone_is_no_fault_and_another_refusal_is() -> None:
    async with alone() as (adapter, tg):
        tg.fail("editMessageReplyMarkup", Fault(status=400, description="Bad Request: whatever"))

        with pytest.raises(AdapterError):
            await adapter.disarm(PLACE, "1")


async def test_answer_that_must_wait_for_long_is_put_off_and_arrives(tmp_path: Path) -> None:
    """In the outbox, where it holds up nobody and outlives the process."""
    async with TelegramEmulator() as tg:
        scene = config(tg, script='\n      - {when: "*", say: "hello"}\n')
        scene = scene.replace("chat: 0", "chat: 0.3")
        async with running(tmp_path, scene):
            for _ in range(9):
                tg.say("hi")
            await tg.until(lambda: len(tg.messages(CHAT)) == 8)
            tg.say("hi", chat=CHAT + 1)
            await tg.until(lambda: tg.messages(CHAT + 1))
            assert len(tg.messages(CHAT)) == 8

            await tg.until(lambda: len(tg.messages(CHAT)) == 9)
        assert tg.texts(CHAT) == ["hello"] * 9
