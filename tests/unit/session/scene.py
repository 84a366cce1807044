"""A session on a store in memory: say something, and see what would go out."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gateway.abc.adapter import AdapterContext, Features
from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import Claim, Entry, Store
from gateway.access import Door
from gateway.completion.model import TurnCompletion
from gateway.delivery import Mail, unfold
from gateway.errors import FetchFailed
from gateway.messages import Answer, Attachment, Event, Inbound, Part, Person, Place, Receipt
from gateway.notes import Notebook, NoteSettings
from gateway.observability import Metrics
from gateway.session import Bot, Deadlines, Nursery, RunningTurns, SessionManager
from gateway.session.envelope import seal
from gateway.session.lanes import lane_of
from gateway.session.poison import UNREAD
from gateway.session.record import Record, read, turn_id
from gateway.settings import AccessSettings
from gateway.stores.memory import MemoryStore

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["ADA", "BOB", "Answering", "QuietAdapter", "Scene", "reply"]

ADA, BOB = Person("ada", "Ada"), Person("bob", "Bob")
Asked = Callable[[TurnRequest, TurnContext], Awaitable[TurnResult]]


def reply(text: str = "", reason: str = "", **values: object) -> TurnResult:
    """What an agent gives back, with a word for the ending where there is one."""
    completion = TurnCompletion.from_dict({"reason": reason, **values}) if reason else None
    return TurnResult(text, completion)


class Answering:
    """An agent that does what the test says, and remembers what it was asked."""

    def __init__(self, answer: Asked | Sequence[TurnResult], *, reports_actions: bool = True) -> None:
        self.reports_actions = reports_actions
        self.requests: list[TurnRequest] = []
        self._answer = answer
        self._at = 0

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        """Do it."""
        self.requests.append(request)
        if callable(self._answer):
            return await self._answer(request, context)
        self._at += 1
        return self._answer[self._at - 1]

    async def close(self) -> None:
        """Nothing is held."""


class QuietAdapter:
    """An adapter that shows nothing and remembers answered presses."""

    def __init__(self, features: Features | None = None, *, press: Exception | None = None) -> None:
        self.features = features or Features()
        self.presses: list[str] = []
        self._press = press

    async def run(self, context: AdapterContext) -> None:
        """Receive nothing."""

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """One part."""
        return (Part(f"{key}.0", {"text": answer.text}, {"text": answer.text}),)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Take everything."""
        del place, replaces, plain
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
        """Remember it, or break."""
        if self._press is not None:
            raise self._press
        self.presses.append(text or inbound.press)

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


@dataclass
class Scene:
    """One bot `bot` and its session manager.

    Attributes:
        store: Where everything is kept; replaced by tests that break it.
    """

    agent: Answering
    clock: Clock = field(default_factory=SystemClock)
    adapter: QuietAdapter = field(default_factory=QuietAdapter)
    notes: NoteSettings = field(default_factory=lambda: NoteSettings(surface=True))
    deadlines: Deadlines = field(default_factory=Deadlines)
    on_restart: str = "explain"
    admins: tuple[str, ...] = ()
    running: RunningTurns = field(default_factory=RunningTurns)
    nursery: Nursery = field(default_factory=Nursery)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.store: Store = MemoryStore(clock=self.clock)
        self._ids = itertools.count(1)
        self.connect(self.store)

    def connect(self, store: Store) -> None:
        """Build the bot and its manager on a store."""
        self.store = store
        self.bot = Bot(
            name="bot",
            platform="test",
            adapter=self.adapter,
            agent=self.agent,
            agent_name="agent",
            door=Door(
                AccessSettings.model_validate({"dm": "open", "admins": self.admins}),
                store,
                self.clock,
                "bot",
            ),
            notebook=Notebook(),
            notes=self.notes,
            deadlines=self.deadlines,
            streaming=False,
            on_restart="rerun" if self.on_restart == "rerun" else "explain",
        )
        self.manager = SessionManager(
            store,
            bots=lambda: {"bot": self.bot},
            clock=self.clock,
            running=self.running,
            nursery=self.nursery,
            metrics=self.metrics,
        )

    async def put(self, inbound: Inbound) -> None:
        """Accept something."""
        name, lane = lane_of("bot", inbound)
        event = Event(b"{}", (f"event {next(self._ids)}",), inbound)
        await self.store.put([Entry(name, lane, event.dedupe, seal(event), self.clock.time())])

    async def claim(self) -> Claim:
        """The oldest head."""
        (claim,) = await self.store.claim("test", bots=["bot", "bot!"], limit=1, lease=600.0)
        return claim

    async def do(self, inbound: Inbound) -> Record:
        """Accept something and take it to its end; its record."""
        await self.put(inbound)
        claim = await self.claim()
        await self.manager.handle(claim)
        return await self.record(claim)

    async def say(self, text: str, *, by: Person = ADA, chat: str = "1") -> Record:
        """A message, to its end."""
        return await self.do(Inbound("message", Place(chat), by, text, message_id=f"m{next(self._ids)}"))

    async def command(self, name: str, text: str = "", *, by: Person = ADA) -> Record:
        """A command, to its end."""
        return await self.do(Inbound("command", Place("1"), by, text, command=name))

    async def press(self, token: str, *, by: Person = ADA, chat: str = "1") -> Record:
        """A press on a button, to its end."""
        return await self.do(Inbound("action", Place(chat), by, action=token, press="p1"))

    async def record(self, claim: Claim) -> Record:
        """The record of an entry."""
        turn = await self.store.turn(turn_id(claim.entry))
        assert turn is not None
        return read(turn)

    async def mail(self) -> list[Mail]:
        """What is owed, oldest first; hereby delivered."""
        found: list[Mail] = []
        while True:
            letters = await self.store.claim_letters("test", bots=["bot", "bot!"], limit=16, lease=60.0)
            if not letters:
                return found
            for letter in letters:
                unread = letter.letter.id.startswith(UNREAD)
                if not unread:
                    found.append(unfold(letter.letter.body))
                await self.store.settle(letter, "dropped" if unread else "delivered")

    async def answer(self) -> Answer:
        """The one answer that is owed."""
        (mail,) = await self.mail()
        return mail.answer

    def token(self, answer: Answer, kind: str) -> str:
        """The token of a button."""
        return next(action.token for action in answer.actions if action.kind == kind)

    def silent(self) -> float:
        """What `turns_without_visible_outcome` stands at."""
        labels = {"bot": "bot"}
        name = "lastword_turns_without_visible_outcome_total"
        return self.metrics.registry.get_sample_value(name, labels) or 0.0
