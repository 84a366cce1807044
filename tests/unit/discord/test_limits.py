"""The pace: what must go waits its turn, what is only shown gives way."""

from __future__ import annotations

import pytest

from gateway.errors import RateLimited
from gateway.testing.context import HurriedClock
from gateway_adapters.discord.limits import PACED, Limiter
from gateway_adapters.discord.options import Rates


def _limiter(overall: int = 0, channel: int = 0) -> tuple[Limiter, HurriedClock]:
    clock = HurriedClock()
    return Limiter(Rates(overall=overall, channel=channel), clock), clock


async def test_final_waits_a_little_and_is_put_off_when_that_is_not_enough() -> None:
    limiter, clock = _limiter()
    limiter.hold("c", "final", 2.0)
    await limiter.admitted("c", "final")
    limiter.hold("c", "final", 5.0)

    with pytest.raises(RateLimited) as caught:
        await limiter.admitted("c", "final")

    assert 1.9 < clock.sleeps[0] <= 2.0
    assert caught.value.status == PACED
    assert 4.9 < caught.value.retry_after <= 5.0


async def test_kinds_of_calls_rest_each_by_itself() -> None:
    limiter, _ = _limiter()
    limiter.hold("c", "edit", 60.0)

    await limiter.admitted("c", "final")
    assert limiter.admits("c", "typing")
    assert not limiter.admits("c", "edit")
    assert limiter.admits("d", "edit")


async def test_what_is_only_shown_leaves_room() -> None:
    limiter, _ = _limiter(overall=10)

    assert [limiter.admits("c", "typing") for _ in range(8)].count(True) == 6
    await limiter.admitted("c", "final")


async def test_messages_of_a_channel_are_counted_and_no_other_calls() -> None:
    limiter, _ = _limiter(channel=5)
    for _ in range(20):
        assert limiter.admits("c", "edit")

    assert [limiter.admits("c", "final") for _ in range(5)].count(True) == 3
    for _ in range(2):
        await limiter.admitted("c", "final")
    with pytest.raises(RateLimited):
        await limiter.admitted("c", "final")


async def test_several_channels_slowed_at_a_time_slow_everybody() -> None:
    limiter, _ = _limiter()
    for channel in ("a", "b"):
        limiter.refused(channel, "final", 30.0)
    await limiter.admitted("z", "final")
    limiter.refused("c", "final", 30.0)

    assert not limiter.admits("z", "typing")
    with pytest.raises(RateLimited):
        await limiter.admitted("z", "final")


async def test_channels_are_forgotten_once_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.discord.limits._CHANNELS", 3)
    limiter, clock = _limiter(channel=1)
    limiter.hold("held", "final", 1000.0)
    for number in range(10):
        await limiter.admitted(str(number), "final")
        await clock.sleep(6.0)

    with pytest.raises(RateLimited):
        await limiter.admitted("held", "final")
