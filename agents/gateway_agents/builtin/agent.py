"""Build the built-in agent."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable

from pydantic_ai.toolsets import FunctionToolset

from gateway.abc.agent import Agent
from gateway.errors import AgentError
from gateway_agents._loading import load
from gateway_agents.builtin.loop import BuiltinAgent
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.provider import model_for
from gateway_agents.builtin.tools import Hand

__all__ = ["create"]


def create(options: Options, *, name: str, base: pathlib.Path) -> Agent:
    """The built-in agent.

    Raises:
        AgentError: The provider is unknown, its library is not installed, its key is missing, or a tool
            cannot be imported.
    """
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # a greeting on stderr at the first run
    return BuiltinAgent(
        options,
        model_for(options, name=name),
        toolsets=_toolsets(options, name, base),
        others=[model_for(other, name=name) for other in options.others()],
    )


def _toolsets(options: Options, name: str, base: pathlib.Path) -> list[FunctionToolset[Hand]]:
    tools = [_tool(reference, name, base) for reference in options.tools]
    return [FunctionToolset[Hand](tools=tools)] if tools else []


def _tool(reference: str, name: str, base: pathlib.Path) -> Callable[..., object]:
    found = load(reference, name=name, base=base)
    if not callable(found):
        raise AgentError(f"agent {name!r}: {reference!r} is no function; name one the model may call")
    return found
