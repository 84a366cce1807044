"""Agents of frameworks that are asked in their own way; recognised by name, so none is imported for it."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.abc.agent import TurnContext, TurnRequest
from gateway_agents.python.threads import Threads
from gateway_agents.python.ways import langgraph, openai_agents, praisonai, pydantic_ai
from gateway_agents.python.ways.asking import Way

__all__ = ["FrameworkCall", "framework_of"]


@dataclass(frozen=True, slots=True)
class FrameworkCall:
    """How an agent of a known framework is asked; on the event loop, and never with the turn's context.

    Attributes:
        stream: Whether the answer is shown while it grows, before guardrails and validators saw it whole.
    """

    target: object
    way: Way
    stream: bool = False
    hears: bool = False
    awaits: bool = True

    async def ask(self, request: TurnRequest, context: TurnContext, threads: Threads) -> object:  # noqa: ARG002  # it needs none
        """Ask, and give back what came of it."""
        context.progress()
        return await self.way(self.target, request, context, stream=self.stream)


def framework_of(target: object, *, stream: bool = False) -> FrameworkCall | None:
    """How an agent of a known framework is asked; `None` for anything else, or for one that cannot stream."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(target).__mro__}
    way = next((ask for known, ask in _KNOWN.items() if known in kinds), None)
    if way is None or (stream and way in _WHOLE):
        return None
    return FrameworkCall(target, way, stream)


_KNOWN: dict[tuple[str, str], Way] = {
    ("langgraph", "Pregel"): langgraph.ask,
    ("langgraph", "CompiledStateGraph"): langgraph.ask,
    ("pydantic_ai", "AbstractAgent"): pydantic_ai.ask,
    ("pydantic_ai", "Agent"): pydantic_ai.ask,
    ("agents", "Agent"): openai_agents.ask,
    ("praisonaiagents", "Agent"): praisonai.ask,
}
_WHOLE: frozenset[Way] = frozenset({praisonai.ask})  # those that cannot stream
