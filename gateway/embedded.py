"""The session manager for callers who bring their own platform: a message in, a reply and its ending out."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gateway import plugins
from gateway.abc.adapter import AdapterContext, Features
from gateway.abc.agent import Agent
from gateway.abc.clock import SystemClock
from gateway.abc.store import Commit, Entry
from gateway.access import Door
from gateway.completion.model import AgentReply, TurnCompletion, append_completion_note
from gateway.errors import FetchFailed, LeaseLost, StoreError
from gateway.messages import Answer, Attachment, Event, Inbound, Part, Person, Place, Receipt
from gateway.notes import Notebook, NoteSettings
from gateway.observability import Metrics
from gateway.session import Bot, Deadlines, Nursery, RunningTurns, SessionManager
from gateway.session.envelope import seal
from gateway.session.record import Record, read, turn_id
from gateway.settings import AccessSettings
from gateway.stores.memory import MemoryStore

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["BotSessionManager"]

_LEASE = 86_400.0  # seconds; nobody else claims in here
_AGENTS = 1024  # wrapped agent objects that are remembered
_TRIM_EVERY = 512  # chats
_PEOPLE = 10_000  # whose history is remembered
_LINES = 100  # of history that agents are given; twice as many are kept before the older go
_CLEAN = NoteSettings(surface=False, never_silent=False)


class BotSessionManager:
    """Runs turns of agents for many people: each person's in order, people side by side.

    It is the gateway's own straight line on a store in memory. Agents may be objects with `chat(text)`,
    functions, generators or what the frameworks build.

    Args:
        platform: The platform's name, for the record.
        surface_completion_reason: Whether `chat` appends the note of an ending that was not clean.
        timeout: Seconds one turn may take.
        idle_timeout: Seconds a turn may show no sign of life.
    """

    def __init__(
        self,
        *,
        platform: str = "",
        surface_completion_reason: bool = False,
        timeout: float = 300.0,
        idle_timeout: float = 300.0,
    ) -> None:
        self._platform = platform
        self._surface = surface_completion_reason
        self._deadlines = Deadlines(timeout, idle_timeout)
        self._clock = SystemClock()
        self._store = MemoryStore(clock=self._clock)
        self._bots: dict[str, Bot] = {}
        self._agents: OrderedDict[int, tuple[object, Agent]] = OrderedDict()
        self._turnstile: dict[str, tuple[asyncio.Lock, int]] = {}
        self._notebook = Notebook()
        self._lanes: OrderedDict[str, str] = OrderedDict()
        self._chats = 0
        self._manager = SessionManager(
            self._store,
            bots=lambda: self._bots,
            clock=self._clock,
            running=RunningTurns(),
            nursery=Nursery(),
            metrics=Metrics(),
            salt=secrets.randbits(25),
        )

    async def chat(self, agent: object, user_id: str, text: str) -> str:
        """The agent's text; with its note after a blank line where that is enabled.

        With the note off this is the agent's text, byte for byte.
        """
        reply = await self.chat_reply(agent, user_id, text)
        return append_completion_note(reply.text, reply.completion, enabled=self._surface)

    async def chat_reply(self, agent: object, user_id: str, text: str) -> AgentReply:
        """The agent's text and how the turn ended, for callers that branch on the reason."""
        record = await self.chat_record(agent, user_id, text)
        return AgentReply(record.partial, TurnCompletion.from_dict(record.completion))

    async def chat_record(self, agent: object, user_id: str, text: str) -> Record:
        """The whole record of the turn: text, completion, reference, usage."""
        name = f"{self._platform or 'embedded'}:{user_id}"
        lock, waiting = self._turnstile.get(name, (asyncio.Lock(), 0))
        self._turnstile[name] = (lock, waiting + 1)
        try:
            async with lock:
                return await self._turn(name, self._wrapped(agent), user_id, text)
        finally:
            lock, waiting = self._turnstile[name]
            if waiting > 1:
                self._turnstile[name] = (lock, waiting - 1)
            else:
                del self._turnstile[name]

    async def _turn(self, name: str, agent: Agent, user_id: str, text: str) -> Record:
        inbound = Inbound("message", Place(user_id), Person(user_id), text)
        lane = f"{name}/{user_id}"
        entry = Entry(name, lane, (), seal(Event(b"", inbound=inbound)), self._clock.time())
        self._bots[name] = self._bot(name, agent)
        try:
            await self._store.put([entry])
            (claim,) = await self._store.claim("embedded", bots=[name], limit=1, lease=_LEASE)
            try:
                await self._manager.handle(claim)
            except BaseException:  # the caller gave up, or it broke: the next chat must find a free lane
                with contextlib.suppress(LeaseLost):
                    await self._store.commit(claim, Commit())
                raise
            record = await self._ended(name, claim.entry)
            await self._tidy(name, lane)
        finally:
            del self._bots[name]
        return record

    async def _ended(self, name: str, entry: int) -> Record:
        """What the turn came to; the letter it left is hereby delivered."""
        for letter in await self._store.claim_letters("embedded", bots=[name], limit=1, lease=_LEASE):
            await self._store.settle(letter, "delivered")
        turn = await self._store.turn(turn_id(entry))
        if turn is None:
            raise StoreError(f"the record of entry {entry} is gone")
        return read(turn)

    async def _tidy(self, name: str, lane: str) -> None:
        self._chats += 1
        if self._chats % _TRIM_EVERY == 0:
            await self._store.trim(self._clock.time(), limit=_TRIM_EVERY * 4)
        self._lanes[name] = lane
        self._lanes.move_to_end(name)
        lines = await self._store.history(lane, limit=_LINES * 2 + 1)
        if len(lines) > _LINES * 2:
            await self._forget(name, lane, Commit(forget=tuple({line.turn for line in lines[:-_LINES]})))
        oldest = next(iter(self._lanes))
        if len(self._lanes) > _PEOPLE and oldest not in self._bots:
            await self._forget(oldest, self._lanes.pop(oldest), Commit(clear=True))

    async def _forget(self, name: str, lane: str, commit: Commit) -> None:
        """Apply a commit that only removes lines; every commit needs an entry to end."""
        await self._store.put([Entry(name, lane, (), b"", self._clock.time())])
        (claim,) = await self._store.claim("embedded", bots=[name], limit=1, lease=_LEASE)
        await self._store.commit(claim, commit)

    def _bot(self, name: str, agent: Agent) -> Bot:
        return Bot(
            name=name,
            platform=self._platform,
            adapter=_NOWHERE,
            agent=agent,
            agent_name="",
            door=Door(AccessSettings(dm="open"), self._store, self._clock, name),
            notebook=self._notebook,
            notes=_CLEAN,
            deadlines=self._deadlines,
            history=_LINES,
            streaming=False,
        )

    def _wrapped(self, agent: object) -> Agent:
        known = self._agents.get(id(agent))
        if known is not None and known[0] is agent:
            self._agents.move_to_end(id(agent))
            return known[1]
        wrapped = plugins.wrap_agent(agent)
        self._agents[id(agent)] = (agent, wrapped)
        if len(self._agents) > _AGENTS:
            self._agents.popitem(last=False)
        return wrapped


class _Nowhere:
    """The adapter of callers who deliver themselves."""

    features = Features(buttons=False)

    async def run(self, context: AdapterContext) -> None:
        """Receive nothing."""

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """One part with the text."""
        return (Part(key, {"text": answer.text}, {"text": answer.text}),)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Deliver nothing; the caller has the text."""
        del place, part, replaces, plain
        return Receipt()

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


_NOWHERE = _Nowhere()
