"""Sends, previews and presses of the adapter, and what the library's errors become."""

from __future__ import annotations

import asyncio
import logging

import pytest

from gateway.errors import (
    AdapterError,
    DeadTarget,
    Moved,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway.messages import Action, Answer, Inbound, Part, Person, Place
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.telegram.alone import CHAT, GROUP, adapter_of, alone

PLACE = Place(str(CHAT))
TOPIC = Place(str(GROUP), "36", private=False)
OPEN = Place(str(GROUP), private=False)
PART = Part("p", {"text": "hello"}, {"text": "hello"})


def _limit(seconds: int) -> Fault:
    return Fault(status=429, description=f"Too Many Requests: retry after {seconds}", retry_after=seconds)


async def test_edit_turns_the_preview_into_the_answer() -> None:
    async with alone() as (adapter, tg):
        posted = await adapter.send(PLACE, Part("p", {"text": "hel"}))

        receipt = await adapter.send(PLACE, PART, replaces=posted.message_id)

        assert receipt.message_id == posted.message_id
        assert tg.texts(CHAT) == ["hello"]


async def test_edit_that_changes_nothing_is_done() -> None:
    async with alone() as (adapter, tg):
        posted = await adapter.send(PLACE, PART)

        receipt = await adapter.send(PLACE, PART, replaces=posted.message_id)

        assert receipt.message_id == posted.message_id
        assert tg.texts(CHAT) == ["hello"]


async def test_answer_is_posted_anew_when_its_preview_is_gone() -> None:
    async with alone() as (adapter, tg):
        receipt = await adapter.send(PLACE, PART, replaces="999")

        assert [str(shown.id) for shown in tg.messages(CHAT)] == [receipt.message_id]


async def test_edit_without_an_answer_may_be_tried_again() -> None:
    """Done twice is done once; nothing is uncertain about it."""
    async with alone() as (adapter, tg):
        posted = await adapter.send(PLACE, Part("p", {"text": "hel"}))
        tg.fail("editMessageText", Fault(after=True, cut=True))

        with pytest.raises(Unreachable):
            await adapter.send(PLACE, PART, replaces=posted.message_id)
        await adapter.send(PLACE, PART, replaces=posted.message_id)

        assert tg.texts(CHAT) == ["hello"]


async def test_topic_that_is_gone_does_not_take_the_answer_with_it() -> None:
    async with alone() as (adapter, tg):
        await adapter.send(TOPIC, PART)

        assert [(shown.text, shown.thread) for shown in tg.messages(GROUP)] == [("hello", None)]


async def test_topic_that_exists_gets_the_answer_and_the_typing() -> None:
    async with alone() as (adapter, tg):
        tg.chats.topics.add((GROUP, 36))

        await adapter.typing(TOPIC)
        await adapter.send(TOPIC, PART)

        assert tg.messages(GROUP)[0].thread == 36
        assert tg.typing[GROUP] == 1
        assert int(tg.sent("sendChatAction")[0]["message_thread_id"]) == 36


@pytest.mark.parametrize("extra", [{"allow_sending_without_reply": True}, {}])
async def test_message_answered_to_may_be_gone(extra: dict[str, bool]) -> None:
    async with alone() as (adapter, tg):
        await adapter.send(PLACE, Part("p", {"text": "x", "reply_parameters": {"message_id": 77, **extra}}))

        assert tg.texts(CHAT) == ["x"]


async def test_button_of_full_length_is_taken() -> None:
    action = Action("continue", "t" * 48, "Continue")
    async with alone() as (adapter, tg):
        (part,) = adapter.render(Answer("x", actions=(action,)), key="k")

        await adapter.send(PLACE, part)

        assert tg.messages(CHAT)[0].buttons == [[{"text": "Continue", "callback_data": "t" * 48}]]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (_limit(149), RateLimited),
        (Fault(status=429, description="Too Many Requests"), RateLimited),
        (Fault(status=403, description="Forbidden: bot was kicked from the supergroup chat"), DeadTarget),
        (Fault(status=400, description="Bad Request: chat not found"), DeadTarget),
        (Fault(status=400, description="Bad Request: need administrator rights in the channel"), DeadTarget),
        (Fault(status=400, description="Bad Request: message is too long"), Rejected),
        (Fault(status=404, description="Not Found"), Unauthorised),
        (Fault(status=401, description="Unauthorized"), Unauthorised),
        (Fault(status=500), Uncertain),
        (Fault(status=502, description="Bad Gateway"), Uncertain),
        (Fault(status=504, description="Gateway Timeout"), Uncertain),
        (Fault(status=418, description="I'm a teapot"), Uncertain),
        (Fault(body=b"<html>"), Uncertain),
        (Fault(body=b"{}"), Uncertain),
        (Fault(status=400, body=b"[]"), Uncertain),
        (Fault(status=502, body=b"<html>bad gateway</html>"), Uncertain),
    ],
    ids=lambda value: f"{value.status}-{value.body!r}" if isinstance(value, Fault) else "",
)
async def test_answer_of_the_server_becomes_our_error(fault: Fault, error: type[AdapterError]) -> None:
    async with alone() as (adapter, tg):
        tg.fail("sendMessage", fault)

        with pytest.raises(AdapterError) as caught:
            await adapter.send(PLACE, PART)

    assert type(caught.value) is error


