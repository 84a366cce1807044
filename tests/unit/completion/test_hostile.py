"""No input, however hostile, raises or reads as success."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.completion import (
    ENDINGS,
    SITES,
    TurnCompletion,
    classify_error,
    classify_exception,
    classify_exchange,
    classify_response,
    normalise,
)

_KEYS = st.sampled_from(
    [
        "error",
        "code",
        "type",
        "message",
        "choices",
        "candidates",
        "finish_reason",
        "finishReason",
        "stop_reason",
        "status",
        "details",
        "delta",
        "content",
        "output",
        "response",
        "metadata",
        "raw",
        "base_resp",
        "status_code",
        "retry_after",
        "messages",
        "incomplete_details",
        "reason",
        "promptFeedback",
        "blockReason",
        "done",
        "role",
        "tool_calls",
        "refusal",
        "error_code",
        "headers",
        "body",
        "exception",
        "class",
        "state",
        "@type",
        "parts",
    ]
)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=20)
    | st.sampled_from(
        ["stop", "length", "SAFETY", "error", "insufficient_quota", "failed", 429, 10**4000, "\ud800"]
    )
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(_KEYS | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=25,
)


def _check(found: TurnCompletion | None) -> None:
    if found is None:
        return
    assert found.reason
    assert TurnCompletion.from_dict(found.to_dict()) == found
    assert found.site in SITES
    assert found.retry_after is None or 0 <= found.retry_after < 1e7
    if found.reason in ENDINGS:
        assert found.reason in SITES[found.site] or "*" in SITES[found.site], found


@settings(max_examples=400, deadline=None)
@given(_TREES, _TREES, _TREES)
def test_nothing_raises(payload: object, headers: object, status: object) -> None:
    _check(classify_response(payload))
    _check(classify_error(status=status, body=payload, headers=headers))
    _check(classify_exchange(payload))
    _check(classify_exchange({"status": status, "body": payload, "headers": headers}))
    _check(classify_exchange({"exception": {"class": payload, "message": headers}, "body": status}))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300), _TREES, _TREES, _TREES)
def test_no_exception_raises(message: str, body: object, code: object, status: object) -> None:
    exc: Any = RuntimeError(message)
    exc.body, exc.code, exc.status_code, exc.response, exc.retry_after = body, code, status, body, code

    _check(classify_exception(exc))


class _Hostile:
    """Raises at every touch."""

    def __getattribute__(self, name: str) -> object:
        raise ZeroDivisionError(name)

    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __hash__(self) -> int:
        raise ZeroDivisionError

    def __bool__(self) -> bool:
        raise ZeroDivisionError


class _HostileMapping(Mapping[str, object]):
    def __getitem__(self, key: str) -> object:
        raise ZeroDivisionError(key)

    def __iter__(self) -> Iterator[str]:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class _Endless(Mapping[str, object]):
    """Never runs out of keys and always nests itself."""

    def __getitem__(self, key: str) -> object:
        return self

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "finishReason"

    def __len__(self) -> int:
        return 10**9


class _Every:
    """Has every attribute, each like itself."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Every()


class _HostileText(str):
    __slots__ = ()

    def lower(self) -> str:
        raise ZeroDivisionError

    def strip(self, chars: str | None = None, /) -> str:
        raise ZeroDivisionError(chars)


class _HostileError(Exception):
    def __getattribute__(self, name: str) -> object:
        raise ZeroDivisionError(name)

    def __str__(self) -> str:
        raise ZeroDivisionError


class _Mute(Exception):
    @property
    def body(self) -> object:
        raise ZeroDivisionError

    def __str__(self) -> str:
        raise ZeroDivisionError


_HOSTILE: list[Callable[[], object]] = [
    _Hostile,
    _HostileMapping,
    _Endless,
    _Every,
    lambda: _HostileText("stop"),
]


@pytest.mark.parametrize("make", _HOSTILE, ids=range(5))
def test_hostile_value_is_survived_anywhere(make: Callable[[], object]) -> None:
    value = make()
    for payload in (
        value,
        [value],
        {"error": value},
        {"choices": [value]},
        {"finish_reason": value},
        {"messages": [value]},
    ):
        _check(classify_response(payload))
        _check(classify_error(status=value, body=payload, headers=value, provider=cast("str", value)))
        _check(classify_exchange({"body": payload, "status": value, "exception": value}))
        _check(classify_exchange(payload))
        exc: Any = RuntimeError("x")
        exc.body = exc.response = exc.code = payload
        _check(classify_exception(exc))
    _check(classify_exception(cast("BaseException", value)))


def test_hostile_exception_is_an_error() -> None:
    assert classify_exception(_HostileError()).reason == "error"
    assert classify_exception(_Mute()).reason == "error"


