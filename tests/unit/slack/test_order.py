"""One at a time in a channel, the earliest first, channels side by side."""

from __future__ import annotations

import asyncio

from gateway_adapters.slack.order import Order


async def test_what_comes_at_once_is_put_in_the_order_it_happened() -> None:
    order, done = Order(), list[float]()

    async def take(at: float) -> None:
        async with order.turn("C1", at):
            await asyncio.sleep(0)
            done.append(at)

    await asyncio.gather(*(take(at) for at in (3.0, 1.0, 2.0)))

    assert done == [1.0, 2.0, 3.0]


async def test_channels_do_not_wait_for_each_other() -> None:
    order, hold, done = Order(), asyncio.Event(), list[str]()

    async def take(channel: str) -> None:
        async with order.turn(channel, 1.0):
            if channel == "C1":
                await hold.wait()
            done.append(channel)

    slow = asyncio.create_task(take("C1"))
    await asyncio.sleep(0.01)
    await take("C2")
    hold.set()
    await slow

    assert done == ["C2", "C1"]


async def test_one_that_gives_up_waiting_holds_up_nobody() -> None:
    order, hold, done = Order(), asyncio.Event(), list[float]()

    async def take(at: float) -> None:
        async with order.turn("C1", at):
            if at == 1.0:
                await hold.wait()
            done.append(at)

    tasks = [asyncio.create_task(take(at)) for at in (1.0, 2.0, 3.0)]
    await asyncio.sleep(0.01)
    tasks[1].cancel()
    await asyncio.sleep(0)
    hold.set()
    await asyncio.wait(tasks)
    async with order.turn("C1", 4.0):
        done.append(4.0)

    assert done == [1.0, 3.0, 4.0]


async def test_failure_inside_frees_the_lane() -> None:
    order = Order()
    try:
        async with order.turn("C1", 1.0):
            raise ValueError
    except ValueError:
        pass

    async with asyncio.timeout(1.0), order.turn("C1", 2.0):
        pass
