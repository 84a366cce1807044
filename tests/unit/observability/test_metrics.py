"""Numbers are counted under bounded labels."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway.observability import Metrics, watch_loop


def _value(metrics: Metrics, name: str, **labels: str) -> float | None:
    families = text_string_to_metric_families(metrics.render().decode())
    found = [
        sample.value
        for family in families
        for sample in family.samples
        if sample.name == name and sample.labels == labels
    ]
    return found[0] if found else None


def test_turn_is_counted_by_its_ending() -> None:
    metrics = Metrics()

    metrics.turn(bot="support", platform="telegram", reason="max_steps", seconds=2.0)

    labels = {"bot": "support", "platform": "telegram", "reason": "max_steps"}
    assert _value(metrics, "lastword_turns_total", **labels) == 1
    assert _value(metrics, "lastword_turn_seconds_sum", bot="support") == 2.0


def test_reason_that_nobody_knows_is_counted_as_unknown() -> None:
    metrics = Metrics()

    for number in range(50):
        metrics.turn(bot="b", platform="p", reason=f"invented {number}", seconds=-1)

    assert _value(metrics, "lastword_turns_total", bot="b", platform="p", reason="unknown") == 50
    assert metrics.render().count(b"lastword_turns_total{") == 1


@pytest.mark.parametrize(("result", "label"), [("delivered", "delivered"), ("vanished", "unknown")])
def test_delivery_is_counted_by_what_became_of_it(result: str, label: str) -> None:
    metrics = Metrics()

    metrics.delivery(bot="b", result=result)

    assert _value(metrics, "lastword_deliveries_total", bot="b", result=label) == 1


def test_what_must_not_happen_is_counted() -> None:
    metrics = Metrics()

    metrics.silent(bot="b")
    metrics.unclassified(bot="b")
    metrics.threads(agent="a", abandoned=3)

    assert _value(metrics, "lastword_turns_without_visible_outcome_total", bot="b") == 1
    assert _value(metrics, "lastword_turns_unclassified_total", bot="b") == 1
    assert _value(metrics, "lastword_abandoned_threads", agent="a") == 3


def test_wait_is_measured() -> None:
    metrics = Metrics()

    metrics.waited(bot="b", seconds=0.2)

    assert _value(metrics, "lastword_queue_wait_seconds_count", bot="b") == 1


def test_two_gateways_in_one_process_count_apart() -> None:
    one, other = Metrics(), Metrics()

    one.silent(bot="b")

    assert _value(other, "lastword_turns_without_visible_outcome_total", bot="b") is None


async def test_loop_that_is_blocked_shows_as_lag() -> None:
    metrics = Metrics()
    watching = asyncio.create_task(watch_loop(metrics, beat=0.01))
    await asyncio.sleep(0)

    time.sleep(0.06)  # noqa: ASYNC251  # what must not happen
    for _ in range(5):
        await asyncio.sleep(0)

    lag = _value(metrics, "lastword_event_loop_lag_seconds")
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    assert lag is not None
    assert lag > 0.03
