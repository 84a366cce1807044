"""Foreign values are looked into without trust."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import overload

from gateway.completion.readers.access import every, field, first, items, number, present, squash, whole, word
from gateway.completion.readers.bodies import decode, frames, gather
from gateway.completion.readers.content import Shown, shown
from gateway.completion.readers.verdict import GOES_ON, Verdict, strongest


class _Broken(Sequence[object]):
    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        raise ZeroDivisionError(index)

    def __len__(self) -> int:
        return 3


class _BrokenDict(dict[str, object]):
    def __contains__(self, key: object) -> bool:
        raise ZeroDivisionError(key)


class _Raising:
    @property
    def content(self) -> object:
        raise ZeroDivisionError


def test_field_is_found_under_every_spelling_the_exact_one_first() -> None:
    value = {"FinishReason": 1, "finish-reason": 2, "finish_reason": 3, "finish": 4, 5: 6}

    assert list(every(value, "finish_reason")) == [3, 1, 2]
    assert field(SimpleNamespace(finishReason="x"), "finish_reason") == "x"
    assert field("text", "upper") is None
    assert field([1], "copy") is None


def test_broken_container_holds_nothing() -> None:
    assert items(_Broken()) == ()
    assert first(_Broken()) is None
    assert present(_BrokenDict(), "x") is False
    assert present(_Raising(), "content") is False
    assert field(_Raising(), "content") is None


def test_numbers_are_read_from_text_and_bounded() -> None:
    assert [number(one) for one in ("1.5", 2, True, None, "x", float("nan"), float("inf"), 10**400)] == [
        1.5,
        2.0,
        *[None] * 6,
    ]
    assert [whole(one) for one in ("429", 429.0, 1.5, "x")] == [429, 429, None, None]


def test_word_is_short() -> None:
    assert word(" stop ") == "stop"
    assert word("x" * 201) == ""
    assert squash("Max-Tokens_Reached!") == "maxtokensreached"


def test_body_is_decoded_where_it_is_json() -> None:
    assert decode(b'{"a": 1}') == {"a": 1}
    assert decode("[1]") == [1]
    assert decode("{odd") == "{odd"
    assert decode("<!doctype html><p>rate limit") == ""
    assert decode("plain") == "plain"
    assert decode(5) == 5
    assert decode('data: {"x": 1}\n\ndata: {"error": {"code": 1}}\n') == {"error": {"code": 1}}
    assert decode("data: nothing") == "data: nothing"
    assert frames('{"a": 1}\n\nodd\n{"b": 2}\n{bad') == [{"a": 1}, {"b": 2}]


def test_facts_are_gathered_from_json_inside_text() -> None:
    facts = gather({"error": {"metadata": {"raw": '{"error": {"code": "inner", "message": "why"}}'}}})

    assert facts.codes == ["inner"]
    assert facts.messages == ["why"]
    assert not gather({"error": {}}, None, "", [])


def test_message_shows_what_a_person_would_read() -> None:
    assert shown("hi") is Shown.SOMETHING
    assert shown({"content": "\u00a0 \n"}) is Shown.NOTHING
    assert shown({"content": ["", "hi"]}) is Shown.SOMETHING
    assert (
        shown({"content": [{"type": "message", "content": [{"type": "output_text", "text": ""}]}]})
        is Shown.NOTHING
    )
    assert shown({"content": [{"odd": 1}]}) is Shown.SOMETHING
    assert shown({"content": [{"type": "chart"}]}) is Shown.SOMETHING
    assert shown({"content": 5}) is Shown.UNSAID
    assert shown({"text": "", "tool_calls": [{}, {"id": 1}]}) is Shown.CALLS
    assert shown({}) is Shown.UNSAID


def test_strongest_verdict_counts() -> None:
    def reason(*verdicts: Verdict) -> str | None:
        found = strongest(verdicts)
        return found.reason if found else None

    clean, odd = Verdict("completed"), Verdict("odd", "odd", known=False)
    assert reason() is None
    assert reason(clean, Verdict(GOES_ON)) == GOES_ON
    assert reason(clean, odd) == "odd"
    assert reason(odd, Verdict("error")) == "error"
    assert reason(Verdict("length_truncated"), Verdict("rate_limited")) == "rate_limited"
    assert reason(Verdict("timeout"), Verdict("rate_limited")) == "timeout"
    assert reason(Verdict("content_filtered"), Verdict("refused")) == "refused"
