"""One turn of the built-in agent across its attempts: what was said, and each run of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic_ai import Agent as Loop
from pydantic_ai.agent import CallToolsNode
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from gateway.completion import classify_exception
from gateway.completion.model import TurnCompletion
from gateway_agents.builtin.endings import after_answer, after_failure
from gateway_agents.builtin.files import Prompt
from gateway_agents.builtin.shown import Shown
from gateway_agents.builtin.tools import Hand, Stopped

__all__ = ["Asking", "Course", "Runs", "last_response"]

Runs = Loop[Hand, str | None]


@dataclass(frozen=True, slots=True)
class Asking:
    """How one attempt asks.

    Attributes:
        prompt: What is said now; `None` goes on from where the messages stand.
        model: Who is asked.
        instructions: More than the agent's own; `None` for nothing more.
        steps: Model requests the turn may have used when the attempt ends.
        calls: Tool calls likewise.
        settings: More than the agent's own, such as a ban on tools.
        streams: Whether the answer comes in pieces.
        verifies: Whether an answer without a word about its end counts as cut.
    """

    prompt: Prompt | None
    model: Model
    instructions: str | None
    steps: int
    calls: int
    settings: ModelSettings | None = None
    streams: bool = True
    verifies: bool = True


@dataclass(slots=True)
class Course:
    """One turn.

    Attributes:
        before: The history it started from.
        said: What the turn added.
        problem: What the last attempt raised, where only the exception says how it ended.
    """

    shown: Shown
    hand: Hand
    before: list[ModelMessage]
    said: list[ModelMessage] = field(default_factory=list[ModelMessage])
    usage: RunUsage = field(default_factory=RunUsage)
    problem: AgentRunError | None = None

    async def attempt(self, loop: Runs, asking: Asking) -> TurnCompletion:
        """Run the loop once more; how that ended.

        Raises:
            Exception: What no attempt can go on from, such as a mistake in the configuration.
        """
        self.problem = None
        new: list[ModelMessage] = []
        try:
            await (self._streamed if asking.streams else self._whole)(loop, asking, new)
            completion = after_answer(last_response(new), verifies=asking.verifies)
        except (AgentRunError, Stopped) as exc:
            completion = self._failed(exc, last_response(new))
        finally:
            await self.shown.release()
        self.said += new
        return completion

    def rest(self) -> None:
        """Take back the model's last message, so that the same can be asked again."""
        while self.said and isinstance(self.said[-1], ModelResponse):
            self.said.pop()

    def join(self, *, since: int) -> None:
        """Make one message of an answer and its continuation; the request between them was ours."""
        parts = self.said[since - 1 :]
        if len(parts) != 3 or since < 1:  # the answer, the request to go on, the rest
            return
        first, second = parts[0], parts[2]
        if isinstance(first, ModelResponse) and isinstance(second, ModelResponse):
            self.said[since - 1 :] = [replace(second, parts=[TextPart(self.shown.text)])]

    def _failed(self, problem: AgentRunError | Stopped, response: ModelResponse | None) -> TurnCompletion:
        known = after_failure(problem, response, begun=bool(self.shown.text))
        if known is not None or isinstance(problem, Stopped):
            return known or problem.completion  # type: ignore[union-attr]  # a guard's ending is always known
        self.problem = problem
        found = classify_exception(problem)
        return found if found.truncated else replace(found, reason="error")

    async def _streamed(self, loop: Runs, asking: Asking, new: list[ModelMessage]) -> None:
        async with loop.run_stream_events(
            asking.prompt,
            message_history=[*self.before, *self.said],
            model=asking.model,
            instructions=asking.instructions,
            usage_limits=_limits(asking),
            usage=self.usage,
            model_settings=asking.settings,
            deps=self.hand,
        ) as events:
            try:
                async for event in events:
                    await self.shown.take(event)
            finally:
                new += events.new_messages()

    async def _whole(self, loop: Runs, asking: Asking, new: list[ModelMessage]) -> None:
        async with loop.iter(
            asking.prompt,
            message_history=[*self.before, *self.said],
            model=asking.model,
            instructions=asking.instructions,
            usage_limits=_limits(asking),
            usage=self.usage,
            model_settings=asking.settings,
            deps=self.hand,
        ) as run:
            try:
                async for node in run:
                    if isinstance(node, CallToolsNode):
                        await self._read(node.model_response)
            finally:
                new += run.new_messages()

    async def _read(self, response: ModelResponse) -> None:
        """Show a whole message of the model."""
        for part in response.parts:
            if isinstance(part, TextPart) and part.content:
                await self.shown.say(part.content)
            elif isinstance(part, ToolCallPart):
                self.shown.part()


def last_response(messages: Sequence[ModelMessage]) -> ModelResponse | None:
    """The model's last message; `None` when it said nothing after the last request of ours."""
    return next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)


def _limits(asking: Asking) -> UsageLimits:
    return UsageLimits(request_limit=asking.steps, tool_calls_limit=asking.calls)
