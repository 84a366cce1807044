"""Wake-ups, and the clock that tests hold."""

from __future__ import annotations

import asyncio

import pytest

from gateway.stores.wake import Wake
from gateway.testing.clock import ManualClock


async def _returns(wake: Wake, *of: str) -> bool:
    """Whether a wait returns at once."""
    try:
        async with asyncio.timeout(0.02):
            await wake.wait(60, of)
    except TimeoutError:
        return False
    return True


async def test_what_happened_between_look_and_wait_ends_the_wait() -> None:
    wake = Wake()
    wake.look()
    wake.set()

    assert await _returns(wake)
    assert not await _returns(wake)


async def test_what_happened_before_the_look_does_not() -> None:
    wake = Wake()
    wake.set()
    wake.look()

    assert not await _returns(wake)


async def test_one_task_does_not_take_anothers_wake_up() -> None:
    wake = Wake()
    looked, go = asyncio.Event(), asyncio.Event()

    async def other() -> bool:
        wake.look()
        looked.set()
        await go.wait()
        return await _returns(wake)

    task = asyncio.create_task(other())
    await looked.wait()
    wake.look()
    wake.set()
    assert await _returns(wake)
    go.set()

    assert await task


async def test_a_task_that_never_looked_waits_for_the_next() -> None:
    wake = Wake()
    wake.set()

    assert not await _returns(wake)


async def test_a_wait_for_names_ends_for_these_alone() -> None:
    wake = Wake()
    wake.look()
    wake.set(["a", "b"])

    assert not await _returns(wake, "c")
    wake.set(["a", "b"])
    assert await _returns(wake, "c", "b")


async def test_a_wait_for_names_ends_for_what_happened_anywhere() -> None:
    wake = Wake()
    wake.look()
    wake.set()

    assert await _returns(wake, "c")
    assert not await _returns(wake, "c")


async def test_a_name_wakes_who_waits_for_it_and_for_everything() -> None:
    wake = Wake()
    tasks = [asyncio.create_task(wake.wait(60, of)) for of in (("a",), ("b",), ())]
    await asyncio.sleep(0)
    wake.set(["a"])
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert [task.done() for task in tasks] == [True, False, True]
    wake.set()
    await tasks[1]


async def test_a_cancelled_wait_leaves_nothing() -> None:
    wake = Wake()
    task = asyncio.create_task(wake.wait(60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    wake.set()

    assert not await _returns(wake)


async def test_clock_moves_both_sides_only_when_it_is_told() -> None:
    clock = ManualClock(start=100.0)
    before = clock.monotonic()

    clock.advance(2.5)

    assert clock.time() == 102.5
    assert clock.monotonic() - before == 2.5


async def test_clock_wakes_sleepers_in_order_once_their_time_has_come() -> None:
    clock = ManualClock()
    woken: list[str] = []

    async def sleep(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(name)

    async with asyncio.TaskGroup() as tasks:
        for name, seconds in (("late", 10.0), ("soon", 1.0), ("at once", 0.0), ("mid", 5.0)):
            tasks.create_task(sleep(name, seconds))
        await asyncio.sleep(0.01)
        assert (woken, clock.sleepers) == (["at once"], 3)
        clock.advance(5.0)
        await asyncio.sleep(0.01)
        assert (woken, clock.sleepers) == (["at once", "soon", "mid"], 1)
        clock.advance(5.0)

    assert woken == ["at once", "soon", "mid", "late"]


async def test_clock_forgets_a_sleeper_that_was_cancelled() -> None:
    clock = ManualClock()
    task = asyncio.create_task(clock.sleep(1.0))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert clock.sleepers == 0
    clock.advance(2.0)


def test_clock_never_runs_backwards_but_its_wall_side_may_be_set() -> None:
    clock = ManualClock(start=100.0)

    with pytest.raises(ValueError, match="forwards only"):
        clock.advance(-1.0)
    clock.step(-50.0)

    assert (clock.time(), clock.monotonic()) == (50.0, 0.0)
