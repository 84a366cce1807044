"""Faults that people reported of chat gateways, as they happen on the wire of this one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.errors import AdapterError, RateLimited, Rejected
from gateway.messages import Answer, Part, Place
from tests.emulators.telegram import Fault
from tests.integration.telegram.alone import CHAT, GROUP, UNPACED, alone
from tests.integration.telegram.scene import telegram_bot

PLACE = Place(str(CHAT))
OPEN = Place(str(GROUP), private=False)
_REFUSED = Fault(status=400, description="Bad Request: can't parse entities: unsupported start tag")


async def test_refused_chunk_alone_goes_plainly_and_the_others_keep_their_looks() -> None:
    async with alone() as (adapter, tg):
        parts = adapter.render(Answer("**bold** word " * 900), key="k")
        tg.fail("sendMessage", Fault(passes=True), _REFUSED)
        for part in parts:
            try:
                await adapter.send(PLACE, part)
            except Rejected:
                await adapter.send(PLACE, part, plain=True)

        assert [bool(shown.entities) for shown in tg.messages(CHAT)] == [True, False, True]
        assert " ".join(tg.texts(CHAT)).split() == ["bold", "word"] * 900


@pytest.mark.parametrize("before", range(4080, 4100))
async def test_looks_that_straddle_the_end_of_a_message_go_on_in_the_next(before: int) -> None:
    async with alone() as (adapter, tg):
        for part in adapter.render(Answer(f"{'a' * before} **{'b' * 40}**"), key="k"):
            await adapter.send(PLACE, part)

        bold = sum(
            entity["length"]
            for shown in tg.messages(CHAT)
            for entity in shown.entities
            if entity["type"] == "bold"
        )
        assert bold == 40
        assert len(tg.sent("sendMessage")) == 2


@pytest.mark.parametrize("said", ["use `_` and *", "a_b*c[d](e", "5 * 3 < 7 & 2 > 1", "**", "~~~", "\\"])
async def test_unbalanced_marks_arrive_as_text(said: str) -> None:
    async with alone() as (adapter, tg):
        for part in adapter.render(Answer(said), key="k"):
            await adapter.send(PLACE, part)

        assert all("Bad Request" not in text for text in tg.texts(CHAT))
        assert len(tg.sent("sendMessage")) == len(tg.messages(CHAT))


async def test_edits_that_are_limited_pause_and_the_final_waits_its_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.previews._GROUP_EVERY", 0.0)
    limits = [
        Fault(status=429, description=f"Too Many Requests: retry after {wait}", retry_after=wait)
        for wait in (30, 149)
    ]
    async with alone(rates=UNPACED) as (adapter, tg):
        handle = await adapter.preview(OPEN, "0", turn="t")
        tg.fail("editMessageText", *(Fault(passes=True) for _ in range(4)), *limits)
        for number in range(1, 5):
            await adapter.preview(OPEN, "0" * (number + 1), turn="t", handle=handle)
        with pytest.raises(RateLimited) as first:
            await adapter.preview(OPEN, "000000", turn="t", handle=handle)
        for _ in range(5):
            assert await adapter.preview(OPEN, "0000000", turn="t", handle=handle) == handle
        with pytest.raises(RateLimited) as last:
            await adapter.send(OPEN, Part("p", {"text": "done"}), replaces=handle)
        edits = len(tg.sent("editMessageText"))
        with pytest.raises(RateLimited) as again:
            await adapter.send(OPEN, Part("p", {"text": "done"}), replaces=handle)

        assert (first.value.retry_after, last.value.retry_after) == (30, 149)
        assert 140 < again.value.retry_after <= 149
        assert edits == len(tg.sent("editMessageText")) == 6


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(status=502), Fault(status=403)])
async def test_typing_that_fails_disturbs_no_answer(fault: Fault) -> None:
    async with alone() as (adapter, tg):
        tg.fail("sendChatAction", fault)
        with pytest.raises(AdapterError):
            await adapter.typing(PLACE)

        await adapter.send(PLACE, Part("p", {"text": "hello"}))

        assert tg.texts(CHAT) == ["hello"]


async def test_method_that_a_server_does_not_have_is_asked_for_once_however_it_says_so() -> None:
    async with alone() as (adapter, tg):
        tg.fail("sendMessageDraft", Fault(status=400, description="Bad Request: method not found"))
        for text in ("a", "ab", "abc"):
            assert await adapter.preview(PLACE, text, turn="t") == ""

        assert len(tg.sent("sendMessageDraft")) == 1


async def test_preview_that_is_still_on_its_way_becomes_the_answer(tmp_path: Path) -> None:
    """However early the turn is over: one message."""
    script = '\n      - {when: "*", say: "one two three four five six", pace: 0.15}\n'
    async with telegram_bot(tmp_path, agent="pace: 0.15", script=script.replace(", pace: 0.15", "")) as (
        _,
        tg,
    ):
        hold = asyncio.Event()
        tg.fail("sendMessage", Fault(hold=hold, passes=True))
        tg.say("@emulated_bot hi", chat=GROUP, user=1)
        await tg.until(lambda: tg.sent("sendMessage"))
        await asyncio.sleep(1.0)
        hold.set()
        await tg.until(lambda: tg.texts(GROUP) == ["one two three four five six"])

        assert len(tg.messages(GROUP)) == 1


async def test_answer_outlives_a_telegram_that_is_down(tmp_path: Path) -> None:
    script = '\n      - {when: "*", say: "hello"}\n'
    async with telegram_bot(tmp_path, script=script) as (_, tg):
        tg.fail("sendMessage", Fault(status=429, description="Too Many Requests", retry_after=1))
        tg.fail("getUpdates", *(Fault(cut=True) for _ in range(3)))
        tg.say("hi")
        await tg.until(lambda: tg.messages(CHAT))

        assert tg.texts(CHAT) == ["hello"]
