"""Build the built-in agent."""

from __future__ import annotations

import os
import pathlib

from gateway.abc.agent import Agent
from gateway_agents.builtin.loop import BuiltinAgent
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.provider import model_for

__all__ = ["create"]


def create(options: Options, *, name: str, base: pathlib.Path) -> Agent:  # noqa: ARG001  # every runtime is built so
    """The built-in agent.

    Raises:
        AgentError: The provider is unknown, its library is not installed, or its key is missing.
    """
    os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")  # a greeting on stderr at the first run
    return BuiltinAgent(options, model_for(options, name=name))
