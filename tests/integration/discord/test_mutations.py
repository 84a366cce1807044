"""Thousands of spoilt dispatches: nothing crashes, and no neighbour is lost."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any, cast

import pytest

from gateway.messages import Event
from gateway.session.envelope import seal, unseal
from gateway_adapters.discord.inbound import guild_of, handle_of, read_dispatch
from tests.emulators.discord import DiscordEmulator
from tests.integration.discord.alone import receiving
from tests.replay.discord.dispatches import ME, cases

_DELIVERED = 2_000
_SEED = 20_261_201
_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2**31,
    2**63,
    2**64,
    10**400,
    -0.0,
    0.5,
    1e308,
    float("inf"),
    float("nan"),
    "",
    " ",
    "0",
    "１２",
    "1e999",
    "9" * 30,
    "\x00",
    "\ud83d",
    "\ude00\ud83d",
    "👩‍🚀" * 40,
    "a" * 70_000,
    "<@900> /stop",
    "2026-13-45T99:99:99",
    "2026-11-30T12:00:00",
    [],
    [[]],
    [None],
    {},
    {"id": "1"},
    {"": {}},
)


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_dispatches_spoilt_anywhere_become_events_that_can_be_kept(count: int) -> None:
    """Whatever stands where, the reader gives an event, and the inbox can write and read it."""
    kinds = set[str]()
    for kind, data in _spoilt(count, seed=_SEED):
        raw = json.dumps(data).encode()

        event = read_dispatch(kind, data, raw, ME)

        guild_of(data)
        handle_of(data)
        assert event.raw == raw
        assert (event.inbound is None) == bool(event.dropped)
        assert bool(event.dedupe) == (event.inbound is not None)
        assert _kept(event) == event.inbound
        kinds.add(event.dropped or "read")
    assert {"read", "unparsable", "unsupported", "own", "service", "censored"} <= kinds


async def test_spoilt_dispatches_lose_no_neighbour() -> None:
    """Between the spoilt ones people write, and every word of theirs arrives once, in order."""
    said = [f"neighbour {number}" for number in range(_DELIVERED // 10)]
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        spoilt = _spoilt(_DELIVERED, seed=_SEED + 1)
        for text in said:
            for _ in range(10):
                discord.gateway.push(*next(spoilt))
            discord.world.say(text)
        await bot.context.until(lambda: said[-1] in bot.texts, seconds=30.0)

        assert [text for text in bot.texts if text.startswith("neighbour ")] == said
        assert discord.gateway.identified == 1
        assert not [line for line in bot.context.log.lines if line[0] == "error"]


def _kept(event: Event) -> object:
    return unseal(seal(event)).inbound


def _spoilt(count: int, *, seed: int) -> Iterator[tuple[Any, Any]]:
    """Examples with one to four things wrong; their ids differ unless they are what is wrong."""
    dice = random.Random(seed)  # noqa: S311  # not for secrets
    examples = [(case["kind"], case["data"]) for case in cases().values()]
    for number in range(count):
        kind, example = dice.choice(examples)
        data: Any = {**copy.deepcopy(example), "id": str(1_400_000_000_000_000_000 + number)}
        for _ in range(dice.randint(1, 4)):
            data = _spoil(data, dice)
        yield kind, data


def _spoil(data: Any, dice: random.Random) -> Any:
    """The same with one thing wrong, at any depth."""
    spots = list(_spots(data))
    if not spots or dice.random() < 0.01:
        return copy.deepcopy(dice.choice(_ODD))
    holder, key = dice.choice(spots)
    match dice.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(key, str):
            holder[f"{key}_"] = holder.pop(key)
        case 2:
            holder[key] = [holder[key]]
        case 3:
            other, at = dice.choice(spots)
            holder[key] = copy.deepcopy(other[at])
        case _:
            holder[key] = copy.deepcopy(dice.choice(_ODD))
    return data


def _spots(value: Any) -> Iterator[tuple[Any, str | int]]:
    """Every place in a value that can be written to."""
    pairs: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        pairs += cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        pairs += enumerate(value)  # pyright: ignore[reportUnknownArgumentType]  # a list of anything
    for key, inner in pairs:
        yield value, key
        yield from _spots(inner)
