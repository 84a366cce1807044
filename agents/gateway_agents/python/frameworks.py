"""Agents of frameworks that are asked in their own way; recognised by name, so none is imported for it."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway_agents._transcript import keep, prompt_of, recall
from gateway_agents.python.reading import read
from gateway_agents.python.threads import Threads

__all__ = ["FrameworkCall", "framework_of"]

_Ask = Callable[[object, TurnRequest], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class FrameworkCall:
    """How an agent of a known framework is asked; always on the event loop, never with the turn's context."""

    target: object
    way: _Ask
    hears: bool = False
    awaits: bool = True

    async def ask(self, request: TurnRequest, context: TurnContext, threads: Threads) -> object:  # noqa: ARG002  # it needs none
        """Ask, and give back what came of it."""
        context.progress()
        return await self.way(self.target, request)


def framework_of(target: object) -> FrameworkCall | None:
    """How an agent of a known framework is asked, or `None` for anything else."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(target).__mro__}
    way = next((ask for known, ask in _KNOWN.items() if known in kinds), None)
    return FrameworkCall(target, way) if way is not None else None


class _Graph(Protocol):
    async def ainvoke(self, given: object, config: object = None) -> object: ...


class _Run(Protocol):
    @property
    def output(self) -> object: ...
    def new_messages(self) -> Sequence[object]: ...


class _PydanticAgent(Protocol):
    async def run(self, prompt: str, *, message_history: object, instructions: str | None) -> _Run: ...


class _Runner(Protocol):
    async def run(self, agent: object, given: object) -> object: ...


async def _langgraph(target: object, request: TurnRequest) -> object:
    """A compiled graph over messages; one with a checkpointer keeps the conversation itself."""
    graph = cast("_Graph", target)
    if getattr(target, "checkpointer", None):
        config = {"configurable": {"thread_id": request.conversation}}
        return await graph.ainvoke({"messages": [_said(request.text)]}, config)
    given = _messages(request)
    result = await graph.ainvoke({"messages": given})
    return _added(result, len(given))


async def _pydantic_ai(target: object, request: TurnRequest) -> object:
    result = await cast("_PydanticAgent", target).run(
        prompt_of(request),
        message_history=recall(request.history),
        instructions=request.instructions or None,
    )
    reply = read(result)
    return TurnResult(text=reply.text, completion=reply.completion, data=keep(result.new_messages()))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # pydantic-ai's own messages


async def _openai_agents(target: object, request: TurnRequest) -> object:
    runner = cast("_Runner", importlib.import_module("agents").Runner)
    return await runner.run(target, _messages(request))


def _messages(request: TurnRequest) -> list[dict[str, str]]:
    past = [_said(line.text, role=line.role) for line in request.history if line.text]
    return [*past, _said(prompt_of(request))]


def _said(text: str, *, role: str = "user") -> dict[str, str]:
    return {"role": role, "content": text}


def _added(result: object, given: int) -> object:
    """A graph's state with the messages of this turn only, so that an old answer is never given again."""
    if not isinstance(result, Mapping):
        return result
    state = cast("Mapping[str, object]", result)
    messages = state.get("messages")
    if isinstance(messages, list) and len(cast("list[object]", messages)) >= given:
        return {**state, "messages": cast("list[object]", messages)[given:]}
    return state


_KNOWN: dict[tuple[str, str], _Ask] = {
    ("langgraph", "Pregel"): _langgraph,
    ("langgraph", "CompiledStateGraph"): _langgraph,
    ("pydantic_ai", "AbstractAgent"): _pydantic_ai,
    ("pydantic_ai", "Agent"): _pydantic_ai,
    ("agents", "Agent"): _openai_agents,
}
