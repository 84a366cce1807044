"""Graphs over messages: LangGraph's own, and what LangChain's `create_agent` makes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol, cast

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.completion.model import AgentReply, TurnCompletion
from gateway_agents.python.reading import attribute, read, text_of
from gateway_agents.python.telling import Telling
from gateway_agents.python.ways.asking import lines_of, said, words_of

__all__ = ["ask"]

_OF_MODEL = frozenset({"ai", "AIMessageChunk"})
_CUT = TurnCompletion("stream_cut", site="agent.stream", source="metadata")

# Where the integrations of LangChain 1.x keep the provider's word; each provider of theirs gives one.
_WORDS = ("finish_reason", "stop_reason", "status", "done_reason", "stopReason", "prompt_feedback")


class _Graph(Protocol):
    async def ainvoke(self, given: object, config: object = None) -> object: ...
    def astream(
        self, given: object, config: object = None, *, stream_mode: list[str]
    ) -> AsyncIterator[tuple[str, object]]: ...


async def ask(target: object, request: TurnRequest, context: TurnContext, /, *, stream: bool) -> object:
    """Ask a compiled graph; one with a checkpointer keeps the conversation itself."""
    graph = cast("_Graph", target)
    keeps = bool(getattr(target, "checkpointer", None))
    given = [said(words_of(request))] if keeps else lines_of(request)
    config = {"configurable": {"thread_id": request.conversation}} if keeps else None
    told = Telling(context)
    state: object = None
    problem: BaseException | None = None
    try:
        if stream:
            state = await _grown(graph.astream({"messages": given}, config, stream_mode=_MODES), told)
        else:
            state = await graph.ainvoke({"messages": given}, config)
    except Exception as exc:  # noqa: BLE001  # raised below, where it keeps its own causes and gets no further one
        problem = _unwrapped(exc)
    if problem is not None:
        told.check(problem)
        raise problem
    reply = _verified(state if keeps else _added(state, len(given)))
    return TurnResult(text=told.rest(reply.text), completion=reply.completion)


_MODES = ["messages", "values"]  # a list: LangGraph takes a tuple for one mode


async def _grown(pieces: AsyncIterator[tuple[str, object]], told: Telling) -> object:
    """Show what the models of the graph say; the graph's last state."""
    state: dict[str, object] = {}
    speaking: object = None
    async for mode, piece in pieces:
        if mode == "values":
            state |= cast("Mapping[str, object]", piece)
            continue
        message = cast("tuple[object, object]", piece)[0]
        if attribute(message, "type") not in _OF_MODEL:
            told.pause()
            continue
        text = text_of(message)
        if text:
            if attribute(message, "id") != speaking:
                told.pause()
            speaking = attribute(message, "id")
            await told.say(text)
    return state


def _added(state: object, given: int) -> object:
    """A graph's state with the messages of this turn only, so that an old answer is never given again."""
    if not isinstance(state, Mapping):
        return state
    known = cast("Mapping[str, object]", state)
    messages = known.get("messages")
    if isinstance(messages, list) and len(cast("list[object]", messages)) >= given:
        return {**known, "messages": cast("list[object]", messages)[given:]}
    return known


def _verified(state: object) -> AgentReply:
    """What a state says; an answer of a provider that ends with no word from it was cut."""
    reply = read(state)
    messages = attribute(state, "messages")
    if not isinstance(messages, list) or not messages:
        return reply
    last = cast("list[object]", messages)[-1]
    refusal = attribute(last, "additional_kwargs", "refusal")
    if isinstance(refusal, str) and not reply.text:
        return AgentReply(refusal, reply.completion)
    metadata = attribute(last, "response_metadata")
    if (
        reply.completion is not None
        or not isinstance(metadata, Mapping)
        or not cast("Mapping[str, object]", metadata).get("model_provider")
    ):
        return reply
    spoke = any(cast("Mapping[str, object]", metadata).get(word) for word in _WORDS)
    return reply if spoke else AgentReply(reply.text, _CUT)


def _unwrapped(exc: Exception) -> BaseException:
    """The SDK's own error where LangChain wraps it in one of its few kinds, which say less."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(exc).__mro__}
    return exc.__cause__ if ("langchain_core", "ModelError") in kinds and exc.__cause__ is not None else exc
