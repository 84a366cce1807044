"""One bot as the session manager sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gateway.abc.adapter import Adapter
from gateway.abc.agent import Agent
from gateway.access import Door
from gateway.messages import Inbound
from gateway.notes import Notebook, NoteSettings
from gateway.session.running import Deadlines

__all__ = ["Bot"]


@dataclass(frozen=True, slots=True)
class Bot:
    """Everything a turn of this bot needs.

    Attributes:
        language: BCP 47 tag that suggests the notes' language; empty for `auto`.
        fallback: BCP 47 tag where nothing else is known.
        history: Lines of history an agent is given, at most.
        streaming: Whether growing text is shown.
        groups: Which group messages are taken.
        on_restart: `explain` ends a turn that may have acted; `rerun` runs it again.
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

    def negotiated(self, inbound: Inbound, *, chosen: str = "") -> str:
        """The language to speak: the person's choice, the platform's hint, the bot's, the fallback."""
        return self.notebook.negotiate(chosen, inbound.sender.language, self.language, fallback=self.fallback)

    def menu(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The commands people may send and what each does, by BCP 47 tag; under an empty tag for the rest."""
        menus = {tag: self.notebook.menu(tag) for tag in self.notebook.languages}
        return menus | {"": self.notebook.menu(self.fallback)}

    def wants(self, inbound: Inbound) -> bool:
        """Whether a message is taken at all: private, addressed, or in a group that is listened to."""
        if inbound.place.private or inbound.kind == "action":
            return True
        return self.groups != "off" and (inbound.addressed or self.groups == "all")
