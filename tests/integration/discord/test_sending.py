"""What leaves: in order, once, at the pace Discord takes, and as what went wrong says."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import (
    AdapterError,
    DeadTarget,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway.messages import Action, Answer, Note, Part, Place
from gateway_adapters.discord.limits import PACED
from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.alone import adapter_of, alone

MESSAGES = "/channels/*/messages"
ONE = "/channels/*/messages/*"
_ACTION = Action("continue", "t" * 48, "Continue")


def _part(text: str, *, key: str = "k.0") -> Part:
    return Part(key, {"content": text, "allowed_mentions": {"parse": []}}, {"content": text})


async def test_messages_of_a_channel_leave_in_order() -> None:
    async with alone() as (adapter, discord, place):
        discord.fail("POST", MESSAGES, Fault(delay=0.05, passes=True), Fault(delay=0.02, passes=True))
        async with asyncio.TaskGroup() as tasks:
            for number in range(20):
                tasks.create_task(adapter.send(place, _part(str(number), key=f"k.{number}")))

        assert discord.texts() == [str(number) for number in range(20)]


async def test_slow_channel_holds_up_no_other() -> None:
    async with alone() as (adapter, discord, place):
        hold = asyncio.Event()
        discord.fail("POST", f"/channels/{place.chat}/messages", Fault(hold=hold, passes=True))
        slow = asyncio.create_task(adapter.send(place, _part("slow")))
        await adapter.send(Place(str(discord.world.channel), private=False), _part("quick"))
        hold.set()
        await slow

        assert discord.texts(discord.world.channel) == ["quick"]


async def test_part_that_may_have_arrived_is_one_message_when_it_is_sent_again() -> None:
    async with alone() as (adapter, discord, place):
        discord.fail("POST", MESSAGES, Fault(after=True, cut=True), Fault(after=True, status=504))
        receipts: list[str] = []
        for _ in range(3):
            try:
                receipts.append((await adapter.send(place, _part("hello"))).message_id)
            except Uncertain:
                receipts.append("?")

        assert receipts == ["?", "?", str(discord.world.shown()[0].id)]
        assert discord.texts() == ["hello"]


async def test_other_words_under_the_same_number_are_another_message() -> None:
    """A store that forgot what it gave out gives the same numbers again."""
    async with alone() as (adapter, discord, place):
        for text in ("one", "two"):
            await adapter.send(place, _part(text))

        assert discord.texts() == ["one", "two"]


async def test_every_message_pings_nobody_and_carries_a_nonce_that_is_taken() -> None:
    async with alone() as (adapter, discord, place):
        for part in adapter.render(Answer("@everyone <@1> " * 400, note=Note("n", "r")), key="k"):
            await adapter.send(place, part)
            await adapter.send(place, part, plain=True)
        handle = await adapter.preview(place, "@here grows", turn="t")
        await adapter.preview(place, "@here grows on", turn="t", handle=handle)

        for body in (*discord.sent("POST", MESSAGES), *discord.sent("PATCH", ONE)):
            assert body["allowed_mentions"] == {"parse": []}
        assert {len(body["nonce"]) for body in discord.sent("POST", MESSAGES)} == {25}
        assert all(body["enforce_nonce"] is True for body in discord.sent("POST", MESSAGES))


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(status=403, code=50001), DeadTarget),
        (Fault(status=403, code=50013), DeadTarget),
        (Fault(status=403, code=50278), DeadTarget),
        (Fault(status=404, code=10003), DeadTarget),
        (Fault(status=400, code=50008), DeadTarget),
        (Fault(status=400, code=50035), Rejected),
        (Fault(status=400, code=50006), Rejected),
        (Fault(status=413, code=40005), Rejected),
        (Fault(status=401), Unauthorised),
        (Fault(status=500), Uncertain),
        (Fault(status=502, raw="<html>"), Uncertain),
        (Fault(status=503), Uncertain),
        (Fault(status=504), Uncertain),
        (Fault(status=403, raw="<html>blocked"), Unreachable),
        (Fault(status=200, raw="<html>a portal"), Uncertain),
        (Fault(cut=True), Uncertain),
        (Fault(cut=True, after=True), Uncertain),
        (Fault(status=429, retry_after=12.5), RateLimited),
        (Fault(status=429, code=20016, retry_after=3), RateLimited),
        (Fault(status=400, code=20028), RateLimited),
    ],
)
async def test_fault_says_what_may_be_done_about_it(fault: Fault, expected: type[AdapterError]) -> None:
    """At once: a fault is for the outbox to wait out, not for a library."""
    async with alone() as (adapter, discord, place):
        discord.fail("POST", MESSAGES, fault)
        async with asyncio.timeout(1.0):
            with pytest.raises(AdapterError) as caught:
                await adapter.send(place, _part("hello"))

        assert type(caught.value) is expected
        if fault.status == 429:
            assert getattr(caught.value, "retry_after", 0) == fault.retry_after


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (Fault(status=429, raw="<html>1015"), 60.0),
        (Fault(status=429, via=False, retry_after=30), 30.0),
        (Fault(status=429), 5.0),
    ],
)
async def test_limit_of_what_stands_before_discord_is_waited_out(fault: Fault, wait: float) -> None:
    async with alone() as (adapter, discord, place):
        discord.fail("POST", MESSAGES, fault)
        with pytest.raises(RateLimited) as caught:
            await adapter.send(place, _part("hello"))

        assert caught.value.retry_after == wait
        assert (caught.value.status == "429 blocked") == (wait != 5.0)


async def test_edit_without_a_clear_answer_certainly_did_not_happen_twice() -> None:
    async with alone() as (adapter, discord, place):
        handle = await adapter.preview(place, "one", turn="t")
        discord.fail("PATCH", ONE, Fault(after=True, cut=True))
        with pytest.raises(Unreachable):
            await adapter.send(place, _part("one two"), replaces=handle)
        await adapter.send(place, _part("one two"), replaces=handle)

        assert discord.texts() == ["one two"]


async def test_preview_that_was_deleted_is_followed_by_a_message() -> None:
    async with alone() as (adapter, discord, place):
        handle = await adapter.preview(place, "one", turn="t")
        discord.world.backend.delete_message(int(place.chat), int(handle))
        await adapter.send(place, _part("one two"), replaces=handle)

        assert discord.texts() == ["one two"]


async def test_preview_after_a_crash_is_the_same_message() -> None:
    async with alone() as (adapter, discord, place):
        first = await adapter.preview(place, "one", turn="t")
        other = adapter_of(discord)
        second = await other.preview(place, "one", turn="t")
        await other.close()

        assert first == second


async def test_long_text_that_grows_shows_its_end() -> None:
    async with alone() as (adapter, discord, place):
        text = " ".join(map(str, range(3000)))
        handle = await adapter.preview(place, text, turn="t")

        assert discord.texts()[0].startswith("…")
        assert discord.texts()[0].endswith(" 2999")
        assert handle


@pytest.mark.parametrize("cut", range(0, 60, 3))
async def test_text_cut_anywhere_can_be_shown(cut: int) -> None:
    text = "**b** [x](https://e.x/y) ```py\nprint(1)\n``` | a | b |\n|--|--|\n> q `c` @everyone <@1>"
    async with alone() as (adapter, discord, place):
        await adapter.preview(place, text[: cut + 1], turn="t")

        assert len(discord.world.shown()) == 1


async def test_preview_of_nothing_shows_nothing() -> None:
    async with alone() as (adapter, discord, place):
        assert await adapter.preview(place, " \n\u200b", turn="t") == ""
        assert discord.world.shown() == []


async def test_message_that_is_gone_is_retracted_and_disarmed_all_the_same() -> None:
    async with alone() as (adapter, discord, place):
        for _ in range(2):
            await adapter.disarm(place, "1577193326841430017")
            await adapter.retract(place, "1577193326841430017")
        await adapter.retract(place, "")

        assert len(discord.calls) == 4


async def test_disarmed_message_keeps_its_words() -> None:
    async with alone() as (adapter, discord, place):
        (part,) = adapter.render(Answer("Go on?", actions=(_ACTION,)), key="k")
        receipt = await adapter.send(place, part)
        assert discord.world.shown()[0].buttons
        await adapter.disarm(place, receipt.message_id)

        assert [(one.text, one.buttons) for one in discord.world.shown()] == [("Go on?", ())]


async def test_label_and_token_of_any_length_that_is_allowed_are_taken() -> None:
    async with alone() as (adapter, discord, place):
        long = Action("retry", "r" * 48, "ก" * 120)
        (part,) = adapter.render(Answer("Go on?", actions=(_ACTION, long)), key="k")
        await adapter.send(place, part)

        assert [len(label) for label, _ in discord.world.shown()[0].buttons] == [8, 80]


async def test_channel_is_left_to_rest_when_its_bucket_is_empty() -> None:
    """What Discord says with each answer is heeded before it has to refuse."""
    async with alone() as (adapter, discord, place):
        discord.per_bucket = 2
        for number in range(2):
            await adapter.send(place, _part(str(number), key=f"k.{number}"))
        with pytest.raises(RateLimited) as caught:
            await adapter.send(place, _part("2", key="k.2"))
        await adapter.send(Place(str(discord.world.channel), private=False), _part("elsewhere"))

        assert caught.value.status == PACED
        assert 3.0 < caught.value.retry_after <= 5.0
        assert len(discord.sent("POST", MESSAGES)) == 3


async def test_limit_of_the_whole_bot_holds_everywhere() -> None:
    async with alone() as (adapter, discord, place):
        limited = Fault(status=429, retry_after=20.0, everywhere=True)
        discord.fail("POST", MESSAGES, limited)
        with pytest.raises(RateLimited):
            await adapter.send(place, _part("here"))
        with pytest.raises(RateLimited) as caught:
            await adapter.send(Place(str(discord.world.channel), private=False), _part("there"))

        assert caught.value.status == PACED
        assert len(discord.sent("POST", MESSAGES)) == 1


async def test_text_that_grows_gives_way_to_the_answer() -> None:
    """While a final is under way, and while its channel rests."""
    async with alone() as (adapter, discord, place):
        hold = asyncio.Event()
        discord.fail("POST", MESSAGES, Fault(hold=hold, passes=True))
        sending = asyncio.create_task(adapter.send(place, _part("final")))
        await discord.until(lambda: discord.sent("POST", MESSAGES))
        assert await adapter.preview(place, "grows", turn="t") == ""
        hold.set()
        await sending
        discord.per_bucket = 1
        handle = await adapter.preview(place, "grows", turn="t")
        for _ in range(3):
            assert await adapter.preview(place, "grows on", turn="t", handle=handle) == handle

        assert len(discord.sent("PATCH", ONE)) == 1


async def test_own_pace_is_kept_without_discord_having_to_say_so() -> None:
    async with alone(rates={"overall": 0, "channel": 2}) as (adapter, discord, place):
        for number in range(2):
            await adapter.send(place, _part(str(number), key=f"k.{number}"))
        with pytest.raises(RateLimited) as caught:
            await adapter.send(place, _part("2", key="k.2"))

        assert caught.value.status == PACED
        assert len(discord.sent("POST", MESSAGES)) == 2


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(status=502), Fault(status=403, code=50001)])
async def test_typing_that_fails_disturbs_no_answer(fault: Fault) -> None:
    async with alone() as (adapter, discord, place):
        discord.fail("POST", "/channels/*/typing", fault)
        with pytest.raises(AdapterError):
            await adapter.typing(place)
        await adapter.send(place, _part("hello"))

        assert discord.texts() == ["hello"]


async def test_channel_that_the_bot_may_not_write_in_is_a_dead_target() -> None:
    async with alone() as (adapter, discord, _):
        world = discord.world
        for role in world.backend.guilds[world.guild].roles.values():
            role.permissions = 1 << 10
        with pytest.raises(DeadTarget):
            await adapter.send(Place(str(world.channel), private=False), _part("hello"))


async def test_answer_in_a_locked_network_is_unreachable() -> None:
    async with DiscordEmulator() as discord:
        adapter = adapter_of(discord, proxy="http://127.0.0.1:1")
        try:
            with pytest.raises(Unreachable):
                await adapter.send(Place(str(discord.world.dm())), _part("hello"))
        finally:
            await adapter.close()
