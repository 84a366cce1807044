"""What the Telegram adapter owes both sides: nothing lost, nothing twice, nothing told that is secret."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

import pytest

from gateway.abc.adapter import Adapter
from gateway.errors import AdapterError, Rejected, Uncertain
from gateway.messages import Answer, Event, Place
from gateway.testing.context import FakeAdapterContext, HurriedClock
from gateway.testing.watching import listening
from gateway_adapters.telegram.adapter import create
from gateway_adapters.telegram.options import Options
from tests.emulators.telegram import TOKEN, Fault, TelegramEmulator
from tests.integration.telegram.alone import CHAT, GROUP, UNPACED, adapter_of, alone

_OPEN = Place(str(GROUP), private=False)
_LIBRARIES = ("telegram", "httpx", "httpcore", "asyncio")


class _HeldContext(FakeAdapterContext):
    """A store that takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        self.asked.set()
        await self.go_on.wait()
        return await super().accept(events)


async def test_nothing_is_confirmed_and_no_poll_begun_while_the_store_is_at_work() -> None:
    async with alone() as (adapter, tg):
        tg.say("keep me")
        context = _HeldContext()
        async with listening(adapter, context):
            await context.asked.wait()
            await asyncio.sleep(0.05)
            assert (tg.unconfirmed, len(tg.sent("getUpdates"))) == (1, 1)

            context.go_on.set()
            await context.until(lambda: tg.unconfirmed == 0)

        assert [inbound.text for inbound in context.inbounds] == ["keep me"]


async def test_run_that_ends_between_commit_and_confirmation_leads_to_no_second_message() -> None:
    async with alone() as (adapter, tg), _another(tg) as successor:
        context = FakeAdapterContext()
        tg.fail("getUpdates", Fault(passes=True), Fault(hold=asyncio.Event()))
        tg.say("once")
        async with listening(adapter, context):
            await tg.until(lambda: len(tg.sent("getUpdates")) == 2)
        assert (len(context.inbounds), tg.unconfirmed) == (1, 1)

        tg.say("next")
        async with listening(successor, context):
            await context.until(lambda: tg.unconfirmed == 0)

        assert [inbound.text for inbound in context.inbounds] == ["once", "next"]
        assert len(context.events) == 3


async def test_cancellation_while_the_store_is_at_work_ends_the_run_and_confirms_nothing() -> None:
    async with alone() as (adapter, tg):
        tg.say("keep me")
        context = _HeldContext()
        task = asyncio.create_task(adapter.run(context))
        await context.asked.wait()

        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=1.0)

        assert done == {task}
        assert task.cancelled()
        assert tg.unconfirmed == 1


async def test_two_updates_with_one_id_are_one_message() -> None:
    async with alone() as (adapter, tg):
        for _ in range(2):
            tg.push({"update_id": 700_000_500, "message": _message(7, "one")})
        tg.push({"message": _message(8, "two")})

        async with listening(adapter) as context:
            await context.until(lambda: len(context.inbounds) == 2)

        assert [inbound.text for inbound in context.inbounds] == ["one", "two"]


async def test_one_message_under_two_ids_is_one_message_and_another_chats_is_not() -> None:
    """Message ids count within a chat, and Telegram may number updates anew."""
    async with alone() as (adapter, tg):
        tg.push({"message": _message(7, "mine")})
        tg.push({"message": _message(7, "mine")})
        tg.push({"message": _message(7, "theirs", chat=4712)})

        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        assert [inbound.text for inbound in context.inbounds] == ["mine", "theirs"]


async def test_updates_of_the_last_day_are_heard_after_a_long_stop() -> None:
    """Telegram keeps nothing longer."""
    async with alone() as (adapter, tg):
        tg.say("too old")
        tg.updates.age(86_000)
        tg.say("old enough")
        tg.updates.age(500)

        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0)

        assert [inbound.text for inbound in context.inbounds] == ["old enough"]


async def test_album_is_one_message_for_each_picture() -> None:
    async with alone() as (adapter, tg):
        for number, caption in enumerate(("Which one?", "", "")):
            photo = [{"file_id": f"{size}{number}", "file_unique_id": f"u{number}"} for size in ("s", "l")]
            more: dict[str, Any] = {"caption": caption} if caption else {}
            message = _message(20 + number, photo=photo, media_group_id="1", **more)
            tg.push({"message": message})

        async with listening(adapter) as context:
            await context.until(lambda: len(context.inbounds) == 3)

        assert [inbound.text for inbound in context.inbounds] == ["Which one?", "", ""]
        assert [inbound.attachments[0].id for inbound in context.inbounds] == ["l0", "l1", "l2"]
        assert {inbound.album for inbound in context.inbounds} == {"1"}


async def test_press_under_a_message_telegram_no_longer_shows_is_heard_and_answered() -> None:
    async with alone() as (adapter, tg):
        person = {"id": CHAT, "is_bot": False, "first_name": "Ada"}
        shown = {"chat": {"id": CHAT, "type": "private"}, "message_id": 3, "date": 0}
        tg.chats.queries.add("q1")
        tg.push({"callback_query": {"id": "q1", "from": person, "message": shown, "data": "token"}})

        async with listening(adapter) as context:
            await context.until(lambda: context.inbounds)
            (inbound,) = context.inbounds
            await adapter.answer_press(inbound, "Working on it")

        assert (inbound.kind, inbound.action, inbound.place) == ("action", "token", Place(str(CHAT)))
        assert tg.pressed == {"q1": "Working on it"}


