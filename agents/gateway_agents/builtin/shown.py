"""Show a turn's text while it grows."""

from __future__ import annotations

from pydantic_ai.messages import (
    FunctionToolCallEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)

from gateway.abc.agent import TurnContext
from gateway_agents.builtin.seam import LOOK, joined

__all__ = ["Shown"]

_PARAGRAPH = "\n\n"


class Shown:
    """What the person sees of one turn; texts around tool calls are paragraphs of one answer.

    An attempt that is made again takes back what the failed one showed only once it has text of its own, so
    that nothing visible is lost to an attempt that fails at once. An attempt that goes on with a cut answer
    is held back until the seam can be closed.
    """

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self._pieces: list[str] = []
        self._apart = False
        self._settled = ""  # what stands before the attempt that may be taken back
        self._before = ""  # what an earlier attempt showed, while this one replaces it
        self._replacing = False
        self._joins = False  # whether the next text continues the last sentence
        self._held: list[str] | None = None

    @property
    def text(self) -> str:
        """All that is shown."""
        return "".join(self._pieces)

    async def take(self, event: object) -> None:
        """Show an event's text; any other event is a sign of life."""
        match event:
            case PartStartEvent(part=TextPart(content=text)) if text:
                await self.say(text)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                await self.say(text)
            case FunctionToolCallEvent():
                self.part()
            case _:
                self._context.progress()

    def part(self) -> None:
        """Begin a new paragraph with the next text: a tool is called."""
        self._apart = bool(self._pieces)
        self._settle(joins=False)
        self._context.progress()

    async def say(self, text: str) -> None:
        """Show a piece."""
        if self._replacing:
            await self._replace()
        if self._apart and text.strip():
            text = _PARAGRAPH + text.lstrip()
            self._apart = False
        if self._held is not None:
            self._held.append(text)
            self._context.progress()
            if sum(map(len, self._held)) < 2 * LOOK:
                return
            await self.release()
            return
        await self._show(text)

    def again(self) -> None:
        """Let the next text replace what was shown since the last tool call, or since it was gone on with."""
        self._before = max(self._before, self.text, key=len)
        self._replacing = True
        self._apart = bool(self._settled) and not self._joins
        self._held = [] if self._joins else None

    def go_on(self) -> None:
        """Hold the next text back until it can be joined to what is shown."""
        self._settle(joins=True)
        self._held = []

    async def release(self) -> None:
        """Join what was held back."""
        held, self._held = self._held, None
        if not held:
            return
        whole = joined(self.text, "".join(held))
        if not whole.startswith(self.text):
            raise AssertionError("a seam only adds")
        await self._show(whole[len(self.text) :])

    async def restore(self) -> None:
        """Show again what an earlier attempt had shown, where the last one came less far."""
        self._replacing = False
        if len(self._before) > len(self.text):
            self._pieces = [self._before]
            await self._context.restate(self._before)

    def _settle(self, *, joins: bool) -> None:
        """Keep what is shown: only what comes from now on may be taken back."""
        self._settled, self._before, self._joins = self.text, "", joins

    async def _replace(self) -> None:
        self._replacing = False
        if self.text != self._settled:
            self._pieces = [self._settled] if self._settled else []
            await self._context.restate(self._settled)

    async def _show(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            await self._context.emit(text)
