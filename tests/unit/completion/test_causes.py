"""Causes, groups and what an exception carries besides its class."""

from __future__ import annotations

import asyncio

import pytest

from gateway.completion import TurnCompletion, classify_exception
from tests.unit.completion.raising import named


def _raised(
    exc: BaseException, cause: BaseException | None, *, context: BaseException | None = None
) -> BaseException:
    if cause is not None:
        exc.__cause__ = cause
    exc.__context__ = context
    return exc


def test_cause_and_context_are_read_when_the_outside_says_nothing() -> None:
    limited = named("RateLimitError", status_code=429)

    assert classify_exception(_raised(RuntimeError("wrapped"), limited)).reason == "rate_limited"
    assert (
        classify_exception(_raised(RuntimeError("wrapped"), None, context=limited)).reason == "rate_limited"
    )
    assert classify_exception(named("Wrapper", original_exception=limited)).reason == "rate_limited"


def test_suppressed_context_is_not_read() -> None:
    exc = _raised(RuntimeError("x"), None, context=named("RateLimitError"))
    exc.__suppress_context__ = True

    assert classify_exception(exc).reason == "error"


def test_certain_cause_beats_a_general_wrapper() -> None:
    overflow = named("X", status_code=400, body={"error": {"code": "context_length_exceeded"}})

    assert classify_exception(_raised(named("AgentGenerationError"), overflow)).reason == "context_overflow"


def test_general_cause_does_not_beat_a_general_wrapper() -> None:
    assert (
        classify_exception(_raised(named("BadRequestError"), named("InternalServerError"))).reason
        == "invalid_request"
    )


def test_cancellation_inside_a_time_out_does_not_hide_it() -> None:
    assert (
        classify_exception(
            _raised(named("APIConnectionError"), None, context=asyncio.CancelledError())
        ).reason
        == "network_error"
    )
    assert classify_exception(_raised(RuntimeError("x"), asyncio.CancelledError())).reason == "error"


def test_members_of_a_group_are_read() -> None:
    inner = BaseExceptionGroup("inner", [named("RateLimitError")])
    group = BaseExceptionGroup("all failed", [ValueError("x"), inner])

    assert classify_exception(group).reason == "rate_limited"


def test_wrapper_of_a_framework_leaves_the_word_to_what_it_wraps() -> None:
    members = [named("ModelHTTPError", status_code=401)]
    group = type("FallbackExceptionGroup", (BaseExceptionGroup,), {})("All models failed", members)

    assert classify_exception(group).reason == "auth_failed"
    assert classify_exception(_raised(named("AgentGenerationError"), members[0])).reason == "auth_failed"


def test_circle_of_causes_ends() -> None:
    one, two = RuntimeError("a"), RuntimeError("b")
    one.__cause__, two.__cause__ = two, one

    assert classify_exception(one).reason == "error"


def test_long_chain_is_read_to_a_bound_only() -> None:
    exc: BaseException = named("RateLimitError")
    for _ in range(100):
        exc = _raised(RuntimeError("x"), exc)

    assert classify_exception(exc).reason == "error"


def test_own_completion_beats_everything() -> None:
    own = TurnCompletion("tool_loop_guard", site="agent.tool")

    assert classify_exception(named("RateLimitError", completion=own)) is own


def test_clean_completion_on_an_exception_is_not_believed() -> None:
    assert classify_exception(named("Odd", completion=TurnCompletion())).reason == "error"


@pytest.mark.parametrize(
    ("site", "exc"),
    [
        ("agent.step_budget", named("MaxTurnsExceeded")),
        ("agent.tool", named("ToolException")),
        ("agent.stream", named("IncompleteRead")),
        ("agent.budget", named("BudgetExceededError")),
        ("provider.error", named("RateLimitError", status_code=429)),
        ("agent.exception", named("RateLimitError")),
        ("agent.exception", ValueError()),
    ],
)
def test_exception_names_the_site(site: str, exc: BaseException) -> None:
    assert classify_exception(exc).site == site


def test_provider_is_recorded_only_when_known() -> None:
    assert classify_exception(named("RateLimitError", llm_provider="acme")).provider == "acme"
    assert classify_exception(named("RateLimitError", llm_provider="acme"), provider="own").provider == "own"
    assert classify_exception(named("RateLimitError")).provider == ""


def test_token_is_the_word_of_the_provider_and_not_of_a_library() -> None:
    assert classify_exception(named("RateLimitError")).token is None
    assert classify_exception(TimeoutError()).token is None
    assert classify_exception(named("RateLimitError", status_code=429)).token == "429"


def test_wait_of_an_exception_is_kept() -> None:
    assert classify_exception(named("ModelRateLimitError", retry_after=2.5)).retry_after == 2.5
    assert (
        classify_exception(RuntimeError("Rate limit reached. Please try again in 6m0s.")).retry_after == 360.0
    )
