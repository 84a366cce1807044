"""The poller under everything that goes wrong between Telegram and a store."""

from __future__ import annotations

import asyncio

import pytest

from gateway.abc.clock import SystemClock
from gateway.errors import Unauthorised
from gateway.testing.context import FakeAdapterContext, HurriedClock
from gateway.testing.watching import listening
from tests.emulators.telegram import Fault
from tests.integration.telegram.alone import GROUP, adapter_of, alone


async def test_updates_from_before_the_start_are_received() -> None:
    """A webhook that an earlier installation left is removed, and what waits is not dropped with it."""
    async with alone() as (adapter, tg):
        tg.updates.webhook = "https://gone.example"
        tg.say("waiting since yesterday")
        tg.updates.age(3600)

        async with listening(adapter) as context:
            await context.until(lambda: context.inbounds)

        assert context.inbounds[0].text == "waiting since yesterday"
        assert str(tg.sent("deleteWebhook")[0]["drop_pending_updates"]).lower() == "false"


async def test_poll_names_what_it_wants_and_is_held_within_its_read_timeout() -> None:
    async with alone() as (adapter, tg):
        async with listening(adapter):
            await tg.until(lambda: tg.sent("getUpdates"))

        asked = tg.sent("getUpdates")[0]
        assert asked["allowed_updates"] == ["message", "edited_message", "callback_query", "my_chat_member"]
        assert int(asked["timeout"]) <= 30
        assert int(asked["limit"]) == 100


async def test_batch_is_one_commit() -> None:
    async with alone() as (adapter, tg):
        for number in range(120):
            tg.say(f"m{number}")

        async with listening(adapter) as context:
            await context.until(lambda: len(context.inbounds) == 120)

        assert [len(batch) for batch in context.batches] == [100, 20]
        assert [inbound.text for inbound in context.inbounds] == [f"m{number}" for number in range(120)]


async def test_store_that_refuses_is_asked_again_ever_more_slowly() -> None:
    clock = HurriedClock()
    async with alone() as (adapter, tg):
        tg.say("keep me")
        async with listening(adapter, FakeAdapterContext(clock=clock, refusals=3)) as context:
            await context.until(lambda: context.inbounds, seconds=10.0)
            await context.until(lambda: tg.unconfirmed == 0)

    assert len(context.inbounds) == 1
    assert clock.sleeps[2] > clock.sleeps[0]
    assert max(clock.sleeps) <= 30.0


async def test_store_that_refuses_for_long_makes_the_bot_deaf() -> None:
    clock = HurriedClock()
    async with alone() as (adapter, tg):
        tg.say("keep me")
        context = FakeAdapterContext(clock=clock, refusals=1_000_000)
        async with listening(adapter, context):
            await context.until(lambda: "deaf" in context.states, seconds=10.0)

        assert "cannot be kept" in dict(context.reports)["deaf"]
        assert sum(clock.sleeps) > 30.0
        assert tg.unconfirmed == 1


async def test_broken_network_is_told_after_a_while_and_its_end_too() -> None:
    clock = HurriedClock()
    async with alone() as (adapter, tg):
        tg.fail("getUpdates", *(Fault(status=502, description="Bad Gateway") for _ in range(6)))
        tg.fail("getUpdates", *(Fault(cut=True) for _ in range(6)))
        tg.say("after all")
        async with listening(adapter, FakeAdapterContext(clock=clock)) as context:
            await context.until(lambda: context.inbounds)

    assert context.states == ("connecting", "up", "deaf", "up", "stopped")
    assert max(clock.sleeps) <= 30.0
    assert [inbound.text for inbound in context.inbounds] == ["after all"]


async def test_second_poller_is_reported_with_what_to_do() -> None:
    async with alone() as (adapter, tg):
        rival = adapter_of(tg)
        async with listening(adapter) as context:
            await tg.until(lambda: tg.sent("getUpdates"))
            async with listening(rival):
                await context.until(lambda: "conflict" in context.states)
            tg.say("mine again")
            await context.until(lambda: context.inbounds)
        await rival.close()

    told = dict(context.reports)["conflict"]
    assert "another process" in told
    assert "BotFather" in told


async def test_webhook_set_meanwhile_is_reported_as_such() -> None:
    async with alone() as (adapter, tg), listening(adapter) as context:
        await tg.until(lambda: tg.sent("getUpdates"))
        tg.updates.webhook = "https://rival.example/hook/SECRET"
        tg.say("wakes the poll")
        await context.until(lambda: "rival.example" in dict(context.reports).get("conflict", ""))

    told = dict(context.reports)["conflict"]
    assert "BotFather" in told
    assert "SECRET" not in told


