"""The built-in agent: one model with instructions and tools, and models to ask in its place."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai import Agent as Loop
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.toolsets import AbstractToolset

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway_agents.builtin.files import ALWAYS
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.tools import GuardedTools, Hand
from gateway_agents.builtin.turn import Turn, Who

__all__ = ["BuiltinAgent"]


class BuiltinAgent:
    """One model with instructions and tools.

    Args:
        options: As configured.
        model: What is asked.
        toolsets: What it may use; every call is reported, and a failure in one stays in it.
        others: What is asked instead, in order, when the model cannot answer.
        verifies: Whether an answer that ends with no word from the provider counts as cut; models that run in
            the process give none.

    Attributes:
        reports_actions: Always.
        accepts: Kinds of files it is given.
        steerable: What is said meanwhile is taken in after the next tool call.
    """

    reports_actions = True
    steerable = True

    def __init__(
        self,
        options: Options,
        model: Model,
        *,
        toolsets: Sequence[AbstractToolset[Hand]] = (),
        others: Sequence[Model] = (),
        verifies: bool = True,
    ) -> None:
        settings = _settings(options)
        self._loop: Loop[Hand, str | None] = Loop(
            model,
            output_type=str | None,  # type: ignore[arg-type]  # a union is a form its signature does not spell
            deps_type=Hand,
            instructions=options.instructions or None,
            model_settings=settings,
            toolsets=[GuardedTools(toolset) for toolset in toolsets],
        )
        self.accepts = ALWAYS | frozenset(options.accepts)
        self._who = Who(self._loop, (model, *others), options, settings, verifies)

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        """Answer one turn; what was shown stays shown, however it ends."""
        return await Turn(self._who, request, context).run()

    async def close(self) -> None:
        """Close the providers' connections."""
        async with self._loop:
            pass
        for other in self._who.models[1:]:
            async with other:
                pass


def _settings(options: Options) -> ModelSettings:
    settings = ModelSettings(max_retries=0)  # asking again is a remedy of ours, on the record
    if options.max_tokens is not None:
        settings["max_tokens"] = options.max_tokens
    if options.temperature is not None:
        settings["temperature"] = options.temperature
    if options.request_timeout is not None:
        settings["request_timeout"] = options.request_timeout
    if options.first_event_timeout is not None:
        settings["first_event_timeout"] = options.first_event_timeout
    return settings
