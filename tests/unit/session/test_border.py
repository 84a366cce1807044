"""Whatever an agent hands back, it can be kept and told."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway import BotSessionManager
from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.session.border import plain_text, received


class _Text(str):
    """Text of another class, as markup libraries hand out."""

    __slots__ = ()

    def __str__(self) -> str:
        return "not what it is"

    def __radd__(self, other: str) -> _Text:
        return _Text(other + str.__str__(self))


ODD: list[Any] = [
    object(),
    _Text("x"),
    "\ud800",
    b"x",
    5,
    10**400,
    float("nan"),
    None,
    [],
    {"a": object()},
    "x" * 30_000,
]


def test_text_of_another_class_becomes_text() -> None:
    assert type(plain_text(_Text("hello"))) is str
    assert plain_text(_Text("hello")) == "hello"


def test_halves_of_characters_are_joined_or_marked() -> None:
    assert plain_text("\ud83d\ude00") == "😀"
    assert plain_text("a\ud800b") == "a\ufffdb"


def test_what_is_no_text_is_refused_before_it_is_kept() -> None:
    with pytest.raises(TypeError, match="text was expected"):
        plain_text(object())


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("field", ["text", "completion", "data", "usage"])
def test_result_with_an_odd_part_can_be_kept(field: str, odd: object) -> None:
    given_: dict[str, Any] = {"text": "hello", field: odd}

    kept = received(TurnResult(**given_))

    msgspec.json.encode(kept)
    assert type(kept.text) is str
    assert field == "text" or kept.text == "hello"


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "field",
    ["reason", "detail", "site", "source", "provider", "token", "retry_after", "steps", "actions_ran"],
)
def test_completion_with_an_odd_part_can_be_kept(field: str, odd: object) -> None:
    given_: dict[str, Any] = {"reason": "max_steps", field: odd}

    kept = received(TurnResult("hello", TurnCompletion(**given_))).completion

    assert kept is not None
    msgspec.json.encode(kept)
    if field == "reason":
        assert kept.truncated == (odd != "")


def test_bare_word_and_mapping_count_as_a_completion() -> None:
    word = received(TurnResult("hello", cast("Any", "max_steps"))).completion
    mapping = received(TurnResult("hello", cast("Any", {"reason": "max_steps", "more": 1}))).completion

    assert word == mapping == TurnCompletion("max_steps")


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_written(text: str) -> None:
    plain_text(text).encode()


async def test_odd_answers_reach_the_person_once() -> None:
    """No retry, no other wording: the answer was there."""
    runs: list[str] = []

    async def agent(request: TurnRequest, context: TurnContext) -> AgentReply:
        runs.append(request.text)
        await context.emit(_Text("shown "))
        return AgentReply(_Text("hello"), TurnCompletion(cast("Any", "\ud800"), token=cast("Any", object())))

    sessions = BotSessionManager()
    reply = await sessions.chat_reply(agent, "1", "hi")

    assert reply.text == "hello"
    assert len(runs) == 1


async def test_exception_that_cannot_be_shown_is_an_error_once() -> None:
    runs: list[int] = []

    def agent(text: str) -> str:
        runs.append(len(text))
        raise SyntaxError("x", cast("Any", ("f", "a", "b", 5)))

    reply = await BotSessionManager().chat_reply(agent, "1", "hi")

    assert reply.completion is not None
    assert reply.completion.reason == "error"
    assert len(runs) == 1
