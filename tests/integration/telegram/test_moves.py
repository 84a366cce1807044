"""Groups that become supergroups: what is said in them stays one conversation, and answers follow."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gateway.errors import StoreError
from gateway.messages import Answer, Part, Place
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from gateway_adapters.telegram.moves import Moves
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.telegram.alone import adapter_of, alone
from tests.integration.telegram.scene import config

OLD, NEW, NEWER = -500, -1_000_500, -1_000_501
THERE = Place(str(OLD), private=False)
PART = Part("p", {"text": "hello"}, {"text": "hello"})


async def test_what_is_said_after_a_move_tells_where_the_chat_began() -> None:
    async with alone() as (adapter, tg):
        tg.say("@emulated_bot before", chat=OLD, user=1, kind="group")
        tg.migrate(OLD, NEW)
        tg.say("@emulated_bot after", chat=NEW, user=1)
        async with listening(adapter) as context:
            await context.until(lambda: len(context.inbounds) == 2)

        assert [one.place for one in context.inbounds] == [
            Place(str(OLD), private=False),
            Place(str(NEW), private=False, formerly=str(OLD)),
        ]
        assert context.facts == {f"moved/{OLD}": str(NEW).encode()}


async def test_press_after_a_move_tells_where_the_chat_began() -> None:
    async with alone() as (adapter, tg):
        tg.migrate(OLD, NEW)
        tg.press_data(NEW, 3, "token", user=1)
        async with listening(adapter) as context:
            await context.until(lambda: context.inbounds)

        assert context.inbounds[0].place.formerly == str(OLD)


async def test_everything_meant_for_the_old_id_goes_to_the_new_one() -> None:
    async with alone() as (adapter, tg):
        tg.migrate(OLD, NEW)
        async with listening(adapter) as context:
            await context.until(lambda: context.events)
        before = len(tg.calls)

        await adapter.typing(THERE)
        handle = await adapter.preview(THERE, "hel", turn="t")
        receipt = await adapter.send(THERE, PART, replaces=handle)
        other = await adapter.send(THERE, PART)
        await adapter.retract(THERE, f"{other.message_id}@{NEW}")

        assert {int(params["chat_id"]) for _, params in tg.calls[before:]} == {NEW}
        assert tg.texts(NEW) == ["hello"]
        assert receipt.message_id
        assert tg.typing[NEW] == 1


@pytest.mark.parametrize("what", ["send", "preview", "typing"])
async def test_move_that_a_call_runs_into_is_followed_at_once_and_kept(what: str) -> None:
    async with alone() as (adapter, tg):
        tg.migrate(OLD, NEW, told=False)
        async with listening(adapter) as context:
            await context.until(lambda: "up" in context.states)
            if what == "send":
                await adapter.send(THERE, PART)
            elif what == "preview":
                await adapter.preview(THERE, "hello", turn="t")
            else:
                await adapter.typing(THERE)
            tg.say("@emulated_bot hi", chat=NEW, user=1)
            await context.until(lambda: context.inbounds)

        assert tg.texts(NEW) == ([] if what == "typing" else ["hello"])
        assert tg.typing[NEW] == (what == "typing")
        assert context.inbounds[0].place.formerly == str(OLD)
        assert context.facts == {f"moved/{OLD}": str(NEW).encode()}


async def test_move_found_before_the_first_run_is_kept_by_it() -> None:
    """Answers owed from before a restart leave before anything is received."""
    async with alone() as (adapter, tg):
        tg.migrate(OLD, NEW, told=False)
        await adapter.send(THERE, PART)
        async with listening(adapter) as context:
            await context.until(lambda: context.facts)

        assert context.facts == {f"moved/{OLD}": str(NEW).encode()}


async def test_chat_that_moved_twice_is_still_the_first() -> None:
    async with alone() as (adapter, tg):
        tg.migrate(OLD, NEW)
        tg.migrate(NEW, NEWER, told=False)
        async with listening(adapter) as context:
            await context.until(lambda: context.events)
            await adapter.send(THERE, PART)
            await adapter.send(Place(str(NEW), private=False, formerly=str(OLD)), PART)
            tg.say("@emulated_bot hi", chat=NEWER, user=1)
            await context.until(lambda: context.inbounds)

        assert tg.texts(NEWER) == ["hello", "hello"]
        assert context.inbounds[0].place == Place(str(NEWER), private=False, formerly=str(OLD))


async def test_restart_knows_of_moves() -> None:
    context = FakeAdapterContext()
    async with TelegramEmulator() as tg:
        tg.migrate(OLD, NEW)
        for round_ in range(2):
            adapter = adapter_of(tg)
            async with listening(adapter, context):
                tg.say("@emulated_bot hi", chat=NEW, user=1)
                await context.until(lambda: tg.unconfirmed == 0)
                await adapter.send(THERE, PART)
            await adapter.close()
            assert len(tg.texts(NEW)) == round_ + 1

        assert [one.place.formerly for one in context.inbounds] == [str(OLD)] * 2
        assert [params for params in tg.sent("sendMessage") if int(params["chat_id"]) == OLD] == []


async def test_move_that_cannot_be_kept_is_not_confirmed() -> None:
    """Telegram tells of it once."""

    class _Forgetful(FakeAdapterContext):
        async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
            if self.refusals > 0:
                self.refusals -= 1
                raise StoreError("the store refuses")
            await super().keep(key, value, ttl=ttl)

    async with alone() as (adapter, tg):
        tg.migrate(OLD, NEW)
        context = _Forgetful(refusals=2)
        async with listening(adapter, context):
            await context.until(lambda: tg.unconfirmed == 0)

        assert context.facts == {f"moved/{OLD}": str(NEW).encode()}
        assert [event.dropped for event in context.events] == ["migrated", "migrated"]


async def test_preview_from_before_a_move_is_not_taken_for_another_message() -> None:
    """Message ids count within a chat: the same number there is somebody else's words."""
    async with alone() as (adapter, tg):
        tg.chats.known.add(OLD)
        handle = await adapter.preview(THERE, "hel", turn="t")
        tg.migrate(OLD, NEW, told=False)
        other = await adapter.send(Place(str(NEW), private=False), Part("q", {"text": "other"}))
        assert other.message_id == handle

        receipt = await adapter.send(THERE, PART, replaces=handle)
        await adapter.retract(THERE, handle)
        await adapter.disarm(THERE, handle)

        assert tg.texts(NEW) == ["other", "hello"]
        assert receipt.message_id != other.message_id


