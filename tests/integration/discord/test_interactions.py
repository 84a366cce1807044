"""Commands and buttons: greeted within three seconds, answered in their place, or in the channel."""

from __future__ import annotations

import asyncio

import pytest

from gateway.abc.clock import SystemClock
from gateway.errors import AdapterError
from gateway.messages import Action, Answer, Inbound, Place
from gateway.testing.context import FakeAdapterContext
from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.alone import Bot, receiving

_MENU = {"": [("status", "Tell"), ("stop", "End"), ("continue", "Go on"), ("language", "Change")]}
_ACTION = Action("continue", "t" * 48, "Continue")


def _context() -> FakeAdapterContext:
    return FakeAdapterContext(clock=SystemClock(), menu=_MENU)


async def _chosen(bot: Bot, name: str, **more: str | int) -> Inbound:
    """A command that was chosen, once it is handed in and greeted."""
    before = len(bot.context.inbounds)
    await bot.discord.until(lambda: bot.discord.world.backend.find_command(name, None))
    bot.discord.world.slash(name, **more)  # type: ignore[arg-type]
    await bot.context.until(lambda: len(bot.context.inbounds) > before)
    await bot.discord.until(lambda: bot.discord.sent("POST", "/interactions/*/callback"))
    return bot.context.inbounds[-1]


async def _say(bot: Bot, place: Place, text: str, *, key: str = "k") -> None:
    for part in bot.adapter.render(Answer(text), key=key):
        await bot.adapter.send(place, part)


async def test_answer_takes_the_place_of_thinking() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        inbound = await _chosen(bot, "status")
        await discord.until(discord.world.shown)
        thinking = discord.world.shown()[0]
        await _say(bot, inbound.place, "all is well")

        assert thinking.loading
        assert [(one.id, one.text) for one in discord.world.shown()] == [(thinking.id, "all is well")]


async def test_same_answer_again_is_one_message() -> None:
    """A process that ended before it could note the answer sends it once more."""
    context = _context()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context) as bot:
            inbound = await _chosen(bot, "status")
            await _say(bot, inbound.place, "all is well")
        async with receiving(discord, context) as bot:
            await _say(bot, inbound.place, "all is well")

        assert discord.texts() == ["all is well"]


async def test_second_answer_to_a_command_stands_below_the_first() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        inbound = await _chosen(bot, "status")
        await _say(bot, inbound.place, "one")
        await _say(bot, inbound.place, "two", key="l")

        assert discord.texts() == ["one", "two"]


async def test_long_answer_goes_on_in_the_channel() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        inbound = await _chosen(bot, "status")
        await _say(bot, inbound.place, "word " * 1000)

        assert " ".join(discord.texts()).split() == ["word"] * 1000


async def test_growing_text_takes_the_place_of_thinking_and_becomes_the_answer() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        inbound = await _chosen(bot, "continue")
        handle = await bot.adapter.preview(inbound.place, "one", turn="t")
        handle = await bot.adapter.preview(inbound.place, "one two", turn="t", handle=handle)
        (part,) = bot.adapter.render(Answer("one two three"), key="k")
        await bot.adapter.send(inbound.place, part, replaces=handle)

        assert [(str(one.id), one.text) for one in discord.world.shown()] == [(handle, "one two three")]


async def test_answer_after_a_quarter_of_an_hour_stands_in_the_channel() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        inbound = await _chosen(bot, "continue")
        discord.pass_time(15 * 60.0)
        await _say(bot, inbound.place, "at last")

        assert "at last" in discord.texts()


async def test_answer_to_an_old_interaction_does_not_even_try_it() -> None:
    """Its age stands in its id."""
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        old = Place(f"{discord.world.dm()}~{1 << 40}", formerly=str(discord.world.dm()))
        await _say(bot, old, "at last")

        assert discord.texts() == ["at last"]
        assert not discord.sent("PATCH", "/webhooks/*")


