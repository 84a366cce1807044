"""Show a run's text while it grows."""

from __future__ import annotations

from pydantic_ai.messages import (
    FunctionToolCallEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)

from gateway.abc.agent import TurnContext

__all__ = ["Shown"]

_PARAGRAPH = "\n\n"


class Shown:
    """What the person sees of one run; texts around tool calls are paragraphs of one answer."""

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self._pieces: list[str] = []
        self._apart = False

    @property
    def text(self) -> str:
        """All that was shown."""
        return "".join(self._pieces)

    async def take(self, event: object) -> None:
        """Show an event's text; any other event is a sign of life."""
        match event:
            case PartStartEvent(part=TextPart(content=text)) if text:
                await self.say(text)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                await self.say(text)
            case FunctionToolCallEvent():
                self._apart = bool(self._pieces)
                self._context.progress()
            case _:
                self._context.progress()

    async def say(self, text: str) -> None:
        """Show a piece."""
        if self._apart and text.strip():
            text = _PARAGRAPH + text.lstrip()
            self._apart = False
        self._pieces.append(text)
        await self._context.emit(text)