async def test_answer_quotes_no_message_that_has_its_number_by_chance() -> None:
    async with alone() as (adapter, tg):
        tg.chats.known.add(OLD)
        asked = tg.say("@emulated_bot hi", chat=OLD, user=1, kind="group")
        tg.migrate(OLD, NEW, told=False)
        (part,) = adapter.render(Answer("hello", reply_to=str(asked)), key="k")
        await adapter.send(THERE, part)

        first, second = tg.sent("sendMessage")
        assert "reply_parameters" in first
        assert "reply_parameters" not in second


async def test_ring_of_moves_ends() -> None:
    moves = Moves()
    for old, new in (("1", "2"), ("2", "3"), ("3", "1")):
        await moves.learn(old, new)

    assert moves.target("1") == "3"
    assert moves.formerly("1") == "2"


async def test_group_keeps_its_conversation_over_a_move_and_a_restart(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        scene = config(tg, script='\n      - {when: "*", say: "hello"}\n')
        async with running(tmp_path, scene):
            tg.say("@emulated_bot hi", chat=OLD, user=1, kind="group")
            await tg.until(lambda: tg.messages(OLD))
            tg.migrate(OLD, NEW)
            tg.say("@emulated_bot hi again", chat=NEW, user=1)
            await tg.until(lambda: tg.messages(NEW))
        async with running(tmp_path, scene):
            tg.say("@emulated_bot and again", chat=NEW, user=1)
            await tg.until(lambda: len(tg.messages(NEW)) == 2)

        with closing(sqlite3.connect(tmp_path / "lastword.db")) as db:
            lanes = db.execute("SELECT lane FROM turns").fetchall()
        assert lanes == [(f"support/{OLD}",)] * 3


async def test_answer_rendered_before_a_move_arrives_whole() -> None:
    async with alone() as (adapter, tg):
        tg.chats.known.add(OLD)
        first, *rest = adapter.render(Answer("word " * 2000, reply_to="1"), key="k")
        await adapter.send(THERE, first)
        tg.migrate(OLD, NEW, told=False)
        for part in rest:
            await adapter.send(THERE, part)

        assert " ".join((*tg.texts(OLD), *tg.texts(NEW))).split() == ["word"] * 2000
