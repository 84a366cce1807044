"""A page that one process serves shows what the other says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.integration.process import until
from tests.integration.replicas.scene import LEASE, Replica, replicas, shared_store
from tests.integration.webchat import Visitor

pytestmark = pytest.mark.kill

CHAT = "/chat/site"
_CONFIG = """
version: 1
store: "{store}"
lease: {lease}s
server: {{port: 0}}
agents:
  teller:
    kind: scripted
    directives: true
    pace: 0.1
    script:
      - {{when: cut short, say: "one two three", end: max_steps, resume: "four five six"}}
      - {{when: growing, say: "one two three four five six seven eight nine ten eleven twelve"}}
      - {{when: hang, say: "thinking about it", hang: true}}
      - {{when: "*", say: "hello"}}
bots:
  site: {{platform: local, agent: teller, surface_completion_reason: true}}
"""


@asynccontextmanager
async def _pages(folder: Path) -> AsyncGenerator[tuple[Replica, Replica]]:
    """The process that holds the chat's bot, and one that stands by."""
    text = _CONFIG.format(store=shared_store(), lease=LEASE)
    async with replicas(folder, text) as (one, other):
        await until(lambda: _settled(one, other))
        yield (one, other) if await one.leads("site") else (other, one)


async def _settled(one: Replica, other: Replica) -> bool:
    return {await one.state("site"), await other.state("site")} == {"up", "standby"}


async def test_page_shows_an_answer_growing_that_the_other_process_writes(tmp_path: Path) -> None:
    async with _pages(tmp_path) as (owner, other), Visitor(other.address, CHAT) as visitor:
        await visitor.say("growing please")
        answer = await visitor.answered(1)

        assert answer["text"].endswith("twelve")
        assert visitor.previews
        assert all("one" in html for html in visitor.previews)
        assert len(owner.events("turn.finished")) == 1
        assert not other.events("turn.finished")


async def test_pages_of_both_processes_show_the_same_history(tmp_path: Path) -> None:
    async with _pages(tmp_path) as (owner, other), Visitor(other.address, CHAT) as visitor:
        for number in range(4):
            visitor.address = (owner, other)[number % 2].address
            await visitor.say(f"hi {number}")
            await visitor.answered(number + 1)
        shown = [await visitor.history(address) for address in (owner.address, other.address)]

        assert shown[0] == shown[1]
        said = [body.get("text") for kind, body in shown[0] if kind in ("message", "answer")]
        assert said == [word for number in range(4) for word in (f"hi {number}", "hello")]


async def test_button_pressed_at_one_process_is_answered_by_the_other(tmp_path: Path) -> None:
    async with _pages(tmp_path) as (owner, other), Visitor(other.address, CHAT) as visitor:
        await visitor.say("cut short please")
        await visitor.answered(1)
        await visitor.press("continue")
        answer = await visitor.answered(2)

        assert "four" in answer["text"]
        assert len(owner.events("turn.finished")) == 2


async def test_stop_at_one_process_ends_the_turn_of_the_other(tmp_path: Path) -> None:
    async with _pages(tmp_path) as (owner, other), Visitor(other.address, CHAT) as visitor:
        await visitor.say("hang please")
        await visitor.until(lambda: visitor.previews)
        await visitor.stop()
        await visitor.answered(1, timeout=3.0)

        (ended,) = owner.events("turn.finished")
        assert ended["reason"] == "cancelled"


async def test_page_goes_on_when_the_owner_dies_in_the_middle(tmp_path: Path) -> None:
    async with _pages(tmp_path) as (owner, other), Visitor(other.address, CHAT) as visitor:
        await visitor.say("growing please")
        await visitor.until(lambda: visitor.previews)
        await owner.kill()
        answer = await visitor.answered(1)
        await asyncio.sleep(0.5)

        assert answer["text"].endswith("twelve")
        assert len(visitor.answers) == 1
