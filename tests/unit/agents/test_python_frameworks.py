"""Agents of frameworks are recognised and asked in their own way."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from gateway.abc.agent import PastLine
from gateway.testing.turn import FakeTurnContext, remember, turn_request
from gateway_agents.python.agent import PythonAgent
from gateway_agents.python.seats import seat_for
from gateway_agents.python.threads import Threads

_HISTORY = (PastLine("user", "Hi", "t1"), PastLine("assistant", "Hello", "t1"))


def _agent(target: object) -> PythonAgent:
    return PythonAgent(seat_for(target, where="agent 'mine'"), Threads("mine", size=1, stuck=1))


def _graph(*, checkpointer: object = None) -> object:
    """Something that looks as a compiled graph does, and says what it was given."""

    class Pregel:
        def __init__(self) -> None:
            self.checkpointer = checkpointer

        async def ainvoke(self, given: dict[str, list[object]], config: object = None) -> dict[str, object]:
            said = SimpleNamespace(
                type="ai", content=f"{len(given['messages'])} {config}", response_metadata={}
            )
            return {"messages": [*given["messages"], said]}

    Pregel.__module__ = "langgraph.pregel"
    return type("CompiledStateGraph", (Pregel,), {"__module__": "langgraph.graph.state"})()


async def test_graph_is_given_the_history_as_messages() -> None:
    result = await _agent(_graph()).run(turn_request("Bye", history=_HISTORY), FakeTurnContext())

    assert result.text == "3 None"


async def test_graph_with_a_checkpointer_keeps_the_conversation_itself() -> None:
    request = turn_request("Bye", history=_HISTORY, conversation="bot/7")

    result = await _agent(_graph(checkpointer=object())).run(request, FakeTurnContext())

    assert result.text == "1 {'configurable': {'thread_id': 'bot/7'}}"


async def test_graph_that_adds_nothing_gives_no_old_answer_again() -> None:
    class Pregel:
        checkpointer = None

        async def ainvoke(self, given: dict[str, object], config: object = None) -> dict[str, object]:
            assert config is None
            return given

    Pregel.__module__ = "langgraph.pregel"

    result = await _agent(Pregel()).run(turn_request("Bye", history=_HISTORY), FakeTurnContext())

    assert result.text == ""


async def test_pydantic_ai_agent_keeps_its_messages_in_the_history() -> None:
    seen = list[int]()

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert info.output_tools == []
        seen.append(len(messages))
        return ModelResponse(parts=[TextPart("Half of")], finish_reason="length")

    agent, first, context = _agent(PydanticAgent(FunctionModel(model))), turn_request("Hi"), FakeTurnContext()
    result = await agent.run(first, context)

    await agent.run(
        turn_request("On", turn="t2", history=remember(first, result, context)), FakeTurnContext()
    )

    assert result.completion is not None
    assert (result.text, result.completion.reason) == ("Half of", "length_truncated")
    assert seen == [1, 3]


async def test_openai_agent_is_run_by_the_runner_of_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    class Agent:
        pass

    class Runner:
        @staticmethod
        async def run(agent: object, given: list[dict[str, str]]) -> object:
            assert isinstance(agent, Agent)
            return SimpleNamespace(final_output=" / ".join(line["content"] for line in given))

    package = ModuleType("agents")
    package.__dict__["Runner"] = Runner
    monkeypatch.setitem(sys.modules, "agents", package)
    Agent.__module__ = "agents.agent"

    result = await _agent(Agent()).run(turn_request("Bye", history=_HISTORY), FakeTurnContext())

    assert result.text == "Hi / Hello / Bye"
