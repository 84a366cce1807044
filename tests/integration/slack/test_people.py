"""Names and languages of people: asked once, kept, and changed when Slack says so."""

from __future__ import annotations

import asyncio

from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.emulators.slack import Fault
from tests.integration.slack.alone import CHANNEL, adapter_of, heard


async def test_person_is_asked_for_once_and_known_after_a_restart() -> None:
    context = FakeAdapterContext()
    async with heard(context) as (_, slack, _):
        slack.chats.people["U0ANN"]["locale"] = "de-DE"
        for number in range(3):
            slack.say(f"{number}")
        await context.until(lambda: len(context.inbounds) == 3)
        following = adapter_of(slack)
        try:
            async with listening(following, context):
                slack.say("again")
                await context.until(lambda: len(context.inbounds) == 4)
        finally:
            await following.close()

        assert {(one.sender.name, one.sender.language) for one in context.inbounds} == {("Ann", "de-DE")}
        assert len(slack.sent("users.info")) == 1


async def test_change_of_language_is_heard() -> None:
    async with heard() as (_, slack, context):
        slack.say("one")
        await context.until(lambda: context.inbounds)
        user = {"id": "U0ANN", "profile": {"display_name": "Anne"}, "locale": "ja-JP"}
        slack.event("user_change", {"user": user})
        slack.event("user_change", {"user": {**user, "id": "U0NOBODY"}})
        slack.event("user_change", {"user": None})
        await context.until(lambda: not slack.unacknowledged)
        slack.say("two")
        await context.until(lambda: len(context.inbounds) == 2)

        assert (context.inbounds[1].sender.name, context.inbounds[1].sender.language) == ("Anne", "ja-JP")
        assert not [key for key in context.facts if "NOBODY" in key]


async def test_slack_that_does_not_tell_holds_up_no_message() -> None:
    async with heard() as (_, slack, context):
        hold = asyncio.Event()
        slack.fail("users.info", Fault(hold=hold), Fault(error="missing_scope"))
        slack.say("one")
        await context.until(lambda: context.inbounds)
        slack.say("two")
        await context.until(lambda: len(context.inbounds) == 2)
        slack.say("three")
        await context.until(lambda: len(context.inbounds) == 3)
        hold.set()

        assert [one.sender.name for one in context.inbounds] == ["", "", ""]
        assert len(slack.sent("users.info")) == 2


async def test_nobody_is_asked_for_who_did_not_speak_to_the_bot() -> None:
    async with heard() as (_, slack, context):
        slack.say("just talking", channel=CHANNEL)
        await context.until(lambda: not slack.unacknowledged)

        assert not slack.sent("users.info")


async def test_names_stand_for_ids_in_what_is_said() -> None:
    async with heard() as (_, slack, context):
        slack.say("hi")
        await context.until(lambda: context.inbounds)
        slack.say("<@U0BOT> ask <@U0ANN> or <@U0BOB>", channel=CHANNEL)
        await context.until(lambda: len(context.inbounds) == 2)

        assert context.inbounds[1].text == "ask @Ann or @U0BOB"
