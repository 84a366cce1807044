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
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from gateway.abc.agent import TurnContext
from gateway.completion.model import TurnCompletion

__all__ = ["GuardedTools", "Hand", "Stopped"]

_FAILURES = 6  # failed calls in a row that end a turn
_REPEATS = 6  # equal calls in a row, arguments included, that end a turn


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
        latest: The latest call, and how often it came in a row.
    """

    context: TurnContext
    acted: bool = False
    failures: int = 0
    latest: str = ""
    repeats: int = 0

    async def reach(self, name: str, arguments: Mapping[str, object]) -> None:
        """Commit that a call is about to start.

        Raises:
            Stopped: It was made so often in a row that it leads nowhere.
        """
        call = f"{name} {json.dumps(arguments, sort_keys=True, default=repr)}"
        self.repeats = self.repeats + 1 if call == self.latest else 1
        self.latest = call
        if self.repeats >= _REPEATS:
            raise Stopped(TurnCompletion("tool_loop_guard", site="agent.tool", source="control"))
        await self.context.before_action(name)
        self.acted = True

    def failed(self) -> None:
        """Count a failed call.

        Raises:
            Stopped: Too many failed in a row.
        """
        self.failures += 1
        if self.failures >= _FAILURES:
            raise Stopped(TurnCompletion("tool_error_budget", site="agent.tool", source="control"))


class GuardedTools(WrapperToolset[Hand]):
    """Tools whose failures reach the model and not the caller.

    The model learns that a call failed and of which kind the failure was; the message of the exception, which
    may hold a key or a path, stays here.
    """

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Hand], tool: ToolsetTool[Hand]
    ) -> object:
        """Call a tool, reported and contained."""
        await ctx.deps.reach(name, tool_args)
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
        ctx.deps.failures = 0
        ctx.deps.context.progress()
        return result
