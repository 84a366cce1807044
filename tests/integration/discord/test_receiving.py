"""What arrives is kept before it counts, and nothing that Discord still has is missed."""

from __future__ import annotations

import asyncio
import json

import pytest

from gateway.errors import Unauthorised
from gateway.messages import Event
from gateway.testing.context import FakeAdapterContext
from gateway_adapters.discord.backfill import AGE
from gateway_adapters.discord.inbound import read_dispatch
from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.alone import adapter_of, receiving


async def test_broken_line_is_resumed_and_nothing_comes_twice() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.world.say("one")
        await bot.heard("one")
        await discord.gateway.drop()
        discord.world.say("two")
        discord.world.say("three")

        await bot.heard("one", "two", "three")
        assert (discord.gateway.identified, discord.gateway.resumed) == (1, 1)


async def test_session_that_is_over_is_caught_up_on() -> None:
    """The gateway forgot what it told nobody; the channels did not."""
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.world.say("one")
        await bot.heard("one")
        discord.gateway.forgetful = True
        await discord.gateway.drop()
        discord.gateway.sessions.clear()
        discord.world.say("two")
        discord.world.say("three")

        await bot.heard("one", "two", "three")
        assert discord.gateway.identified == 2


@pytest.mark.parametrize("code", [1000, 1001, 4007, 4009])
async def test_code_that_ends_a_session_begins_a_new_one(code: int) -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        await discord.gateway.drop(code)
        await discord.until(lambda: discord.gateway.identified == 2)
        discord.world.say("one")

        await bot.heard("one")


@pytest.mark.parametrize("opcode", [7, 9])
async def test_connection_that_discord_ends_is_followed_by_another(opcode: int) -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.gateway.ask(opcode, data=False if opcode == 9 else None)
        await discord.until(lambda: discord.gateway.resumed or discord.gateway.identified == 2)
        discord.world.say("one")

        await bot.heard("one")
        assert discord.gateway.resumed == (opcode == 7)


async def test_process_that_starts_again_goes_on_with_its_session() -> None:
    """A deploy misses nothing: the session waits, since it was not closed for good."""
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context) as bot:
            discord.world.say("one")
            await bot.heard("one")
        discord.world.say("two")
        async with receiving(discord, context) as bot:
            await bot.heard("one", "two")

        assert (discord.gateway.identified, discord.gateway.resumed) == (1, 1)
        assert 1000 not in discord.gateway.closes


async def test_process_that_died_is_caught_up_on_by_another() -> None:
    """Nothing was written down at its end but what had been: the session is gone, its channels are known."""
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        world = discord.world
        async with receiving(discord, context) as bot:
            world.say("one")
            world.say(f"<@{world.bot}> in public", channel=world.channel)
            await bot.heard("one", "in public")
        await context.keep("session", b"")
        world.say("two")
        world.say(f"<@{world.bot}> again", channel=world.channel)
        async with receiving(discord, context) as bot:
            await context.until(lambda: len(context.inbounds) == 4)

        assert sorted(bot.texts) == ["again", "in public", "one", "two"]
        assert {inbound.place.private for inbound in context.inbounds if inbound.text == "again"} == {False}


async def test_more_messages_than_a_page_holds_are_caught_up_on_in_order() -> None:
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context) as bot:
            discord.world.say("0")
            await bot.heard("0")
        await context.keep("session", b"")
        for number in range(1, 251):
            discord.world.say(str(number))
        async with receiving(discord, context) as bot:
            await bot.heard(*map(str, range(251)))


async def test_what_is_older_than_a_day_is_not_caught_up_on() -> None:
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context) as bot:
            discord.world.say("one")
            await bot.heard("one")
        await context.keep("session", b"")
        discord.world.say("long ago")
        await context.clock.sleep(AGE + 60.0)
        discord.pass_time(AGE + 60.0)
        discord.world.say("just now")
        async with receiving(discord, context) as bot:
            await bot.heard("one", "just now")


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=404, code=10003),
        Fault(status=403, code=50001),
        Fault(status=500),
        Fault(cut=True),
        Fault(status=429, retry_after=1.0),
        Fault(status=200, raw="<html>"),
    ],
)
async def test_channel_that_cannot_be_caught_up_on_hinders_no_other(fault: Fault) -> None:
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        world = discord.world
        async with receiving(discord, context) as bot:
            world.say("one", user=world.other)
            world.say("two")
            await bot.heard("one", "two")
        await context.keep("session", b"")
        world.say("three", user=world.other)
        discord.fail("GET", f"/channels/{world.dm()}/messages", fault)
        async with receiving(discord, context) as bot:
            await bot.heard("one", "two", "three")


