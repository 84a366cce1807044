"""Show an answer of a framework's agent while it grows."""

from __future__ import annotations

from gateway.abc.agent import TurnContext
from gateway.completion import classify_exception
from gateway.completion.model import TurnCompletion
from gateway.errors import AgentError

__all__ = ["Ended", "Telling"]

_PARAGRAPH = "\n\n"
_BROKEN = TurnCompletion("stream_cut", site="agent.stream", source="exception")


class Ended(AgentError):
    """How a turn ended, where what a framework raises does not say it.

    Attributes:
        completion: How the turn ended.
    """

    def __init__(self, completion: TurnCompletion) -> None:
        super().__init__(f"the turn ended: {completion.code}")
        self.completion = completion


class Telling:
    """What the person sees of one run; texts around tool calls are paragraphs of one answer."""

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self._pieces: list[str] = []
        self._apart = False

    @property
    def text(self) -> str:
        """All that was shown."""
        return "".join(self._pieces)

    def pause(self) -> None:
        """The model does something else now; what it says next is a paragraph of its own."""
        self._apart = bool(self._pieces)
        self._context.progress()

    async def say(self, text: str) -> None:
        """Show a piece; an empty one changes nothing."""
        if not text:
            return
        if self._apart and text.strip():
            text = _PARAGRAPH + text.lstrip()
            self._apart = False
        self._pieces.append(text)
        await self._context.emit(text)

    def rest(self, answer: str) -> str:
        """The text to give back: none where the answer is what was shown, or its end."""
        return "" if answer and self.text.endswith(answer) else answer

    def check(self, problem: BaseException) -> None:
        """Tell a broken answer from a provider that cannot be reached.

        Raises:
            Ended: The connection broke after the answer had begun.
        """
        if self.text.strip() and classify_exception(problem).reason == "network_error":
            raise Ended(_BROKEN) from problem
