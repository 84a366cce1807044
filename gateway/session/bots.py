"""One bot as the session manager sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gateway.abc.adapter import Adapter
from gateway.abc.agent import Agent
from gateway.access import Door
from gateway.messages import Inbound, Place
from gateway.notes import Notebook, NoteSettings
from gateway.session.lanes import Scope
from gateway.session.running import Deadlines

__all__ = ["Bot", "Limits", "MidTurn", "Quota", "Reset", "Route", "Seat"]

MidTurn = Literal["queue", "collect", "interrupt", "steer"]


@dataclass(frozen=True, slots=True)
class Seat:
    """Who answers in a place, and how.

    Attributes:
        name: The agent's name in the configuration.
        instructions: More than the agent's own; empty for none.
    """

    agent: Agent
    name: str
    deadlines: Deadlines = field(default_factory=Deadlines)
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """Who answers in one chat, or in one topic of it.

    Attributes:
        topic: Empty for every topic.
    """

    chat: str
    topic: str
    seat: Seat

    def fits(self, place: Place) -> bool:
        """Whether a place is meant; a chat that was moved is meant by both of its ids."""
        return self.chat in (place.chat, place.formerly) and self.topic in ("", place.thread)


@dataclass(frozen=True, slots=True)
class Quota:
    """So many in so many seconds."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot takes on.

    Attributes:
        person: Turns of one person; `None` for no limit.
        bot: Turns of all people together.
        queue: Messages that may wait in one conversation.
        at_once: Turns of one person at the same time; 0 for no limit.
    """

    person: Quota | None = None
    bot: Quota | None = None
    queue: int = 20
    at_once: int = 0


@dataclass(frozen=True, slots=True)
class Reset:
    """When a conversation begins anew by itself.

    Attributes:
        idle: Seconds without a word; `None` for never.
        daily: Seconds after the local midnight; `None` for never.
    """

    idle: float | None = None
    daily: float | None = None


@dataclass(frozen=True, slots=True)
class Bot:
    """Everything a turn of this bot needs.

    Attributes:
        language: BCP 47 tag of the notes' language for whoever chose none; empty to go by the person.
        fallback: BCP 47 tag where nothing else is known.
        history: Lines of history an agent is given, at most.
        streaming: Whether growing text is shown.
        groups: Which group messages are taken.
        on_restart: `explain` ends a turn that may have acted; `rerun` runs it again.
        mid_turn: What becomes of a message that comes while the bot still answers.
        debounce: Seconds to wait for more of what is answered together.
        overhears: Messages of a group that were not for the bot and are told to the agent, at most.
        largest_file: Bytes a file beside a message may have.
        routes: Who answers elsewhere than by default, the first that fits.
        ttl: Seconds an answer may wait to be delivered.
        late_after: Seconds of waiting for a connection from which an answer says that it is late.
    """

    name: str
    platform: str
    adapter: Adapter
    agent: Agent
    agent_name: str
    door: Door
    notebook: Notebook
    notes: NoteSettings
    language: str = ""
    fallback: str = "en"
    deadlines: Deadlines = field(default_factory=Deadlines)
    history: int = 100
    streaming: bool = True
    groups: Literal["mention", "reply", "all", "off"] = "mention"
    on_restart: Literal["explain", "rerun"] = "explain"
    mid_turn: MidTurn = "queue"
    debounce: float = 1.5
    scope: Scope = "auto"
    reset: Reset = field(default_factory=Reset)
    overhears: int = 0
    limits: Limits = field(default_factory=Limits)
    largest_file: int = 20_000_000
    routes: tuple[Route, ...] = ()
    ttl: float = 86_400.0
    late_after: float = 300.0

    def seat(self, place: Place) -> Seat:
        """Who answers in a place."""
        found = next((route.seat for route in self.routes if route.fits(place)), None)
        return found or Seat(self.agent, self.agent_name, self.deadlines)

    def negotiated(self, inbound: Inbound, *, chosen: str = "") -> str:
        """The language to speak: the person's choice, the bot's, the platform's hint, the fallback."""
        return self.notebook.negotiate(chosen, self.language, inbound.sender.language, fallback=self.fallback)

    def menu(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The commands people may send and what each does, by BCP 47 tag; under an empty tag for the rest."""
        menus = {tag: self.notebook.menu(tag) for tag in self.notebook.languages}
        return menus | {"": self.notebook.menu(self.fallback)}

    def wants(self, inbound: Inbound) -> bool:
        """Whether a message is taken at all: private, addressed, or in a group that is listened to."""
        if inbound.place.private or inbound.kind == "action":
            return True
        return self.groups != "off" and (inbound.addressed or self.groups == "all")