async def test_dispatch_counts_only_once_it_is_kept() -> None:
    """A process that ends while the store refuses is told again what it never kept."""
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context):
            context.refusals = 1_000_000
            discord.world.say("keep me")
            await context.until(lambda: context.refused)
            assert not discord.gateway.acknowledged
        context.refusals = 0
        async with receiving(discord, context) as bot:
            await bot.heard("keep me")

        assert discord.gateway.identified == 1


async def test_store_that_recovers_makes_the_bot_well_again() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        bot.context.refusals = 30
        discord.world.say("keep me")
        await bot.heard("keep me")
        await bot.context.until(lambda: bot.context.states[-1] == "up")

        assert "deaf" in bot.context.states


async def test_defect_of_ours_costs_one_dispatch_and_not_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and does not come again."""

    def broken(kind: str, data: object, raw: bytes, me: object) -> Event:
        if b"poison" in raw:
            raise ZeroDivisionError
        return read_dispatch(kind, data, raw, me)  # type: ignore[arg-type]

    monkeypatch.setattr("gateway_adapters.discord.reception.read_dispatch", broken)
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.world.say("poison")
        discord.world.say("after it")
        await bot.heard("after it")
        await discord.gateway.drop()
        discord.world.say("and on")
        await bot.heard("after it", "and on")

        errors = [values["problem"] for level, _, values in bot.context.log.lines if level == "error"]
        assert errors == ["ZeroDivisionError"]


async def test_gateway_that_answers_no_heartbeat_is_left() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.gateway.deaf = True
        await discord.until(lambda: discord.gateway.resumed)
        discord.gateway.deaf = False
        discord.world.say("one")

        await bot.heard("one")


async def test_heartbeat_that_is_asked_for_is_sent_at_once() -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.interval = 60.0
        async with receiving(discord) as bot:
            discord.world.say("one")
            await bot.heard("one")
            discord.gateway.ask(1)
            await discord.until(lambda: discord.gateway.acknowledged)


async def test_first_connection_that_is_refused_is_tried_again() -> None:
    async with DiscordEmulator() as discord:
        discord.fail("GET", "/users/@me", Fault(cut=True), Fault(status=502), Fault(raw="<html>", status=503))
        discord.fail("GET", "/applications/@me", Fault(status=429, retry_after=1.0))
        discord.fail("GET", "/gateway/bot", Fault(cut=True), Fault(status=500))
        real, discord.gateway.url = discord.gateway.url, "ws://127.0.0.1:1"
        adapter, context = adapter_of(discord), FakeAdapterContext()
        task = asyncio.create_task(adapter.run(context))
        try:
            await context.until(lambda: len(discord.sent("GET", "/gateway/bot")) > 4)
            discord.gateway.url = real
            await context.until(lambda: context.states[-1] == "up")
        finally:
            task.cancel()
            await asyncio.wait({task})
            await adapter.close()


async def test_session_of_a_gateway_that_is_gone_is_gone_on_with_elsewhere() -> None:
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context) as bot:
            discord.world.say("one")
            await bot.heard("one")
        kept = json.loads((await context.recall("session")) or b"{}")
        await context.keep("session", json.dumps(kept | {"url": "ws://127.0.0.1:1"}).encode())
        discord.world.say("two")
        async with receiving(discord, context) as bot:
            await bot.heard("one", "two")

        assert discord.gateway.resumed == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (4014, "Message Content Intent at https://discord.com/developers/applications"),
        (4013, "update Lastword"),
        (4012, "update Lastword"),
        (4011, "2,500"),
        (4010, "shard"),
    ],
)
async def test_refusal_that_an_operator_must_mend_is_said_and_never_storms(code: int, said: str) -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.refuse_with = code
        adapter, context = adapter_of(discord), FakeAdapterContext()
        task = asyncio.create_task(adapter.run(context))
        try:
            await context.until(lambda: "misconfigured" in context.states)
            assert said in dict(context.reports)["misconfigured"]
            clock = context.clock
            await context.until(lambda: 600.0 in getattr(clock, "sleeps", ()))
            discord.gateway.refuse_with = 0
            await context.until(lambda: context.states[-1] == "up")
        finally:
            task.cancel()
            await asyncio.wait({task})
            await adapter.close()


async def test_intent_that_the_portal_does_not_grant_is_named() -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.content_approved = False
        adapter, context = adapter_of(discord, intents={"message_content": True}), FakeAdapterContext()
        task = asyncio.create_task(adapter.run(context))
        try:
            await context.until(lambda: "misconfigured" in context.states)
        finally:
            task.cancel()
            await asyncio.wait({task})
            await adapter.close()

        assert "intents: {message_content: false}" in dict(context.reports)["misconfigured"]


async def test_token_that_the_gateway_refuses_ends_receiving() -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.refuse_with = 4004
        adapter = adapter_of(discord)
        try:
            with pytest.raises(Unauthorised):
                async with asyncio.timeout(5.0):
                    await adapter.run(FakeAdapterContext())
        finally:
            await adapter.close()


async def test_no_session_is_begun_when_none_is_granted() -> None:
    """A thousand a day, and the token is reset: so it waits."""
    async with DiscordEmulator() as discord:
        discord.starts_left = 0
        async with receiving(discord) as bot:
            assert "deaf" in bot.context.states
            assert max(bot.context.clock.sleeps) >= 1.0  # type: ignore[attr-defined]
            assert discord.gateway.identified == 1


async def test_without_message_content_only_what_is_meant_for_the_bot_is_read() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        world = discord.world
        world.say("among us", channel=world.channel)
        world.say(f"<@{world.bot}> to you", channel=world.channel)
        world.say("in private")

        await bot.heard("to you", "in private")


async def test_with_message_content_everything_is_read_and_who_is_meant_is_told() -> None:
    async with DiscordEmulator() as discord, receiving(discord, intents={"message_content": True}) as bot:
        world = discord.world
        world.say("among us", channel=world.channel)
        world.say(f"<@{world.bot}> to you", channel=world.channel)

        await bot.heard("among us", "to you")
        assert [inbound.addressed for inbound in bot.context.inbounds] == [False, True]


async def test_edit_is_told_once_its_words_change() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        world = discord.world
        message = world.say("helo")
        await bot.heard("helo")
        world.edit(message, "helo")
        world.backend.emit(
            "MESSAGE_UPDATE",
            {**json.loads(discord.gateway.sessions[0].frames[-1])["d"], "edited_timestamp": None},
        )
        world.edit(message, "hello")

        await bot.heard("helo", "hello")
        assert [inbound.kind for inbound in bot.context.inbounds] == ["message", "edit"]


async def test_two_bots_on_two_discords_hear_each_its_own() -> None:
    async with (
        DiscordEmulator() as first,
        DiscordEmulator() as second,
        receiving(first) as one,
        receiving(second) as two,
    ):
        first.world.say("to one")
        second.world.say("to two")

        await one.heard("to one")
        await two.heard("to two")


async def test_language_of_a_server_is_known_to_the_process_that_goes_on() -> None:
    """A session that is gone on with does not tell of servers again."""
    context = FakeAdapterContext()
    async with DiscordEmulator() as discord:
        world = discord.world
        world.backend.edit_guild(world.guild, {"preferred_locale": "fr"})
        async with receiving(discord, context):
            await context.until(lambda: context.facts.get(f"locale/{world.guild}"))
        world.say(f"<@{world.bot}> one", channel=world.channel)
        async with receiving(discord, context) as bot:
            await bot.heard("one")

        assert discord.gateway.resumed == 1
        assert context.inbounds[0].sender.language == "fr"


async def test_server_that_chose_a_language_lends_it_to_those_who_did_not() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        world = discord.world
        world.backend.edit_guild(world.guild, {"preferred_locale": "de"})
        world.say(f"<@{world.bot}> one", channel=world.channel)
        world.say(f"<@{world.bot}> これは", channel=world.channel, user=world.other)
        world.say(f"<@{world.bot}> two", channel=world.channel, user=world.other)
        await bot.heard("one", "これは", "two")

        assert [inbound.sender.language for inbound in bot.context.inbounds] == ["de", "ja", "ja"]
