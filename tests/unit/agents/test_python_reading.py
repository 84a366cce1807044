"""Read the text and the ending from whatever an agent gave back."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace as Result
from typing import Literal

import pytest

from gateway.abc.agent import TurnResult
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.errors import AgentError
from gateway_agents.python.reading import read


@dataclass
class _Message:
    """A message as LangChain has them: `text` is a method, thoughts are blocks beside the text."""

    content: object
    type: Literal["ai", "human", "tool"] = "ai"
    response_metadata: dict[str, object] = field(default_factory=dict[str, object])

    def text(self) -> str:
        return "a method, not a text"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, ""),
        ("Hello", "Hello"),
        (42, "42"),
        (AgentReply("Hello"), "Hello"),
        (TurnResult("Hello"), "Hello"),
        ({"text": "Hello"}, "Hello"),
        ({"output": "Hello", "other": 1}, "Hello"),
        ({"content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}, "Hello"),
        ({"content": ["Hel", "lo"]}, "Hello"),
        ({"text": None}, ""),
        (Result(output="Hello", response=Result(content="not this")), "Hello"),
        (Result(output=None, response=Result(content="not this")), ""),
        (Result(final_output="Hello", raw_responses=[1]), "Hello"),
        (Result(raw="Hello", tasks_output=[]), "Hello"),
        (Result(message={"role": "assistant", "content": [{"text": "Hello"}]}, metrics=1), "Hello"),
        (Result(response=Result(role=Result(value="assistant"), content="Hello")), "Hello"),
        (Result(messages=[_Message("Hi", "human"), _Message("Hello")]), "Hello"),
        ({"messages": [_Message("Hello"), _Message("Hi", "human")]}, ""),
        (
            {
                "messages": [
                    _Message([{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Yo"}])
                ]
            },
            "Yo",
        ),
        ({"messages": [_Message([{"type": "refusal", "refusal": "I can't."}])]}, "I can't."),
        ({"completion": {"reason": "refused"}}, ""),
    ],
)
def test_read_finds_the_text(result: object, text: str) -> None:
    assert read(result).text == text


@pytest.mark.parametrize("result", [object(), {"data": 1}, b"bytes", Result(text=lambda: "called")])
def test_read_refuses_a_result_with_no_text(result: object) -> None:
    """A representation such as `<object at 0x…>` is nothing a person should read."""
    with pytest.raises(AgentError, match=f"gave back a {type(result).__name__} with no text"):
        read(result)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (AgentReply("Half", TurnCompletion("max_steps")), "max_steps"),
        ({"text": "Half", "completion": {"reason": "refused"}}, "refused"),
        (Result(text="Half", completion=TurnCompletion("busy")), "busy"),
        (Result(text="Half", last_stop_reason="tool_error"), "tool_error"),
        ({"messages": [_Message("Half", response_metadata={"finish_reason": "length"})]}, "length_truncated"),
        (
            {
                "messages": [
                    _Message("Look", response_metadata={"finish_reason": "length"}),
                    _Message("Done", response_metadata={"finish_reason": "stop"}),
                ]
            },
            "completed",
        ),
        (
            {"messages": [_Message("Sorry, need more steps to process this request.")]},
            "max_steps",
        ),
    ],
)
def test_read_finds_how_it_ended(result: object, reason: str) -> None:
    completion = read(result).completion

    assert completion is not None
    assert completion.reason == reason


def test_read_knows_no_ending_where_nothing_says_one() -> None:
    assert read({"text": "Hello"}).completion is None


def test_read_survives_properties_that_raise() -> None:
    class Lazy:
        @property
        def content(self) -> str:
            raise RuntimeError("not yet")

        output = "Hello"

    assert read(Lazy()).text == "Hello"