async def test_group_whose_new_id_is_refused_too_says_where_it_went() -> None:
    """A ring, which no platform makes: it ends."""
    fault = Fault(status=400, description="Bad Request: group chat was upgraded", migrate_to=-100_777)
    async with alone() as (adapter, tg):
        tg.fail("sendMessage", *[fault] * 9)

        with pytest.raises(Moved) as caught:
            await adapter.send(OPEN, PART)

    assert caught.value.chat == "-100777"
    assert len(tg.sent("sendMessage")) < 6


async def test_answer_that_takes_too_long_is_uncertain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.api._READ", 0.1)
    hold = asyncio.Event()
    async with alone() as (adapter, tg):
        tg.fail("sendMessage", Fault(hold=hold, passes=True))

        with pytest.raises(Uncertain):
            await adapter.send(PLACE, PART)
        hold.set()


async def test_no_place_in_the_pool_is_certainly_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.api._POOL", 0.1)
    monkeypatch.setattr("gateway_adapters.telegram.api._SENDS", 1)
    hold = asyncio.Event()
    async with alone() as (adapter, tg):
        tg.fail("sendMessage", Fault(hold=hold, passes=True))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(adapter.send(PLACE, PART))
            await tg.until(lambda: tg.sent("sendMessage"))
            with pytest.raises(Unreachable):
                await adapter.send(PLACE, PART)
            hold.set()

        assert len(tg.messages(CHAT)) == 1


async def test_text_that_cannot_be_encoded_is_refused_not_tried_for_ever() -> None:
    async with alone() as (adapter, _):
        with pytest.raises(Rejected):
            await adapter.send(PLACE, Part("p", {"text": "half \ud83d"}))


async def test_closed_adapter_certainly_sends_nothing() -> None:
    async with alone() as (adapter, _):
        await adapter.close()

        with pytest.raises(Unreachable):
            await adapter.send(PLACE, PART)