async def test_ids_of_64_bits_pass_both_ways() -> None:
    person, group = 2**52 - 1, -1_009_999_999_999_999
    async with alone() as (adapter, tg):
        tg.say("hello", chat=person)
        tg.say("@emulated_bot hello", chat=group, user=person)

        async with listening(adapter) as context:
            await context.until(lambda: len(context.inbounds) == 2)
            for number, inbound in enumerate(context.inbounds):
                (part,) = adapter.render(Answer("hi"), key=f"k{number}")
                await adapter.send(inbound.place, part)

        assert (tg.texts(person), tg.texts(group)) == (["hi"], ["hi"])
        assert {inbound.sender.id for inbound in context.inbounds} == {str(person)}


async def test_many_chats_are_answered_at_once() -> None:
    """More sends than connections wait for one; none is lost, and none is sent twice."""
    async with alone(rates=UNPACED) as (adapter, tg):
        chats = range(50_000, 50_300)
        tg.chats.known |= set(chats)
        (part,) = adapter.render(Answer("hi"), key="k")

        async with asyncio.TaskGroup() as group:
            for chat in chats:
                group.create_task(adapter.send(Place(str(chat)), part))

        assert [tg.texts(chat) for chat in chats] == [["hi"]] * len(chats)


async def test_rate_limit_of_one_chat_holds_up_no_other() -> None:
    async with alone() as (adapter, tg):
        (part,) = adapter.render(Answer("hi"), key="k")
        tg.fail("sendMessage", Fault(status=429, description="Too Many Requests", retry_after=30))
        with pytest.raises(AdapterError):
            await adapter.send(Place(str(CHAT)), part)

        await adapter.send(_OPEN, part)

        assert tg.texts(GROUP) == ["hi"]


async def test_preview_that_may_not_be_removed_is_told() -> None:
    async with alone() as (adapter, tg):
        handle = await adapter.preview(_OPEN, "Hel", turn="t")
        tg.fail("deleteMessage", Fault(status=400, description="Bad Request: message can't be deleted"))

        with pytest.raises(Rejected):
            await adapter.retract(_OPEN, handle)


async def test_preview_that_shows_the_same_already_is_no_fault_and_another_refusal_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.previews._GROUP_EVERY", 0.0)
    async with alone() as (adapter, tg):
        handle = await adapter.preview(_OPEN, "Hel", turn="t")

        assert await adapter.preview(_OPEN, "Hel", turn="t", handle=handle) == handle
        tg.fail("editMessageText", Fault(status=400, description="Bad Request: message to edit not found"))
        with pytest.raises(Rejected):
            await adapter.preview(_OPEN, "Hello", turn="t", handle=handle)


async def test_probe_of_what_is_no_bot_api_says_so() -> None:
    async with alone() as (adapter, tg):
        tg.fail("getMe", Fault(body=b'{"ok": true, "result": []}'))

        with pytest.raises(Uncertain, match="Bot API"):
            await adapter.probe()


async def test_updates_without_any_id_are_kept_and_asked_for_ever_more_slowly() -> None:
    """Nothing can confirm them, so that nothing may spin on them."""
    async with alone() as (adapter, tg):
        tg.push(["no", "object"])
        clock = HurriedClock()

        async with listening(adapter, FakeAdapterContext(clock=clock)) as context:
            await context.until(lambda: len(clock.sleeps) >= 3)

        assert len(context.events) >= 3
        assert clock.sleeps[0] < clock.sleeps[2]
        assert tg.unconfirmed == 1


def test_telegram_needs_no_route() -> None:
    options = Options.model_validate({"token": TOKEN})

    assert create(options, bot="b").routes() == ()


async def test_token_stands_in_no_line_of_a_whole_life_however_much_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Everything the libraries can say, from the first poll to the last fault."""
    async with alone() as (adapter, tg):
        with _everything_logged(caplog):
            tg.fail("getUpdates", Fault(cut=True), Fault(status=502), Fault(body=b"<html>"))
            tg.fail(
                "sendMessage", Fault(status=400), Fault(cut=True), Fault(body=b"<html>"), Fault(status=403)
            )
            async with listening(adapter) as context:
                tg.say("hello")
                await context.until(lambda: context.inbounds)
                (part,) = adapter.render(Answer("hi"), key="k")
                for _ in range(5):
                    with suppress(AdapterError):
                        await adapter.send(Place(str(CHAT)), part)
                await adapter.preview(Place(str(CHAT)), "h", turn="t")
            await adapter.close()

        told = [record.getMessage() + str(record.exc_text or "") for record in caplog.records]
        told += [repr(line) for line in context.log.lines] + [repr(adapter), repr(context.reports)]
        secret = tg.token.partition(":")[2]
        assert len(caplog.records) > 10
        assert [line for line in told if secret in line] == []


@asynccontextmanager
async def _another(tg: TelegramEmulator) -> AsyncGenerator[Adapter]:
    """The same bot in the process that comes after."""
    adapter = adapter_of(tg)
    try:
        yield adapter
    finally:
        await adapter.close()


@contextmanager
def _everything_logged(caplog: pytest.LogCaptureFixture) -> Generator[None]:
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LIBRARIES]
    with ExitStack() as levels:
        for name in ("", *_LIBRARIES, *names):
            levels.enter_context(caplog.at_level(logging.DEBUG, name or None))
        yield


def _message(number: int, text: str = "", *, chat: int = CHAT, **more: Any) -> dict[str, Any]:
    person = {"id": chat, "is_bot": False, "first_name": "Ada"}
    said = {"text": text} if text else {}
    return {
        "message_id": number,
        "date": 1,
        "chat": {"id": chat, "type": "private"},
        "from": person,
        **said,
        **more,
    }
