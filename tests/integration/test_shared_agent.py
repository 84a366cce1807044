"""Two hundred people, one agent object, the whole gateway: everybody gets their own answer and ending."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gateway import plugins
from gateway.abc.adapter import AdapterContext, Features
from gateway.errors import FetchFailed
from gateway.messages import Answer, Attachment, Event, Inbound, Part, Person, Place, Receipt
from gateway.runtime import Runtime
from tests.integration.inprocess import running

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

PEOPLE = 200
CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {port: 0}
agents:
  shared: {target: "MODULE:AGENT", timeout: 20s, max_concurrent: 256, KEYS}
bots:
  site: {platform: local, agent: shared, surface_completion_reason: true}
"""
REPLYING = """
import asyncio
import sys
from gateway.completion import AgentReply, TurnCompletion

ENDINGS = {0: None, 1: "max_steps", 2: "refused", 3: "raise"}

class Agent:
    async def chat(self, text):
        number = int(text.split()[-1])
        await asyncio.sleep(0.001 * (number % 7))
        ending = ENDINGS[number % 4]
        if ending == "raise":
            raise ConnectionError("db.internal refused")
        return AgentReply(f"for {number}", TurnCompletion(ending) if ending else None)

AGENT = Agent()
"""
REMEMBERING = """
class Agent:
    last_stop_reason = "completed"

    def chat(self, text):
        number = int(text.split()[-1])
        self.last_stop_reason = {0: "completed", 1: "max_steps", 2: "refused", 3: "network_error"}[number % 4]
        return f"for {number}"

AGENT = Agent()
"""
HANGING = """
import threading

def AGENT(text):
    if text.startswith("hang"):
        threading.Event().wait(3)
    return f"for {text.split()[-1]}"
"""
REASONS = {0: "", 1: "max_steps", 2: "refused", 3: "network_error"}


class _Hall:
    """A platform that takes everything and remembers who was told what."""

    def __init__(self) -> None:
        self.features = Features()
        self.heard: defaultdict[str, list[Mapping[str, object]]] = defaultdict(list)
        self.context: AdapterContext | None = None

    async def run(self, context: AdapterContext) -> None:
        """Wait for `say`."""
        self.context = context
        context.report("up")
        await asyncio.Event().wait()

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """One part with text, reason and note."""
        reason = answer.note.reason if answer.note is not None else ""
        note = answer.note.text if answer.note is not None else ""
        return (Part(key, {"text": answer.text, "reason": reason, "note": note}),)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Remember it."""
        del replaces, plain
        self.heard[place.chat].append(part.body)
        return Receipt(part.id)

    async def typing(self, place: Place) -> None:
        """Show nothing."""

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show nothing."""
        del place, text, turn
        return handle

    async def retract(self, place: Place, handle: str) -> None:
        """Remove nothing."""

    async def disarm(self, place: Place, message_id: str) -> None:
        """Nothing to take off."""

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Answer nothing."""

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """No file comes this way."""
        del attachment, limit
        raise FetchFailed("there are no files here")

    def routes(self) -> Sequence[BaseRoute]:
        """None."""
        return ()

    async def probe(self) -> Mapping[str, str]:
        """Nobody to ask."""
        return {}

    async def close(self) -> None:
        """Nothing to free."""

    async def say(self, *texts: tuple[str, str]) -> None:
        """Many people write at once, each a chat and a text."""
        assert self.context is not None
        inbounds = [Inbound("message", Place(chat), Person(chat), text) for chat, text in texts]
        await self.context.accept([Event(b"{}", (f"{one.place.chat}/{one.text}",), one) for one in inbounds])

    async def until(self, holds: Callable[[], bool], *, timeout: float = 30.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout):
            while not holds():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def _hall(
    folder: Path, source: str, monkeypatch: pytest.MonkeyPatch, *, keys: str = "idle_timeout: 20s"
) -> AsyncGenerator[tuple[Runtime, _Hall]]:
    """A gateway whose one bot lives on such a platform."""
    hall = _Hall()

    def create(kind: str, options: object, *, bot: str, base: object) -> _Hall:
        del kind, options, bot, base
        return hall

    monkeypatch.setattr(plugins, "create_adapter", create)
    module = f"agents_of_{folder.name}"  # Python imports a name only once
    (folder / f"{module}.py").write_text(source, "utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    async with running(folder, CONFIG.replace("KEYS", keys).replace("MODULE", module)) as gateway:
        await hall.until(lambda: hall.context is not None)
        yield gateway, hall


def _silent(gateway: Runtime) -> bool:
    return b'turns_without_visible_outcome_total{bot="site"}' in gateway.metrics.render()


@pytest.mark.parametrize("source", [REPLYING, REMEMBERING], ids=["replying", "remembering"])
async def test_everybody_gets_their_own_answer_and_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    async with _hall(tmp_path, source, monkeypatch) as (gateway, hall):
        await hall.say(*((str(number), f"hello {number}") for number in range(PEOPLE)))
        await hall.until(lambda: sum(map(len, hall.heard.values())) >= PEOPLE)
        silent = _silent(gateway)

    wrong: list[str] = []
    for number in range(PEOPLE):
        raised = source is REPLYING and number % 4 == 3
        told = [(body["text"], body["reason"]) for body in hall.heard[str(number)]]
        if told != [("" if raised else f"for {number}", REASONS[number % 4])]:
            wrong.append(f"{number}: {told}")
    assert wrong == []
    assert not silent


async def test_messages_of_one_person_are_answered_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _hall(tmp_path, REMEMBERING, monkeypatch) as (_, hall):
        await hall.say(*((str(chat), f"{chat} {4 * number}") for number in range(5) for chat in range(10)))
        await hall.until(lambda: sum(map(len, hall.heard.values())) >= 50)

    orders = {tuple(body["text"] for body in heard) for heard in hall.heard.values()}
    assert orders == {tuple(f"for {4 * number}" for number in range(5))}


async def test_synchronous_agent_that_hangs_starves_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread cannot be stopped; the turn is, others go on, and operators see the thread counted."""
    keys = "idle_timeout: 1s, threads: 2"
    async with _hall(tmp_path, HANGING, monkeypatch, keys=keys) as (gateway, hall):
        await hall.say(*((f"hang{number}", f"hang {number}") for number in range(2)))
        await asyncio.sleep(0.05)
        await hall.say(*((str(number), f"hello {number}") for number in range(20)))
        await hall.until(lambda: sum(map(len, hall.heard.values())) >= 22)
        abandoned = getattr(gateway.bots["site"].agent, "abandoned", 0)

    assert {hall.heard[f"hang{number}"][0]["reason"] for number in range(2)} == {"timeout"}
    assert [hall.heard[str(number)][0]["text"] for number in range(20)] == [f"for {n}" for n in range(20)]
    assert abandoned == 2
