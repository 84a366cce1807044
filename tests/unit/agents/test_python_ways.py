"""What the agents of frameworks hide in errors, events and fields is found, without the framework."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import pytest
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from gateway.abc.agent import File, PastLine
from gateway.completion import classify_exception
from gateway.errors import AgentError
from gateway.testing.turn import FakeTurnContext, turn_request
from gateway_agents.python.agent import PythonAgent
from gateway_agents.python.seats import seat_for
from gateway_agents.python.threads import Threads


def _agent(target: object, *, stream: bool = False) -> PythonAgent:
    return PythonAgent(
        seat_for(target, where="agent 'mine'", stream=stream), Threads("mine", size=1, stuck=1)
    )


async def _reason(target: object, context: FakeTurnContext, *, stream: bool = False) -> tuple[str, str]:
    """How the turn ended, and all that is visible of it."""
    try:
        result = await _agent(target, stream=stream).run(turn_request("Hi"), context)
    except Exception as exc:  # noqa: BLE001  # classified, as the session does
        return classify_exception(exc).reason, context.text
    return (result.completion.reason if result.completion else ""), result.text or context.text


def _message(text: str, *, kind: str = "ai", id: str = "m1", **fields: object) -> SimpleNamespace:  # noqa: A002  # LangChain's name
    return SimpleNamespace(type=kind, content=text, id=id, **({"response_metadata": {}} | fields))


class Pregel:
    """What a compiled graph looks like."""

    checkpointer = None

    def __init__(
        self, *answers: SimpleNamespace, problem: Exception | None = None, pieces: Sequence[object] = ()
    ) -> None:
        self._answers = list(answers)
        self._problem = problem
        self._pieces = pieces

    async def ainvoke(self, given: dict[str, list[object]], config: object = None) -> dict[str, object]:
        del config
        if self._problem is not None:
            raise self._problem
        return {"messages": [*given["messages"], *self._answers]}

    async def astream(
        self, given: dict[str, list[object]], config: object = None, *, stream_mode: list[str]
    ) -> AsyncIterator[tuple[str, object]]:
        assert isinstance(stream_mode, list)
        for piece in self._pieces:
            yield "messages", (piece, {})
        yield "values", await self.ainvoke(given, config)


Pregel.__module__ = "langgraph.pregel"


async def test_graph_tells_the_words_of_a_refusal() -> None:
    said = _message(
        "", additional_kwargs={"refusal": "I can't."}, response_metadata={"finish_reason": "stop"}
    )

    assert await _reason(Pregel(said), FakeTurnContext()) == ("refused", "I can't.")


async def test_graph_answer_of_a_provider_with_no_word_was_cut() -> None:
    cut = _message("Half of", response_metadata={"model_provider": "openai", "finish_reason": None})
    made_by_hand = _message("Whole")

    assert await _reason(Pregel(cut), FakeTurnContext()) == ("stream_cut", "Half of")
    assert await _reason(Pregel(made_by_hand), FakeTurnContext()) == ("", "Whole")


async def test_graph_shows_its_answer_while_it_grows() -> None:
    """Texts around a tool call are paragraphs; the end of the answer is not said twice."""
    pieces = [
        _message("Let me ", kind="AIMessageChunk"),
        _message("look.", kind="AIMessageChunk"),
        _message("value", kind="tool", id="t1"),
        _message("Found", kind="AIMessageChunk", id="m2"),
        _message(" it.", kind="AIMessageChunk", id="m2"),
    ]
    graph, context = Pregel(_message("Found it.", id="m2"), pieces=pieces), FakeTurnContext()

    result = await _agent(graph, stream=True).run(turn_request("Hi"), context)

    assert result.text == ""
    assert context.pieces == ["Let me ", "look.", "\n\nFound", " it."]


async def test_graph_that_breaks_in_the_middle_of_an_answer_was_cut() -> None:
    graph = Pregel(pieces=[_message("Half of", kind="AIMessageChunk")], problem=ConnectionError("gone"))

    assert await _reason(graph, FakeTurnContext(), stream=True) == ("stream_cut", "Half of")
    assert await _reason(graph, FakeTurnContext()) == ("network_error", "")


async def test_error_that_langchain_wraps_is_read_itself() -> None:
    """Its own classes are few, and all of them derive from one that says that the model failed."""

    class ModelError(Exception):
        pass

    ModelError.__module__ = "langchain_core.exceptions"

    class RateLimitError(Exception):
        status_code = 429

    wrapped = ModelError("No.")
    wrapped.__cause__ = RateLimitError("No.")

    assert await _reason(Pregel(problem=wrapped), FakeTurnContext()) == ("rate_limited", "")


async def test_summary_of_the_history_is_said_as_what_it_is() -> None:
    history = (PastLine("summary", "They like tea.", "t0"), PastLine("assistant", "Hello", "t1"))
    seen: list[object] = []

    class Listening(Pregel):
        async def ainvoke(self, given: dict[str, list[object]], config: object = None) -> dict[str, object]:
            seen.extend(given["messages"])
            return await super().ainvoke(given, config)

    await _agent(Listening(_message("Yes."))).run(turn_request("Hi", history=history), FakeTurnContext())

    assert seen == [
        {"role": "user", "content": "What was said before, summed up:\nThey like tea."},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Hi"},
    ]


async def test_message_without_text_says_so() -> None:
    """Providers refuse one that says nothing."""
    picture = replace(turn_request(" "), files=(File("image", "", "", b""), File("voice", "", "", b"")))
    agent = _agent(_praison(problem=None, word="completed"))

    named = await agent.run(picture, FakeTurnContext())
    nameless = await agent.run(turn_request(""), FakeTurnContext())

    assert named.text == "You said (a message without text: image, voice)"
    assert nameless.text == "You said (a message without text)"


async def test_pydantic_ai_tells_the_words_of_a_refusal() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del messages, info
        details = {"refusal": "I can't."}
        return ModelResponse(parts=[], finish_reason="content_filter", provider_details=details)

    found = await _reason(PydanticAgent(FunctionModel(model)), FakeTurnContext())

    assert found == ("refused", "I can't.")


async def test_pydantic_ai_keeps_the_last_words_before_the_step_limit() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        return ModelResponse(parts=[TextPart(f"Look {len(messages)}."), ToolCallPart("_look", {})])

    agent = PydanticAgent(FunctionModel(model))
    agent.tool_plain(_look)

    reason, text = await _reason(agent, FakeTurnContext())

    assert reason == "max_steps"
    assert text == "Look 99."


def _look() -> str:
    return "nothing"


async def test_pydantic_ai_shows_its_answer_while_it_grows() -> None:
    async def model(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        del info
        if len(messages) == 1:
            yield "Let me look."
            yield {0: DeltaToolCall("_look", "{}")}
        else:
            yield "Found"
            yield " it."

    agent, context = PydanticAgent(FunctionModel(stream_function=model)), FakeTurnContext()
    agent.tool_plain(_look)

    result = await _agent(agent, stream=True).run(turn_request("Hi"), context)

    assert result.text == ""
    assert context.text == "Let me look.\n\nFound it."
    assert len(context.pieces) > 2
    assert result.data


class Runner:
    """What runs agents in the SDK; set up by each test."""

    problem: Exception | None = None
    deltas: Sequence[str] = ()
    cancelled = False

    @classmethod
    async def run(cls, agent: object, given: object) -> object:
        del agent, given
        if cls.problem is not None:
            raise cls.problem
        return SimpleNamespace(final_output="".join(cls.deltas))

    @classmethod
    def run_streamed(cls, agent: object, given: object) -> object:
        async def events() -> AsyncGenerator[object]:
            for delta in cls.deltas:
                data = SimpleNamespace(type="response.output_text.delta", delta=delta)
                yield SimpleNamespace(data=data, type="raw_response_event")
            yield SimpleNamespace(name="tool_called", type="run_item_stream_event")
            await cls.run(agent, given)

        def cancel() -> None:
            cls.cancelled = True

        return SimpleNamespace(
            stream_events=events, cancel=cancel, final_output="".join(cls.deltas), is_complete=True
        )


class Agent:
    """What an agent of the SDK looks like."""


Agent.__module__ = "agents.agent"


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> type[Runner]:
    package, fresh = ModuleType("agents"), type("Runner", (Runner,), {})
    package.__dict__["Runner"] = fresh
    monkeypatch.setitem(sys.modules, "agents", package)
    return fresh


class ModelRefusalError(Exception):
    def __init__(self, refusal: str) -> None:
        super().__init__(f"Model refused to produce output: {refusal}")
        self.refusal = refusal


class ModelBehaviorError(Exception):
    pass


class MaxTurnsExceeded(Exception):
    def __init__(self) -> None:
        super().__init__("Max turns (10) exceeded")
        items = [
            SimpleNamespace(
                type="message_output_item", raw_item=SimpleNamespace(role="assistant", content=said)
            )
            for said in ("First.", "Last.")
        ]
        self.run_data = SimpleNamespace(new_items=items)


_ENDED = "Responses stream ended with terminal event"


@pytest.mark.parametrize(
    ("problem", "reason", "text"),
    [
        (ModelRefusalError("I can't."), "refused", "I can't."),
        (ModelRefusalError("Response withheld by the provider's content filter."), "content_filtered", ""),
        (MaxTurnsExceeded(), "max_steps", "Last."),
        (
            ModelBehaviorError(
                f"{_ENDED} `response.incomplete`. status=incomplete; "
                "incomplete_details=IncompleteDetails(reason='cosmic_rays')"
            ),
            "cosmic_rays",
            "",
        ),
        (ModelBehaviorError(f"{_ENDED} `error`. code=rate_limit_exceeded; message=No."), "rate_limited", ""),
        (
            ModelBehaviorError(
                f"{_ENDED} `response.failed`. status=failed; error=ResponseError(code='insufficient_quota')"
            ),
            "quota_exhausted",
            "",
        ),
        (
            ModelBehaviorError(
                "Chat Completions response terminated with finish_reason='length' but no text."
            ),
            "length_truncated",
            "",
        ),
        (ModelBehaviorError("Model did not produce a final response!"), "stream_cut", ""),
        (ModelBehaviorError(f"The tool said: {_ENDED} code=insufficient_quota"), "provider_error", ""),
        (ValueError(f"{_ENDED} code=insufficient_quota"), "error", ""),
    ],
)
async def test_openai_agent_error_is_read_for_what_the_provider_said(
    runner: type[Runner], problem: Exception, reason: str, text: str
) -> None:
    runner.problem = problem

    assert await _reason(Agent(), FakeTurnContext()) == (reason, text)


async def test_openai_agent_shows_its_answer_while_it_grows(runner: type[Runner]) -> None:
    runner.deltas = ("One ", "two")
    context = FakeTurnContext()

    result = await _agent(Agent(), stream=True).run(turn_request("Hi"), context)

    assert (result.text, context.pieces) == ("", ["One ", "two"])
    assert runner.cancelled


async def test_openai_agent_that_breaks_in_the_middle_of_an_answer_was_cut(runner: type[Runner]) -> None:
    runner.deltas, runner.problem = ("One ", "two"), ConnectionError("gone")

    assert await _reason(Agent(), FakeTurnContext(), stream=True) == ("stream_cut", "One two")


def _praison(*, problem: Exception | None, word: str, heard: list[object] | None = None) -> object:
    """What an agent of PraisonAI looks like: it swallows a problem, and tells its hook another one."""

    class Agent:
        last_stop_reason = word
        on_error = heard.append if heard is not None else None

        async def achat(self, prompt: str) -> str | None:
            await asyncio.sleep(0)
            if problem is None:
                return f"You said {prompt}"
            try:
                raise problem
            except Exception:  # noqa: BLE001  # as it does
                told = RuntimeError("[unknown] it did not work")
                try:
                    raise told
                except RuntimeError:
                    assert callable(self.on_error)
                    self.on_error(told)
            return None

    Agent.__module__ = "praisonaiagents.agent.agent"
    return Agent()


async def test_praison_agent_problem_is_raised_for_it() -> None:
    heard: list[object] = []
    agent = _praison(problem=TimeoutError("late"), word="error", heard=heard)

    assert await _reason(agent, FakeTurnContext()) == ("timeout", "")
    assert len(heard) == 1
    assert getattr(agent, "on_error", None) == heard.append


async def test_praison_agent_that_recovered_gives_its_answer() -> None:
    """A problem that it got over by itself is none."""
    assert await _reason(_praison(problem=TimeoutError("late"), word="completed"), FakeTurnContext()) == (
        "completed",
        "",
    )
    assert await _reason(_praison(problem=None, word="max_steps"), FakeTurnContext()) == (
        "max_steps",
        "You said Hi",
    )


async def test_stream_is_refused_where_nobody_can_do_it() -> None:
    for target in (_look, _praison(problem=None, word="completed")):
        with pytest.raises(AgentError, match="'stream' is for agents of LangGraph"):
            _agent(target, stream=True)