def test_number_too_long_to_print_is_survived() -> None:
    huge = 10**5000

    for payload in (
        {"error": {"code": huge, "message": huge}},
        {"finish_reason": huge},
        {"code": huge, "message": "x"},
        huge,
    ):
        _check(classify_response(payload))
        _check(classify_error(status=huge, body=payload, headers={"retry-after": huge}))
        _check(classify_exchange(payload))


def test_circles_and_depths_end_soon() -> None:
    circle: dict[str, object] = {}
    circle.update(
        error=circle, response=circle, choices=[circle], messages=[circle], details=[circle], raw=circle
    )
    deep: object = "insufficient_quota"
    for _ in range(50_000):
        deep = {"error": deep}
    wide = {"error": [{"details": [{"code": str(number)} for number in range(1000)]} for _ in range(1000)]}
    began = time.perf_counter()

    for payload in (
        circle,
        deep,
        wide,
        [circle] * 1000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "{" + "'code': " * 50_000,
    ):
        _check(classify_response(payload))
        _check(classify_error(status=400, body=payload))
        _check(classify_exception(RuntimeError(payload)))

    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "model ",
        "quota ",
        "limit: 1 ",
        "'",
        '"\\',
        "/a",
        "a.",
        "content ",
        "1m",
        "reset ",
        "x-",
        "{'code': '",
        "retry in 1",
    ],
)
def test_long_messages_are_read_in_little_time(piece: str) -> None:
    """No phrase takes more than linear time."""
    message = piece * (100_000 // len(piece))
    began = time.perf_counter()

    _check(classify_exception(RuntimeError(message)))
    _check(classify_error(status=400, body={"error": {"message": message}}, headers={"retry-after": message}))

    assert time.perf_counter() - began < 2


_BENIGN = st.sampled_from(["stop", "STOP", "end_turn", "COMPLETE", "eos_token", "FINISH_REASON_STOP"])
_BLOCKING = st.sampled_from(
    [
        "SAFETY",
        "content_filter",
        "guardrail_intervened",
        "PROHIBITED_CONTENT",
        "content-filter",
        "refusal",
        "ERROR_TOXIC",
    ]
)
_FIELDS = st.sampled_from(
    [
        "finish_reason",
        "finishReason",
        "stop_reason",
        "stopReason",
        "native_finish_reason",
        "FinishReason",
        "finish-reason",
    ]
)


@given(_BENIGN, _BLOCKING, st.lists(_FIELDS, min_size=2, max_size=2, unique=True), st.booleans())
def test_benign_word_never_hides_a_blocking_one(
    benign: str, blocking: str, names: list[str], first: bool
) -> None:
    pairs = [(names[0], benign), (names[1], blocking)]
    choice = {"message": {"content": "x"}, **dict(pairs if first else reversed(pairs))}

    found = classify_response({"choices": [choice]})

    assert found is not None
    assert found.reason in {"content_filtered", "refused"}


@given(st.text(min_size=1, max_size=60))
def test_unknown_word_of_a_provider_never_reads_as_completed(word: str) -> None:
    found = classify_response({"choices": [{"message": {"content": "x"}, "finish_reason": f"zz{word}"}]})

    assert found is None or normalise(found.reason) != "completed"


_WORDS = [
    "stop",
    "max_tokens",
    "content_filter",
    "end_turn",
    "model_context_window_exceeded",
    "guardrail_intervened",
]


@given(
    st.sampled_from(_WORDS),
    st.sampled_from(["", "-", "_", " "]),
    st.lists(st.booleans(), min_size=40, max_size=40),
)
def test_spelling_of_a_word_makes_no_difference(word: str, joint: str, flips: list[bool]) -> None:
    marks = zip(word.replace("_", joint), flips, strict=False)
    spelt = "".join(mark.upper() if upper else mark for mark, upper in marks)

    plain, other = (classify_response({"finish_reason": one}) for one in (word, spelt))

    assert plain is not None
    assert other is not None
    assert plain.reason == other.reason
    assert other.token == spelt


_PHRASES = [
    "rate limit exceeded",
    "insufficient credits",
    "prompt is too long",
    "invalid api key",
    "content management policy",
    "timed out",
]


@given(
    st.sampled_from(_PHRASES),
    st.sampled_from(["'{}'", '"{}"', "`{}`", "“{}”", "«{}»"]),
    st.sampled_from(["Cannot read {}.", "Value {} is odd", "{}"]),
)
def test_quoted_words_of_a_person_say_nothing(phrase: str, quotes: str, sentence: str) -> None:
    message = sentence.format(quotes.format(phrase))

    assert classify_exception(RuntimeError(message)).reason == "error"
    assert classify_error(status=400, body={"error": {"message": message}}).reason == "invalid_request"
