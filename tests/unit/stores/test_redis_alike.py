"""The shared store gives the same answers as the two others, call by call, whatever the calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from gateway.abc.store import Store
from gateway.errors import LeaseLost, StoreError
from gateway.stores.redis import RedisStore
from tests.emulators.valkey import empty_address
from tests.unit.stores.test_alike import _Pair  # pyright: ignore[reportPrivateUsage]  # one machine for all stores


class _Three(_Pair):
    """One store of each kind, asked the same."""

    def __init__(self) -> None:
        super().__init__()
        self.redis: Store = RedisStore(empty_address(), clock=self.clock)
        self.runner.run(self.redis.open())

    def teardown(self) -> None:
        self.runner.run(self.redis.close())
        super().teardown()

    def both(
        self,
        ask: Callable[[Store, int], Awaitable[Any]],
        same: Callable[[Any], object] = lambda answer: answer,
    ) -> Any:
        """Ask all three; their answers, or `None` when they refused."""

        async def outcome(store: Store, which: int) -> tuple[str, Any]:
            try:
                return "answer", await ask(store, which)
            except LeaseLost:
                return "lost", None
            except StoreError:
                return "refused", None

        stores = (self.memory, self.sqlite, self.redis)
        outcomes = self.run(outcome(store, which) for which, store in enumerate(stores))
        kinds, answers = zip(*outcomes, strict=True)
        assert len(set(kinds)) == 1, kinds
        if any(answer is None for answer in answers):
            assert answers == (None, None, None)
            return None
        memory, sqlite, redis = map(same, answers)
        assert memory == sqlite
        assert sqlite == redis
        return answers

    @rule(age=st.sampled_from((0.0, 20.0, 90_000.0)))
    def trim(self, age: float) -> None:
        """This store drops an ended entry at once, so it has fewer to remove."""
        before = self.clock.time() - age
        self.both(lambda store, _: store.trim(before, limit=10_000), lambda _: None)


@pytest.mark.parametrize("examples", [15, pytest.param(400, marks=pytest.mark.slow)])
def test_the_shared_store_answers_as_the_others(examples: int) -> None:
    run_state_machine_as_test(
        _Three,
        settings=settings(
            max_examples=examples,
            stateful_step_count=50,
            deadline=None,
            database=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
