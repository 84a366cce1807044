"""The shape of an agent runtime, and what a turn gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec

from gateway.completion.model import TurnCompletion
from gateway.messages import Person

__all__ = ["Agent", "File", "PastLine", "Remedy", "RemedyKind", "TurnContext", "TurnRequest", "TurnResult"]

RemedyKind = Literal["retry", "fallback", "compact", "finalise", "auto_continue"]


class PastLine(msgspec.Struct, frozen=True, gc=False):  # made a hundred times for a message
    """One line of a conversation's history, oldest first where they are listed.

    Attributes:
        role: Who said it; a `summary` stands for everything before it.
        text: What was said; never a note.
        turn: The turn it belongs to.
        speaker: The person's display name where several people talk; empty otherwise.
        data: What the same runtime committed for the turn (`TurnResult.data`), on the assistant's line only.
    """

    role: Literal["user", "assistant", "summary"]
    text: str
    turn: str = ""
    speaker: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class File:
    """A file beside the message.

    Attributes:
        kind: `image`, `text`, `document`, `voice`, `audio`, `video` or `other`.
        mime: The media type as the platform says it, else guessed from the name; may be empty.
        name: May be empty.
    """

    kind: str
    mime: str
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What one turn asks of an agent.

    Attributes:
        turn: The turn's id.
        conversation: A stable key of the conversation; a `factory` agent keeps one object for each.
        text: The person's text; for a resumed turn, the word that resumed it.
        person: Who asks.
        history: What was said before, oldest first, this message not included.
        resume: Whether the person asked to go on with an answer that ended early. A runtime that cannot
            resume treats `text` as an ordinary message.
        language: BCP 47 tag the person is answered in.
        instructions: Extra instructions of the route; empty for none.
        files: What came beside the text, where the agent `accepts` it.
        overheard: What was said in the group meanwhile and was not for the bot, oldest first.
    """

    turn: str
    conversation: str
    text: str
    person: Person
    history: tuple[PastLine, ...] = ()
    resume: bool = False
    language: str = "en"
    instructions: str = ""
    files: tuple[File, ...] = ()
    overheard: tuple[PastLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a runtime did by itself about an ending, before telling anybody.

    Attributes:
        after: The code (`reason@site`) of the ending it was a remedy for.
        waited: Seconds waited before it.
        detail: For operators, such as the model that was asked instead.
    """

    kind: RemedyKind
    after: str
    waited: float = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What an agent run gives back.

    Attributes:
        text: The whole visible text. When empty, what was emitted counts.
        completion: How it ended, or `None` when the agent does not know.
        data: Opaque state kept beside the turn in history and handed back to the same runtime.
        usage: Numbers for the record, such as `requests`, `input_tokens`.
        summary: What stands for the whole history before this turn from now on; empty to keep it as it is.
    """

    text: str = ""
    completion: TurnCompletion | None = None
    data: bytes = b""
    usage: Mapping[str, int] = field(default_factory=dict[str, int])
    summary: str = ""


class TurnContext(Protocol):
    """What a running turn may ask of the gateway."""

    async def emit(self, text: str) -> None:
        """Show more of the answer: a piece that follows what was emitted before.

        What was emitted is kept when the run raises, times out or is cancelled.
        """
        ...

    async def restate(self, text: str) -> None:
        """Take back what was emitted: the answer so far is this text, and what follows is added to it."""
        ...

    async def before_action(self, name: str) -> None:
        """Commit that a tool with effects is about to start; call it before each one."""
        ...

    def progress(self) -> None:
        """Say that the run is alive (a tool is working, thoughts arrive); restarts the idle time-out."""
        ...

    async def newer(self) -> tuple[str, ...]:
        """What was said since the turn began and is now answered with it, oldest first.

        Empty where the bot does not steer running turns. A runtime that asks takes what it is given into its
        conversation; what nobody asks for becomes a turn of its own.
        """
        ...

    def remaining(self) -> float:
        """Seconds until the turn's deadline; negative once it passed."""
        ...

    def remedied(self, remedy: Remedy) -> None:
        """Put on the record what the runtime does about an ending by itself, as it begins to do it."""
        ...


class Agent(Protocol):
    """A runtime that answers turns; one object serves many conversations at once.

    `run` ends in one of three ways: a `TurnResult`; any exception (the caller classifies it and keeps what
    was emitted); or `CancelledError` when the turn is stopped or its deadline passes, which must not be
    swallowed.

    An agent that can be given files says which kinds in an attribute `accepts`, a set of `File.kind`; one
    that takes newer messages into a running turn (`TurnContext.newer`) sets `steerable`.
    """

    @property
    def reports_actions(self) -> bool:
        """Whether `before_action` is called before every effect; if not, any run may have acted."""
        ...

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        """Answer one turn."""
        ...

    async def close(self) -> None:
        """Free what the agent holds; may be called once, after the last run."""
        ...
