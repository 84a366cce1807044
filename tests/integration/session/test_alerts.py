"""The owner is told once when a bot does not work, and once when it works again."""

from __future__ import annotations

import asyncio

from tests.emulators.telegram import Fault
from tests.integration.session.conftest import Start

CHAT, OWNER = 4711, 99
_ALERTS = 'alerts: {bot: support, chat: "99"}'


async def test_refused_access_is_told_once_and_so_is_its_end(start: Start) -> None:
    async with start(top=_ALERTS) as (_, tg):
        tg.say("hello", chat=OWNER, user=OWNER)
        await tg.until(lambda: tg.messages(OWNER))
        tg.say("denied")
        await tg.until(lambda: len(tg.messages(OWNER)) == 2)
        tg.say("denied")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        tg.say("fine")
        await tg.until(lambda: len(tg.messages(OWNER)) == 3)
        await asyncio.sleep(0.3)

        assert "support cannot answer because its access was refused" in tg.texts(OWNER)[1]
        assert tg.texts(OWNER)[2].startswith("support works again")
        assert len(tg.messages(OWNER)) == 3
        assert "please try again later" in tg.texts(CHAT)[0]
        assert "we have been told" not in tg.texts(CHAT)[0]
        assert "we have been told" in tg.texts(CHAT)[1]


async def test_answer_that_nobody_can_be_given_is_told(start: Start) -> None:
    async with start(top=_ALERTS, agent=", idle_timeout: 1s") as (_, tg):
        tg.say("hello", chat=OWNER, user=OWNER)
        tg.say("hang", chat=5, user=5)
        await tg.until(lambda: tg.messages(OWNER))
        tg.blocked.add(5)
        await tg.until(lambda: len(tg.messages(OWNER)) == 2)

        assert "support could not deliver a message" in tg.texts(OWNER)[1]


async def test_nobody_is_told_where_nobody_is_named(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("denied")
        await tg.until(lambda: tg.messages(CHAT))
        await asyncio.sleep(0.2)

        assert "we have been told" not in tg.texts(CHAT)[0]
        assert not tg.messages(OWNER)


async def test_connection_that_another_process_takes_is_told(start: Start) -> None:
    async with start(top=_ALERTS) as (_, tg):
        tg.say("hello", chat=OWNER, user=OWNER)
        await tg.until(lambda: tg.messages(OWNER))
        conflict = Fault(409, "Conflict: terminated by other getUpdates request")
        tg.fail("getUpdates", *[conflict] * 2)
        tg.say("one")  # ends the poll that is held open
        await tg.until(lambda: len(tg.messages(OWNER)) == 2)
        tg.say("two")
        await tg.until(lambda: len(tg.messages(OWNER)) == 3)

        assert "support no longer receives messages" in tg.texts(OWNER)[1]
        assert "support works again" in tg.texts(OWNER)[2]
