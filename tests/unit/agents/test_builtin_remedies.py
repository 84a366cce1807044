"""What the built-in agent may do by itself, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.completion import ENDINGS
from gateway.completion.model import TurnCompletion
from gateway_agents.builtin.remedies import Means, Situation


def _means(**changes: float) -> Means:
    return replace(Means(retries=2, patience=20.0, fallbacks=0, continuations=0), **changes)  # type: ignore[arg-type]  # by name


def _at(reason: str, **changes: object) -> Situation:
    wait = changes.pop("wait", None)
    completion = TurnCompletion(reason, retry_after=wait)  # type: ignore[arg-type]  # a number or nothing
    plain = Situation(completion, remaining=300.0, spoke=False, shown=False, acted=False, remembers=False)
    return replace(plain, **changes)  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    "reason", ["rate_limited", "provider_error", "network_error", "stream_cut", "timeout"]
)
def test_failure_that_may_pass_is_tried_again_a_bounded_number_of_times(reason: str) -> None:
    means = _means()
    steps = [means.next(_at(reason)) for _ in range(3)]

    assert [step.kind if step else None for step in steps] == ["retry", "retry", None]
    assert steps[0] is not None
    assert steps[1] is not None
    assert 0 < steps[0].wait < steps[1].wait <= 8.0


def test_wait_that_the_provider_asks_for_is_kept_to() -> None:
    step = _means().next(_at("rate_limited", wait=7.0))

    assert step is not None
    assert (step.kind, step.wait) == ("retry", 7.0)


@pytest.mark.parametrize(("wait", "remaining"), [(21.0, 300.0), (7.0, 8.0)])
def test_wait_beyond_patience_or_deadline_is_told_at_once(wait: float, remaining: float) -> None:
    assert _means().next(_at("rate_limited", wait=wait, remaining=remaining)) is None


def test_patience_is_for_the_whole_turn() -> None:
    means = _means(retries=5)

    assert means.next(_at("rate_limited", wait=15.0)) is not None
    assert means.next(_at("rate_limited", wait=15.0)) is None


def test_other_model_is_asked_rather_than_waiting_long() -> None:
    means = _means(fallbacks=2)
    kinds = [step.kind if (step := means.next(_at("rate_limited", wait=7.0))) else None for _ in range(4)]

    assert kinds == ["fallback", "fallback", "retry", "retry"]


@pytest.mark.parametrize("reason", ["auth_failed", "quota_exhausted", "model_not_found"])
def test_failure_that_lasts_goes_to_the_other_model_at_once(reason: str) -> None:
    means = _means(fallbacks=1)
    kinds = [step.kind if (step := means.next(_at(reason))) else None for _ in range(2)]

    assert kinds == ["fallback", None]


@pytest.mark.parametrize("reason", ["refused", "content_filtered", "invalid_request", "error", "completed"])
def test_ending_that_is_nobodys_failure_is_told(reason: str) -> None:
    assert _means(fallbacks=1, continuations=1).next(_at(reason, spoke=True)) is None


def test_overflow_is_compacted_once_and_only_where_there_is_a_history() -> None:
    means = _means()

    assert means.next(_at("context_overflow")) is None
    step = means.next(_at("context_overflow", remembers=True))
    assert step is not None
    assert step.kind == "compact"
    assert means.next(_at("context_overflow", remembers=True)) is None


def test_cut_answer_is_gone_on_with_as_often_as_allowed() -> None:
    means = _means(continuations=2)
    cut = _at("length_truncated", spoke=True, shown=True)

    assert [bool(means.next(cut)) for _ in range(3)] == [True, True, False]
    assert _means(continuations=2).next(_at("length_truncated")) is None
    assert _means(continuations=2).next(_at("length_truncated", spoke=True, calling=True)) is None


@pytest.mark.parametrize("reason", ["empty_response", "max_steps", "tool_loop_guard", "tool_error_budget"])
def test_turn_of_tools_alone_gets_one_last_word(reason: str) -> None:
    means = _means(retries=0)

    step = means.next(_at(reason, acted=True))
    assert step is not None
    assert step.kind == "finalise"
    assert means.next(_at(reason, acted=True)) is None
    assert _means(retries=0).next(_at(reason, acted=True, shown=True)) is None


@pytest.mark.parametrize("reason", sorted(ENDINGS))
def test_every_ending_comes_to_an_end(reason: str) -> None:
    means = _means(fallbacks=3, continuations=3, retries=3)
    at = _at(reason, acted=True, remembers=True, spoke=True)

    assert any(means.next(at) is None for _ in range(100))
