"""Stand between the model and its tools: report each call, contain failures, stop calls that lead nowhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    ToolFailed,
    UserError,
)
from pydantic_ai.messages import ModelResponse
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from gateway.abc.agent import TurnContext
from gateway.completion.model import TurnCompletion

__all__ = ["GuardedTools", "Hand", "Stopped"]

_FAILURES = 5  # failed calls in a row that end a turn
_REPEATS = 6  # calls in a row with the same arguments and the same result that end a turn


class Stopped(Exception):
    """A guard ended the turn.

    Attributes:
        completion: How it ended.
    """

    def __init__(self, completion: TurnCompletion) -> None:
        super().__init__(completion.code)
        self.completion = completion


@dataclass(slots=True)
class Hand:
    """What the tools of one turn share.

    Attributes:
        acted: Whether any tool started.
        failures: Failed calls since the last that worked.
        latest: The latest call that worked, with what it gave, as a digest.
        repeats: How often that came in a row.
    """

    context: TurnContext
    acted: bool = False
    failures: int = 0
    latest: int = 0
    repeats: int = 0

    async def reach(self, name: str) -> None:
        """Commit that a call is about to start."""
        await self.context.before_action(name)
        self.acted = True

    def worked(self, name: str, arguments: Mapping[str, object], result: object) -> None:
        """Note what a call gave.

        Raises:
            Stopped: The same call gave the same so often in a row that it leads nowhere.
        """
        self.failures = 0
        self.context.progress()
        call = hash((name, json.dumps(arguments, sort_keys=True, default=repr), repr(result)))
        self.repeats = self.repeats + 1 if call == self.latest else 1
        self.latest = call
        if self.repeats >= _REPEATS:
            raise Stopped(TurnCompletion("tool_loop_guard", site="agent.tool", source="control"))

    def failed(self) -> None:
        """Note that a call failed.

        Raises:
            Stopped: Too many failed in a row.
        """
        self.failures += 1
        self.context.progress()
        if self.failures >= _FAILURES:
            raise Stopped(TurnCompletion("tool_error_budget", site="agent.tool", source="control"))


_BROKEN = {"length": "length_truncated", "content_filter": "content_filtered"}


def _refuse_broken(ctx: RunContext[Hand]) -> None:
    """Run no call that the model could not finish: what is there of its arguments may read as whole.

    Raises:
        Stopped: The run's last message of the model was cut off, and calls a tool.
    """
    said = next((one for one in reversed(ctx.messages) if isinstance(one, ModelResponse)), None)
    if said is None or said.run_id != ctx.run_id or not said.tool_calls:
        return
    reason = _BROKEN.get(said.finish_reason or "")
    if reason is not None:
        word = (said.provider_details or {}).get("finish_reason")
        token = word if isinstance(word, str) else None
        raise Stopped(TurnCompletion(reason, site="provider.response", source="metadata", token=token))


class GuardedTools(WrapperToolset[Hand]):
    """Tools whose failures reach the model and not the caller.

    The model learns that a call failed and of which kind the failure was; the message of the exception, which
    may hold a key or a path, stays here.
    """

    async def get_tools(self, ctx: RunContext[Hand]) -> dict[str, ToolsetTool[Hand]]:
        """The tools; the model is not asked again after a message with a broken call."""
        _refuse_broken(ctx)
        return await super().get_tools(ctx)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Hand], tool: ToolsetTool[Hand]
    ) -> object:
        """Call a tool, reported and contained."""
        _refuse_broken(ctx)
        if (ctx.model_settings or {}).get("tool_choice") == "none":  # not every provider can forbid it
            raise Stopped(TurnCompletion("tool_loop_guard", site="agent.tool", source="control"))
        await ctx.deps.reach(name)
        try:
            result: object = await self.wrapped.call_tool(name, tool_args, ctx, tool)
        except (CallDeferred, ApprovalRequired, UserError):
            raise
        except (ModelRetry, ToolFailed):
            ctx.deps.failed()
            raise
        except Exception as exc:
            ctx.deps.failed()
            raise ToolFailed(f"The tool failed ({type(exc).__name__}).") from exc
        ctx.deps.worked(name, tool_args, result)
        for said in await ctx.deps.context.newer():
            ctx.enqueue(said)
        return result
