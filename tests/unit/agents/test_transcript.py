"""History in pydantic-ai's messages, and back."""

from __future__ import annotations

from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart

from gateway.abc.agent import PastLine
from gateway.messages import Person
from gateway.testing.turn import turn_request
from gateway_agents._transcript import keep, prompt_of, recall

_TURN = (
    ModelRequest(parts=[UserPromptPart("How much?")]),
    ModelResponse(parts=[TextPart("Let me look."), ToolCallPart("lookup", {"key": "x"}, "call_0")]),
)


def test_recall_gives_back_what_was_kept_in_place_of_the_lines() -> None:
    history = (
        PastLine("user", "How much?", "t1"),
        PastLine("assistant", "Let me look.", "t1", data=keep(_TURN)),
    )

    messages = recall(history)

    assert [message.parts for message in messages] == [message.parts for message in _TURN]


def test_recall_reads_lines_as_text_where_the_state_is_damaged() -> None:
    history = (
        PastLine("user", "How much?", "t1"),
        PastLine("assistant", "Nine.", "t1", data=b'[{"kind": "of other times"}]'),
    )

    assert [type(message) for message in recall(history)] == [ModelRequest, ModelResponse]


def test_recall_leaves_out_lines_with_nothing_in_them() -> None:
    """Providers refuse an empty message."""
    history = (PastLine("user", "How much?", "t1"), PastLine("assistant", " \n", "t1"))

    assert len(recall(history)) == 1


def test_recall_names_the_speakers_of_a_group() -> None:
    history = (PastLine("user", "How much?", "t1", speaker="Ada"),)
    request = turn_request("And now?", history=history)

    said = [part.content for part in recall(history)[0].parts if isinstance(part, UserPromptPart)]

    assert said == ["Ada: How much?"]
    assert prompt_of(request) == "Ada: And now?"


def test_prompt_is_the_text_alone_where_one_person_talks() -> None:
    request = turn_request("And now?", history=(PastLine("user", "How much?", "t1"),))

    assert request.person == Person(id="person of bot/chat", name="Ada")
    assert prompt_of(request) == "And now?"


def test_keep_drops_what_is_too_large() -> None:
    assert keep([ModelResponse(parts=[TextPart("x" * 300_000)])]) == b""
