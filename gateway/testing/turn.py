"""Turns for tests: a request in one call, and a context that records what the agent does with it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from gateway.abc.agent import PastLine, Remedy, TurnRequest, TurnResult
from gateway.messages import Person

__all__ = ["FakeTurnContext", "remember", "turn_request"]


@dataclass(slots=True)
class FakeTurnContext:
    """A `TurnContext` that records.

    Attributes:
        pieces: What was emitted, piece by piece.
        actions: The names given to `before_action`, in order.
        signs: How often the run said that it is alive.
        seconds: Until the deadline, at every moment.
        said_meanwhile: What `newer` gives when it is asked next.
        remedies: What the run did about endings by itself, in order.
    """

    pieces: list[str] = field(default_factory=list[str])
    actions: list[str] = field(default_factory=list[str])
    signs: int = 0
    seconds: float = 300.0
    said_meanwhile: tuple[str, ...] = ()
    remedies: list[Remedy] = field(default_factory=list[Remedy])

    @property
    def text(self) -> str:
        """All that was emitted."""
        return "".join(self.pieces)

    async def emit(self, text: str) -> None:
        """Record a piece, and let others run, as a real gateway would."""
        self.pieces.append(text)
        await asyncio.sleep(0)

    async def restate(self, text: str) -> None:
        """Take back what was emitted."""
        self.pieces[:] = [text]
        await asyncio.sleep(0)

    async def before_action(self, name: str) -> None:
        """Record that a tool is about to start."""
        self.actions.append(name)
        await asyncio.sleep(0)

    def progress(self) -> None:
        """Count a sign of life."""
        self.signs += 1

    async def newer(self) -> tuple[str, ...]:
        """What the test put there."""
        await asyncio.sleep(0)
        taken, self.said_meanwhile = self.said_meanwhile, ()
        return taken

    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self.seconds

    def remedied(self, remedy: Remedy) -> None:
        """Record a remedy."""
        self.remedies.append(remedy)


def turn_request(
    text: str,
    *,
    turn: str = "t1",
    conversation: str = "bot/chat",
    history: tuple[PastLine, ...] = (),
    resume: bool = False,
    instructions: str = "",
) -> TurnRequest:
    """A request as the session manager would build it."""
    return TurnRequest(
        turn=turn,
        conversation=conversation,
        text=text,
        person=Person(id=f"person of {conversation}", name="Ada"),
        history=history,
        resume=resume,
        instructions=instructions,
    )


def remember(
    request: TurnRequest, result: TurnResult | None, context: FakeTurnContext
) -> tuple[PastLine, ...]:
    """The history after a turn, as the session manager keeps it; `None` stands for a turn that raised."""
    text = (result.text if result is not None else "") or context.text
    data = result.data if result is not None else b""
    return (
        *request.history,
        PastLine("user", request.text, request.turn),
        PastLine("assistant", text, request.turn, data=data),
    )