async def test_command_whose_answer_is_another_message_stops_thinking() -> None:
    """What `/stop` stops says so itself."""
    async with DiscordEmulator() as discord, receiving(discord, FakeAdapterContext(menu=_MENU)) as bot:
        await _chosen(bot, "stop")
        await discord.until(lambda: discord.sent("DELETE", "/webhooks/*/messages/@original"))

        assert discord.world.shown() == []
        assert len(bot.context.inbounds) == 1


async def test_command_is_answered_by_the_process_that_follows() -> None:
    context = _context()
    async with DiscordEmulator() as discord:
        async with receiving(discord, context) as bot:
            inbound = await _chosen(bot, "status")
            await context.until(lambda: any(key.startswith("interaction/") for key in context.facts))
        async with receiving(discord, context) as bot:
            await _say(bot, inbound.place, "all is well")

        assert [one.loading for one in discord.world.shown()] == [False]
        assert discord.texts() == ["all is well"]


@pytest.mark.parametrize(
    "fault",
    [Fault(status=404, code=10062), Fault(status=400, code=40060), Fault(cut=True), Fault(status=500)],
)
async def test_greeting_that_fails_leaves_the_answer_to_the_channel(fault: Fault) -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        discord.fail("POST", "/interactions/*/callback", fault)
        inbound = await _chosen(bot, "status")
        await _say(bot, inbound.place, "all is well")

        assert discord.texts() == ["all is well"]


async def test_greeting_waits_for_no_slow_answer() -> None:
    """Discord gives three seconds; what the person asked for may take as long as it likes."""
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        hold = asyncio.Event()
        discord.fail("POST", "/interactions/*/callback", Fault(hold=hold, passes=True))
        inbound = await _chosen(bot, "status")
        sending = asyncio.create_task(_say(bot, inbound.place, "all is well"))
        await asyncio.sleep(0.05)
        hold.set()
        await sending

        assert discord.texts() == ["all is well"]
        assert len(discord.world.shown()) == 1


async def test_commands_value_and_language_are_told() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        inbound = await _chosen(bot, "language", value="de", locale="pt-BR")

        assert (inbound.command, inbound.text, inbound.sender.language) == ("language", "de", "pt-BR")
        assert inbound.place.formerly == str(discord.world.dm())


async def test_press_is_told_of_where_nobody_else_sees_it() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        (part,) = bot.adapter.render(Answer("Go on?", actions=(_ACTION,)), key="k")
        await bot.adapter.send(Place(str(discord.world.dm())), part)
        discord.world.press("Continue")
        await bot.context.until(lambda: bot.context.inbounds)
        await bot.adapter.answer_press(bot.context.inbounds[0], "Too late @everyone")

        assert [shown.content for shown in discord.world.shown(hidden=True)] == ["Too late @everyone"]
        assert discord.sent("POST", "/interactions/*/callback") == [{"type": 6}]
        assert discord.sent("POST", "/webhooks/*")[0]["allowed_mentions"] == {"parse": []}


async def test_press_of_a_message_that_is_gone_is_a_press() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        discord.world.press_token(1, "token", channel=discord.world.dm())
        await bot.context.until(lambda: bot.context.inbounds)

        assert bot.context.inbounds[0].action == "token"


async def test_press_that_is_over_cannot_be_answered() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        discord.world.press_token(1, "token", channel=discord.world.dm())
        await bot.context.until(lambda: bot.context.inbounds)
        discord.pass_time(15 * 60.0)

        with pytest.raises(AdapterError):
            await bot.adapter.answer_press(bot.context.inbounds[0], "late")


async def test_same_interaction_again_is_greeted_once() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()) as bot:
        await _chosen(bot, "status")
        session = discord.gateway.live
        assert session is not None
        seen = len(session.frames)
        await discord.gateway.drop()
        session.frames.append(session.frames[seen - 1].replace(f'"s": {seen}', f'"s": {seen + 1}'))
        await discord.until(lambda: discord.gateway.resumed)
        discord.world.say("after it")
        await bot.context.until(lambda: "after it" in bot.texts)

        assert len(discord.sent("POST", "/interactions/*/callback")) == 1