async def test_webhook_whose_host_telegram_does_not_tell_is_reported_all_the_same() -> None:
    async with alone() as (adapter, tg), listening(adapter) as context:
        await tg.until(lambda: tg.sent("getUpdates"))
        tg.fail("getWebhookInfo", Fault(status=500), Fault(body=b'{"ok": true, "result": []}'))
        tg.updates.webhook = "https://rival.example"
        tg.say("wakes the poll")
        await context.until(lambda: "conflict" in context.states)
        assert "find who set it" in dict(context.reports)["conflict"]

        tg.updates.webhook = ""
        tg.say("heard again")
        await context.until(lambda: len(context.inbounds) == 2 and context.states[-1] == "up")


async def test_wait_that_telegram_asks_for_is_kept() -> None:
    clock = HurriedClock()
    async with alone() as (adapter, tg):
        tg.fail("getUpdates", Fault(status=429, description="Too Many Requests", retry_after=17))
        tg.say("later")
        async with listening(adapter, FakeAdapterContext(clock=clock)) as context:
            await context.until(lambda: context.inbounds)

    assert clock.sleeps == [17.0]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>sign in</html>",
        b"{}",
        b"[]",
        b"null",
        b'{"ok":true,"result":{"a":1}}',
        b'{"ok":true,"result":7}',
    ],
)
@pytest.mark.parametrize("method", ["getMe", "getUpdates"])
async def test_what_does_not_speak_the_bot_api_is_a_broken_network(method: str, body: bytes) -> None:
    async with alone() as (adapter, tg):
        tg.fail(method, Fault(body=body))
        tg.say("still here")
        async with listening(adapter) as context:
            await context.until(lambda: context.inbounds)

    assert len(context.inbounds) == 1


async def test_token_that_is_revoked_ends_the_run() -> None:
    async with alone() as (adapter, tg):
        tg.fail("getUpdates", Fault(status=401, description="Unauthorized"))

        with pytest.raises(Unauthorised):
            async with asyncio.timeout(5.0):
                await adapter.run(FakeAdapterContext())


async def test_method_that_is_not_found_does_not_end_the_run() -> None:
    """Telegram answers so to a wrong token too, but this one was taken before."""
    async with alone() as (adapter, tg):
        tg.fail("deleteWebhook", Fault(status=404, description="Not Found"))
        tg.say("still here")
        async with listening(adapter) as context:
            await context.until(lambda: context.inbounds)

    assert len(context.inbounds) == 1


async def test_offset_is_forgotten_once_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids may start anew below it after a quiet week; the old offset would confirm what nobody has seen."""
    monkeypatch.setattr("gateway_adapters.telegram.api.POLL", 0)
    async with alone() as (adapter, tg):
        tg.say("first")
        async with listening(adapter) as context:
            await tg.until(lambda: len(tg.sent("getUpdates")) >= 3)
            tg.updates.next_id = 5
            tg.say("second")
            await context.until(lambda: len(context.inbounds) == 2)

    polls = tg.sent("getUpdates")
    assert ["offset" in poll for poll in polls[:3]] == [False, True, False]


async def test_move_to_a_supergroup_is_nobodys_message() -> None:
    async with alone() as (adapter, tg):
        old = {"id": -500, "type": "group", "title": "G"}
        person = {"id": 1, "is_bot": False, "first_name": "A"}
        moved = {"message_id": 1, "date": 1, "chat": old, "from": person, "migrate_to_chat_id": GROUP}
        tg.push({"message": moved})
        async with listening(adapter) as context:
            await context.until(lambda: context.events)

    assert context.events[0].dropped == "migrated"
    assert context.inbounds == ()


async def test_waiting_run_ends_at_once_when_it_is_cancelled() -> None:
    async with alone() as (adapter, tg):
        tg.fail("getMe", *(Fault(status=502) for _ in range(9)))
        context = FakeAdapterContext(clock=SystemClock())
        task = asyncio.create_task(adapter.run(context))
        await tg.until(lambda: tg.sent("getMe"))

        task.cancel()
        async with asyncio.timeout(0.5):
            with pytest.raises(asyncio.CancelledError):
                await task

    assert context.states[-1] == "stopped"
