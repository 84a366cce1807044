"""The built-in agent's turn: ask the model, run its tools, and know how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai import Agent as Loop
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.completion.model import TurnCompletion
from gateway_agents._transcript import keep, prompt_of, recall
from gateway_agents.builtin.endings import after_answer, after_failure, refusal_in
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.shown import Shown
from gateway_agents.builtin.tools import GuardedTools, Hand, Stopped

__all__ = ["BuiltinAgent"]

_CONTINUE = (
    "Your last answer stopped before it was finished. Go on exactly where it stopped: repeat nothing, and do "
    "not mention the interruption."
)
_CALLS_PER_STEP = 8  # tool calls a turn may use for each of its steps


class BuiltinAgent:
    """One model with instructions and tools.

    Args:
        options: As configured.
        model: What is asked.
        toolsets: What it may use; every call is reported, and a failure in one stays in it.
        verifies: Whether an answer that ends with no word from the provider counts as cut; models that run in
            the process give none.

    Attributes:
        reports_actions: Always.
    """

    reports_actions = True

    def __init__(
        self,
        options: Options,
        model: Model,
        *,
        toolsets: Sequence[AbstractToolset[Hand]] = (),
        verifies: bool = True,
    ) -> None:
        self._limits = UsageLimits(
            request_limit=options.max_steps, tool_calls_limit=options.max_steps * _CALLS_PER_STEP
        )
        self._verifies = verifies
        self._loop: Loop[Hand, str | None] = Loop(
            model,
            output_type=str | None,  # type: ignore[arg-type]  # a union is a form its signature does not spell
            deps_type=Hand,
            instructions=options.instructions or None,
            model_settings=_settings(options),
            toolsets=[GuardedTools(toolset) for toolset in toolsets],
        )

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        """Answer one turn; what was shown stays shown, however it ends."""
        shown, hand = Shown(context), Hand(context)
        async with self._loop.run_stream_events(
            _CONTINUE if request.resume and request.history else prompt_of(request),
            message_history=recall(request.history),
            instructions=request.instructions or None,
            usage_limits=self._limits,
            deps=hand,
        ) as events:
            try:
                async for event in events:
                    await shown.take(event)
                completion = after_answer(_last(events.new_messages()), verifies=self._verifies)
            except (AgentRunError, Stopped) as exc:
                known = after_failure(exc, _last(events.new_messages()), begun=bool(shown.text))
                if known is None:
                    raise
                completion = known
            return await _result(completion, shown, hand, events.new_messages(), events.usage)

    async def close(self) -> None:
        """Close the provider's connections."""
        async with self._loop:
            pass


async def _result(
    completion: TurnCompletion,
    shown: Shown,
    hand: Hand,
    messages: Sequence[ModelMessage],
    usage: RunUsage,
) -> TurnResult:
    refusal = refusal_in(_last(messages))
    if refusal and not shown.text.strip():
        await shown.say(refusal)
    return TurnResult(
        text=shown.text,
        completion=replace(completion, steps=usage.requests, actions_ran=hand.acted),
        data=keep(messages),
        usage={
            "requests": usage.requests,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
        },
    )


def _last(messages: Sequence[ModelMessage]) -> ModelResponse | None:
    return next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)


def _settings(options: Options) -> ModelSettings:
    settings = ModelSettings(max_retries=options.retries)
    if options.max_tokens is not None:
        settings["max_tokens"] = options.max_tokens
    if options.temperature is not None:
        settings["temperature"] = options.temperature
    if options.request_timeout is not None:
        settings["request_timeout"] = options.request_timeout
    if options.first_event_timeout is not None:
        settings["first_event_timeout"] = options.first_event_timeout
    return settings
