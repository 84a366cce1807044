"""A platform that misbehaves on demand, and letters on their way to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gateway.abc.adapter import AdapterContext, Features
from gateway.abc.clock import Clock
from gateway.abc.store import Commit, Entry, Letter, LetterClaim, LetterState, PartRow
from gateway.delivery import Aftermath, Mail, Outlet, Result, Sender, encode, fold
from gateway.errors import FetchFailed
from gateway.messages import Answer, Attachment, Inbound, Note, Part, Place, Receipt
from gateway.stores.memory import MemoryStore
from gateway.testing.clock import ManualClock

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["HERE", "Post", "Sent", "Touchy", "encoded", "text_and_note"]

HERE = Place("1")


@dataclass(frozen=True)
class Sent:
    """One send as the platform saw it."""

    chat: str
    text: str
    replaces: str = ""
    plain: bool = False


class Touchy:
    """An adapter: paragraphs become parts, and each send takes the next of `faults`, `None` for none.

    Attributes:
        sends: Every send, also those that failed.
        shown: What a person sees.
    """

    def __init__(self, *faults: BaseException | None, features: Features | None = None) -> None:
        self.features = features or Features()
        self.faults = list(faults)
        self.sends: list[Sent] = []
        self.shown: list[str] = []
        self.retracted: list[str] = []
        self.render_faults: list[Exception] = []
        self.mute = False

    async def run(self, context: AdapterContext) -> None:
        """Receive nothing."""

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """A part for each paragraph, and one for the note."""
        if self.render_faults:
            raise self.render_faults.pop(0)
        texts = [] if self.mute and not answer.plain else [text for text in answer.text.split("\n\n") if text]
        parts = [Part(f"{key}.{at}", {"text": text}, {"text": text}) for at, text in enumerate(texts)]
        if answer.lead and parts:
            led = {"text": f"{answer.lead}\n{texts[0]}"}
            parts[0] = Part(parts[0].id, led, led)
        if answer.note is not None:
            body = {"text": answer.note.text}
            parts.append(Part(f"{key}.note", body, body, "note"))
        return tuple(parts)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Take it, or do what the script says."""
        text = str(part.body["text"])
        self.sends.append(Sent(place.chat, text, replaces, plain))
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            raise fault
        self.shown.append(text)
        return Receipt(f"m{len(self.shown)}")

    async def typing(self, place: Place) -> None:
        """Show nothing."""

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show nothing."""
        del place, text, turn
        return handle

    async def retract(self, place: Place, handle: str) -> None:
        """Remember it."""
        del place
        self.retracted.append(handle)

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


@dataclass
class Post:
    """A post office of one bot; also the `TurnAfter` that it tells.

    Attributes:
        ends: How each letter ended, in order: turn, state, result.
    """

    adapter: Touchy
    clock: ManualClock = field(default_factory=ManualClock)
    ttl: float = 86_400.0
    ends: list[tuple[str, LetterState, Result]] = field(default_factory=list[tuple[str, LetterState, Result]])
    postponements: int = 0

    def __post_init__(self) -> None:
        clock: Clock = self.clock
        self.store = MemoryStore(clock=clock)
        self.known = True
        self.restart()
        self.late_line = ""
        self.twice_line = ""

    def restart(self) -> None:
        """Begin as another process would."""
        clock: Clock = self.clock
        self.sender = Sender(
            self.store,
            "test",
            outlets=lambda: {"bot": Outlet("bot", "test", self.adapter, self.ttl)} if self.known else {},
            turn_after=self,
            clock=clock,
        )

    async def leaving(self, outlet: Outlet, claim: LetterClaim, mail: Mail) -> Mail:
        """Mark it as late where the test says so."""
        del outlet, claim
        return replace(mail, answer=dataclasses.replace(mail.answer, lead=self.late_line))

    async def twice(self, outlet: Outlet, claim: LetterClaim) -> Note | None:
        """The line of the test."""
        del outlet, claim
        return Note(self.twice_line, "notice") if self.twice_line else None

    async def postponed(self, outlet: Outlet) -> None:
        """Count."""
        del outlet
        self.postponements += 1

    async def closed(
        self, outlet: Outlet, claim: LetterClaim, state: LetterState, result: Result
    ) -> Aftermath:
        """Remember."""
        del outlet
        self.ends.append((claim.letter.turn, state, result))
        return Aftermath()

    async def owe(
        self,
        answer: Answer | bytes,
        *,
        lane: str = "bot/1",
        name: str = "t1",
        preview: str = "",
        orphan: bool = False,
        heard: float = 0.0,
        place: Place = HERE,
    ) -> None:
        """Commit an answer."""
        body = answer if isinstance(answer, bytes) else fold(Mail(place, answer, preview, orphan, heard))
        await self.store.put([Entry("bot", f"in/{name}", (), b"", 0.0)])
        (claim,) = await self.store.claim("test", bots=["bot"], limit=1, lease=60.0)
        letter = Letter(name, "bot", lane, name, body, self.clock.time())
        await self.store.commit(claim, Commit(letters=(letter,)))

    async def claim(self) -> LetterClaim | None:
        """The oldest letter that is due."""
        letters = await self.sender.claim(1, 60.0)
        return letters[0] if letters else None

    async def deliver(self) -> bool:
        """Do what is due, once; whether anything was."""
        letters = await self.sender.claim(16, 60.0)
        for letter in letters:
            await self.sender.do(letter)
        return bool(letters)

    async def deliver_all(self, *, most: int = 20) -> None:
        """Let time pass until nothing is owed."""
        for _ in range(most):
            await self.deliver()
            if not (await self.store.counts())["outbox"]:
                return
            self.clock.advance(90.0)
        raise AssertionError("it is still owed")

    @property
    def last(self) -> tuple[LetterState, Result]:
        """How the last letter ended."""
        _, state, result = self.ends[-1]
        return state, result


def encoded(text: str) -> PartRow:
    """A part as it is stored."""
    return PartRow("pending", encode(Part(text, {"text": text}, {"text": text})))


def text_and_note(text: str = "one\n\ntwo", note: str = "the note") -> Answer:
    """An answer of several parts."""
    return Answer(text, Note(note, "max_steps") if note else None)