async def test_token_is_masked_in_what_the_http_clients_log(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever level an operator turns on, directly and through a proxy."""
    async with TelegramEmulator() as tg:
        tg.chats.known.add(CHAT)
        direct, proxied = adapter_of(tg), adapter_of(tg, proxy=tg.base)
        for name in ("aiohttp.client", "httpx", "httpcore.http11"):
            caplog.set_level(logging.DEBUG, name)

        for adapter in (direct, proxied):
            await adapter.send(PLACE, PART)
            await adapter.close()

        lines = [record.getMessage() for record in caplog.records]
        assert any("HTTP Request" in line for line in lines)
        assert [line for line in lines if tg.token.partition(":")[2] in line] == []


async def test_bot_behind_a_proxy_sends_through_it() -> None:
    """The proxy is the emulator, which knows no other address; the server that is named is not there."""
    async with TelegramEmulator() as tg:
        tg.chats.known.add(CHAT)
        adapter = adapter_of(tg, proxy=tg.base, api_base="http://telegram.invalid")
        await adapter.send(PLACE, PART)
        await adapter.close()

        assert tg.texts(CHAT) == ["hello"]


async def test_bot_takes_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with TelegramEmulator() as tg:
        tg.chats.known.add(CHAT)
        monkeypatch.setenv("http_proxy", tg.base)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        adapter = adapter_of(tg, api_base="http://telegram.invalid")
        await adapter.send(PLACE, PART)
        await adapter.close()

        assert tg.texts(CHAT) == ["hello"]


async def test_draft_grows_in_a_private_chat_and_leaves_nothing_to_edit() -> None:
    async with alone() as (adapter, tg):
        handles = [await adapter.preview(PLACE, text, turn="t1") for text in ("Hel", "Hello")]
        await adapter.preview(PLACE, "Other", turn="t2")

        drafts = [int(call["draft_id"]) for call in tg.sent("sendMessageDraft")]
        assert handles == ["", ""]
        assert tg.drafts[CHAT] == ["Hel", "Hello", "Other"]
        assert drafts[0] == drafts[1] != drafts[2]
        assert all(0 < draft < 2**31 for draft in drafts)
        assert tg.messages(CHAT) == []


async def test_server_without_drafts_is_asked_once() -> None:
    async with alone() as (adapter, tg):
        tg.without("sendMessageDraft")
        await adapter.probe()

        handles = [await adapter.preview(PLACE, text, turn="t") for text in ("a", "ab", "abc")]

        assert handles == ["", "", ""]
        assert len(tg.sent("sendMessageDraft")) == 1


async def test_draft_that_is_refused_once_is_tried_again() -> None:
    async with alone() as (adapter, tg):
        tg.fail("sendMessageDraft", Fault(status=400, description="Bad Request: whatever"))
        with pytest.raises(Rejected):
            await adapter.preview(PLACE, "a", turn="t")

        await adapter.preview(PLACE, "ab", turn="t")

        assert tg.drafts[CHAT] == ["ab"]


async def test_message_grows_in_a_group_without_a_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.previews._GROUP_EVERY", 0.0)
    async with alone() as (adapter, tg):
        handle = await adapter.preview(OPEN, "Hel", turn="t")
        again = await adapter.preview(OPEN, "Hello", turn="t", handle=handle)
        same = await adapter.preview(OPEN, "Hello", turn="t", handle=handle)

        assert handle == again == same != ""
        assert tg.texts(GROUP) == ["Hello"]
        assert tg.messages(GROUP)[0].silent


async def test_group_is_not_edited_more_often_than_it_may() -> None:
    async with alone() as (adapter, tg):
        handle = await adapter.preview(OPEN, "Hel", turn="t")

        assert await adapter.preview(OPEN, "Hello", turn="t", handle=handle) == handle
        assert tg.sent("editMessageText") == []


async def test_preview_pings_nobody_and_fits() -> None:
    async with alone() as (adapter, tg):
        await adapter.preview(OPEN, "word " * 2000 + "@everybody 😀", turn="t")

        text = tg.texts(GROUP)[0]
        assert text.startswith("…")
        assert text.endswith("😀")
        assert "@everybody" not in text
        assert len(text.encode("utf-16-le")) // 2 <= 4096


async def test_nothing_to_show_is_not_shown() -> None:
    async with alone() as (adapter, tg):
        assert await adapter.preview(OPEN, " \n", turn="t") == ""
        assert tg.sent("sendMessage") == []


async def test_preview_waits_while_the_answer_is_on_its_way() -> None:
    hold = asyncio.Event()
    async with alone() as (adapter, tg):
        tg.fail("sendMessage", Fault(hold=hold, passes=True))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(adapter.send(PLACE, PART))
            await tg.until(lambda: tg.sent("sendMessage"))
            await adapter.preview(PLACE, "late", turn="t")
            hold.set()

        assert tg.drafts[CHAT] == []
        await adapter.preview(PLACE, "next turn", turn="t2")
        assert tg.drafts[CHAT] == ["next turn"]


async def test_previews_pause_for_as_long_as_an_answer_must_wait() -> None:
    async with alone() as (adapter, tg):
        tg.fail("sendMessage", _limit(149))
        with pytest.raises(RateLimited) as caught:
            await adapter.send(PLACE, PART)

        await adapter.preview(PLACE, "a", turn="t")

        assert caught.value.retry_after == 149
        assert tg.sent("sendMessageDraft") == []


async def test_previews_pause_for_as_long_as_a_preview_must_wait() -> None:
    async with alone() as (adapter, tg):
        tg.fail("sendMessageDraft", _limit(30))
        with pytest.raises(RateLimited):
            await adapter.preview(PLACE, "a", turn="t")

        await adapter.preview(PLACE, "ab", turn="t")

        assert len(tg.sent("sendMessageDraft")) == 1


async def test_preview_is_taken_back() -> None:
    async with alone() as (adapter, tg):
        handle = await adapter.preview(OPEN, "Hel", turn="t")

        await adapter.retract(OPEN, handle)
        await adapter.retract(OPEN, handle)

        assert tg.messages(GROUP) == []


async def test_press_is_answered_within_its_limit_and_once() -> None:
    async with alone() as (adapter, tg):
        query = tg.press_data(CHAT, 1, "token")
        inbound = Inbound("action", PLACE, Person("1"), press=query)

        await adapter.answer_press(inbound, "😀" * 300)
        with pytest.raises(Rejected):
            await adapter.answer_press(inbound)

        assert tg.pressed[query] == "😀" * 200


async def test_person_who_blocked_the_bot_is_a_dead_target_and_returns() -> None:
    async with alone() as (adapter, tg):
        tg.blocked.add(CHAT)
        with pytest.raises(DeadTarget):
            await adapter.send(PLACE, PART)
        tg.blocked.clear()

        await adapter.send(PLACE, PART)

        assert tg.texts(CHAT) == ["hello"]


async def test_probe_tells_who_and_what_is_read() -> None:
    async with alone() as (adapter, _):
        facts = await adapter.probe()

    assert facts["name"] == "@emulated_bot"
    assert "mentions" in facts["reads in groups"]
