"""Agents of PraisonAI."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Protocol, cast

from gateway.abc.agent import TurnContext, TurnRequest
from gateway_agents.python.reading import attribute
from gateway_agents.python.ways.asking import words_of

__all__ = ["ask"]


class _Agent(Protocol):
    on_error: Callable[[BaseException], object] | None

    async def achat(self, prompt: str) -> object: ...


async def ask(target: object, request: TurnRequest, context: TurnContext, /, *, stream: bool) -> object:  # noqa: ARG001  # every way has the shape
    """Ask it; it keeps the history itself, and swallows what its provider raised, which is raised here."""
    agent = cast("_Agent", target)
    with _overheard(agent) as problems:
        result = await agent.achat(words_of(request))
    if problems and attribute(target, "last_stop_reason") == "error":
        problem = problems[-1]
        raise problem.__cause__ or problem.__context__ or problem
    return result


@contextlib.contextmanager
def _overheard(agent: _Agent) -> Generator[list[BaseException]]:
    """What the agent tells its `on_error` hook meanwhile; a hook of its owner still hears it."""
    problems: list[BaseException] = []
    theirs = getattr(agent, "on_error", None)

    def hear(problem: BaseException) -> None:
        problems.append(problem)
        if callable(theirs):
            theirs(problem)

    agent.on_error = hear
    try:
        yield problems
    finally:
        agent.on_error = theirs
