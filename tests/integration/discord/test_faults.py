"""Faults that people reported of chat gateways, as they happen on the wire of this one."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.emulators.discord import Fault
from tests.integration.discord.scene import discord_bot

MESSAGES, ONE = "/channels/*/messages", "/channels/*/messages/*"
LONG = "word " * 950
SCRIPT = f"""
      - {{when: long, say: "{LONG}"}}
      - {{when: cut, say: "one two three four five six", end: max_steps}}
      - {{when: "*", say: "hello"}}
"""


def _turns(folder: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(f"file:{folder / 'lastword.db'}?mode=ro", uri=True)) as db:
        return [json.loads(row[0]) for row in db.execute("SELECT body FROM turns ORDER BY entry")]


async def test_chunk_that_is_limited_waits_and_goes_on_there(tmp_path: Path) -> None:
    async with discord_bot(tmp_path, script=SCRIPT) as (_, discord):
        discord.fail("POST", MESSAGES, Fault(passes=True), Fault(status=429, retry_after=1.0))
        discord.world.say("long")
        await discord.until(lambda: len(discord.texts()) == 3)

        assert " ".join(discord.texts()).split() == ["word"] * 950
        assert len(discord.sent("POST", MESSAGES)) == 4


async def test_reply_one_letter_too_long_is_two_messages(tmp_path: Path) -> None:
    script = f'\n      - {{when: "*", say: "{"a" * 2001}"}}\n'
    async with discord_bot(tmp_path, script=script) as (_, discord):
        discord.world.say("hi")
        await discord.until(lambda: len(discord.texts()) == 2)

        assert "".join(discord.texts()) == "a" * 2001


async def test_refused_form_goes_plainly_once_and_never_unchanged(tmp_path: Path) -> None:
    refused = Fault(status=400, code=50035, message="Invalid Form Body")
    async with discord_bot(tmp_path, script=SCRIPT) as (_, discord):
        discord.fail("POST", MESSAGES, refused, refused)
        discord.world.say("long")
        await discord.until(lambda: len(discord.texts()) == 2)

        bodies = [json.dumps(body) for body in discord.sent("POST", MESSAGES)]
        assert len(bodies) == 4
        assert "Invalid Form Body" not in "".join(discord.texts())


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(cut=True, after=True), Fault(status=503)])
async def test_answer_outlives_a_discord_that_is_down_and_comes_once(tmp_path: Path, fault: Fault) -> None:
    async with discord_bot(tmp_path, script=SCRIPT) as (_, discord):
        discord.fail("POST", MESSAGES, fault, fault)
        discord.world.say("hi")
        await discord.until(lambda: len(discord.sent("POST", MESSAGES)) == 3)
        await discord.until(lambda: _turns(tmp_path)[0].get("state") == "delivered")

        assert discord.texts() == ["hello"]
        assert not _turns(tmp_path)[0].get("maybe_duplicate")


async def test_final_that_fails_leaves_what_was_shown_until_it_succeeds(tmp_path: Path) -> None:
    async with discord_bot(tmp_path, script=SCRIPT, agent="pace: 0.2") as (_, discord):
        discord.world.say("cut")
        await discord.until(discord.texts)
        handle = discord.world.shown()[0].id
        discord.fail("PATCH", ONE, *(Fault(status=500) for _ in range(3)))
        await discord.until(lambda: "step limit" in discord.texts()[-1], timeout=20.0)

        assert [shown.id for shown in discord.world.shown()] == [handle]
        assert discord.world.shown()[0].buttons


async def test_edits_that_are_limited_pause_and_the_final_comes_all_the_same(tmp_path: Path) -> None:
    async with discord_bot(tmp_path, script=SCRIPT, agent="pace: 0.3") as (_, discord):
        discord.world.say("cut")
        await discord.until(discord.texts)
        discord.fail("PATCH", ONE, Fault(status=429, retry_after=2.0))
        await discord.until(lambda: "step limit" in discord.texts()[-1], timeout=20.0)

        assert len(discord.texts()) == 1


@pytest.mark.parametrize("code", [50001, 50007, 10003])
async def test_dead_target_closes_the_turn_and_is_not_tried_again(tmp_path: Path, code: int) -> None:
    async with discord_bot(tmp_path, script=SCRIPT) as (_, discord):
        discord.fail("POST", MESSAGES, Fault(status=403 if code > 50000 else 404, code=code))
        discord.world.say("hi")
        await discord.until(lambda: [turn.get("state") for turn in _turns(tmp_path)] == ["undeliverable"])
        assert len(discord.sent("POST", MESSAGES)) == 1

        discord.world.say("back again")
        await discord.until(lambda: len(discord.texts()) == 2)
        lost, answer = sorted(discord.texts(), key=lambda text: text == "hello")
        assert "I could not deliver an earlier answer" in lost
        assert answer == "hello"


async def test_thread_deleted_mid_turn_disturbs_nothing_else(tmp_path: Path) -> None:
    script = '\n      - {when: slow, wait: 1.0, say: "late"}\n      - {when: "*", say: "hello"}\n'
    async with discord_bot(tmp_path, script=script) as (_, discord):
        world = discord.world
        thread = world.thread()
        world.say(f"<@{world.bot}> slow", channel=thread)
        await discord.until(lambda: discord.sent("POST", f"/channels/{thread}/typing"))
        world.backend.delete_channel(thread)
        world.say("hi")
        await discord.until(lambda: discord.texts() == ["hello"])
        await discord.until(lambda: "undeliverable" in [turn.get("state") for turn in _turns(tmp_path)])


async def test_other_bots_are_never_answered(tmp_path: Path) -> None:
    """Not even our own note, echoed by one."""
    async with discord_bot(tmp_path, script=SCRIPT) as (_, discord):
        world = discord.world
        other = world.backend.make_user("echo", bot=True)
        world.backend.add_member(world.guild, other.id)
        for _ in range(10):
            world.say(
                f"<@{world.bot}> ⏳ I stopped after reaching the step limit",
                channel=world.channel,
                user=other.id,
            )
        world.say("hi")
        await discord.until(lambda: discord.texts() == ["hello"])

        assert discord.texts(world.channel) == []


async def test_preview_still_on_its_way_becomes_the_answer(tmp_path: Path) -> None:
    async with discord_bot(tmp_path, script=SCRIPT, agent="pace: 0.15") as (_, discord):
        hold = asyncio.Event()
        discord.fail("POST", MESSAGES, Fault(hold=hold, passes=True))
        discord.world.say("cut")
        await discord.until(lambda: discord.sent("POST", MESSAGES))
        await asyncio.sleep(1.0)
        hold.set()
        await discord.until(lambda: discord.texts() and "step limit" in discord.texts()[-1])

        assert len(discord.texts()) == 1


async def test_agent_that_breaks_tells_nothing_of_the_inside(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        discord.world.say("!error")
        await discord.until(discord.texts)

        told = json.dumps([body for _, _, body in discord.calls])
        assert "sk-fake" not in told
        assert discord.token not in told
