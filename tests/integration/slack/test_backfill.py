"""What was said while nobody listened is heard after the start, once, and not too far back."""

from __future__ import annotations

from pathlib import Path

from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.emulators.slack import Fault, SlackEmulator
from tests.integration.inprocess import running
from tests.integration.slack.alone import CHANNEL, CHAT, adapter_of, heard
from tests.integration.slack.scene import AT, config

_SCRIPT = '\n      - {when: "*", say: "hello"}\n'


async def test_messages_of_a_stop_are_answered_after_it(tmp_path: Path) -> None:
    """In private, in a thread the bot takes part in, and where a channel called it; each once."""
    async with SlackEmulator() as slack:
        yaml = config(slack, script=_SCRIPT)
        async with running(tmp_path, yaml):
            slack.say("hi")
            root = slack.say(f"{AT} hi", channel=CHANNEL)
            await slack.until(lambda: slack.messages(CHAT) and slack.messages(CHANNEL))
        slack.delivery.keeps = False
        await slack.until(lambda: not slack.delivery.sockets)
        for number in range(3):
            slack.say(f"are you there? {number}")
        slack.say("go on", channel=CHANNEL, thread=root)
        fresh = slack.say(f"and here, {AT}?", channel=CHANNEL)
        slack.say("in a thread that began meanwhile", channel=CHANNEL, thread=fresh)
        slack.say("nobody called", channel=CHANNEL)
        assert len(slack.delivery.lost) == 8
        async with running(tmp_path, yaml):
            await slack.until(lambda: len(slack.messages(CHAT)) == 4)
            await slack.until(lambda: len(slack.messages(CHANNEL)) == 4)
            await slack.until(lambda: not slack.unacknowledged)

        assert len(slack.messages(CHANNEL, thread=root)) == 2
        assert len(slack.messages(CHANNEL, thread=fresh)) == 2


async def test_what_is_read_twice_is_one_message() -> None:
    async with heard() as (_, slack, context):
        slack.say("one")
        await context.until(lambda: context.inbounds)
        slack.delivery.keeps = False
        for socket in [*slack.delivery.sockets]:
            await socket.close()
        slack.say("two")
        await context.until(lambda: len(context.inbounds) == 2)
        await context.until(lambda: slack.sent("conversations.history"))
        slack.say("three")
        await context.until(lambda: len(context.inbounds) == 3)

        assert [one.text for one in context.inbounds] == ["one", "two", "three"]


async def test_only_so_many_messages_of_the_last_day_are_read() -> None:
    context = FakeAdapterContext()
    async with heard(context) as (_, slack, _):
        slack.say("one")
        await context.until(lambda: context.inbounds)
        await context.keep("seen/C0OLD", b"1700000000.000001")
        slack.chats.channel("C0OLD")
        slack.chats.put("C0OLD", user="U0ANN", text="<@U0BOT> last week", ts="1700000001.000001")
        slack.chats.put("C0OLD", user="U0ANN", text="<@U0BOT> today")
        for number in range(700):
            slack.chats.put(CHAT, user="U0ANN", text=f"{number}")
        following = adapter_of(slack)
        try:
            async with listening(following, context):
                await context.until(lambda: len(context.inbounds) >= 201)
                await context.until(lambda: context.inbounds[-1].text == "today")
        finally:
            await following.close()

        read = [one.text for one in context.inbounds if one.place.chat == CHAT]
        assert len(read) <= 301
        assert "last week" not in [one.text for one in context.inbounds]


async def test_history_that_may_not_be_read_hinders_nothing() -> None:
    context = FakeAdapterContext()
    async with heard(context) as (_, slack, _):
        slack.say("one")
        await context.until(lambda: context.inbounds)
        slack.fail("conversations.history", Fault(error="missing_scope"))
        for socket in [*slack.delivery.sockets]:
            await socket.close()
        await context.until(
            lambda: [line for line in context.log.lines if line[1] == "adapter.history_unreadable"]
        )
        slack.say("two")
        await context.until(lambda: len(context.inbounds) == 2)


async def test_history_that_slack_holds_back_is_waited_for() -> None:
    """Slack gives apps of its directory one page a minute."""
    context = FakeAdapterContext()
    async with heard(context) as (_, slack, _):
        slack.say("one")
        await context.until(lambda: context.inbounds)
        slack.delivery.keeps = False
        slack.fail("conversations.history", Fault(error="ratelimited", status=429, retry_after=60))
        for socket in [*slack.delivery.sockets]:
            await socket.close()
        slack.say("two")
        await context.until(lambda: len(context.inbounds) == 2)

        assert 60.0 in context.clock.sleeps  # type: ignore[attr-defined]


async def test_store_that_refuses_delays_what_is_read_up() -> None:
    context = FakeAdapterContext()
    async with heard(context) as (_, slack, _):
        slack.say("one")
        await context.until(lambda: context.inbounds)
        slack.delivery.keeps = False
        context.refusals = 2
        for socket in [*slack.delivery.sockets]:
            await socket.close()
        slack.say("two")
        await context.until(lambda: len(context.inbounds) == 2)

        assert len(context.refused) == 2
