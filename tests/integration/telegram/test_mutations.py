"""A hundred thousand spoilt updates: nothing crashes, and no neighbour is lost."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any, cast

import pytest

from gateway.messages import Event
from gateway.session.envelope import seal, unseal
from gateway.testing.watching import listening
from gateway_adapters.telegram.inbound import read_update
from gateway_adapters.telegram.news import membership, migration
from tests.integration.telegram.alone import CHAT, alone
from tests.integration.telegram.hooked import hooked
from tests.replay.telegram.updates import ME, cases

_DELIVERED, _POSTED = 4_000, 600
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
    "nan",
    "\x00",
    "\ud83d",
    "\ude00\ud83d",
    "👩‍🚀" * 40,
    "a" * 70_000,
    "@helper_bot",
    "/stop@helper_bot",
    [],
    [[]],
    [None],
    {},
    {"id": 1},
    {"": {}},
)


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_updates_spoilt_anywhere_become_events_that_can_be_kept(count: int) -> None:
    """Whatever stands where, the reader gives an event, and the inbox can write and read it."""
    kinds = set[str]()
    for update in _spoilt(count, seed=_SEED):
        raw = json.dumps(update).encode()

        event = read_update(update, raw, ME)

        migration(update)
        membership(update)
        assert event.raw == raw
        assert (event.inbound is None) == bool(event.dropped)
        assert bool(event.dedupe) == (event.inbound is not None)
        assert _kept(event) == event.inbound
        kinds.add(event.dropped or "read")
    assert {"read", "unparsable", "unsupported", "own", "service"} <= kinds


async def test_spoilt_updates_lose_no_neighbour() -> None:
    """Between the spoilt ones people write, and every word of theirs arrives once, in order."""
    said = [f"neighbour {number}" for number in range(_DELIVERED // 10)]
    async with alone() as (adapter, tg):
        spoilt = _spoilt(_DELIVERED, seed=_SEED + 1)
        for text in said:
            for _ in range(10):
                tg.push(_unnumbered(next(spoilt)))
            tg.say(text, chat=CHAT, user=CHAT)

        async with listening(adapter) as context:
            await context.until(lambda: tg.unconfirmed == 0, seconds=30.0)

        heard = [one.text for one in context.inbounds if one.text.startswith("neighbour ")]
        assert heard == said


async def test_spoilt_updates_that_are_posted_lose_no_neighbour() -> None:
    """None of them is posted twice, and none holds up its chat."""
    async with hooked() as bot:
        spoilt = _spoilt(_POSTED * 2, seed=_SEED + 2)
        said = [f"neighbour {number}" for number in range(_POSTED // 10)]
        for text in said:
            posted = 0
            while posted < 10:
                update = _unnumbered(next(spoilt))
                if isinstance(update, dict):
                    bot.tg.push(update)
                    posted += 1
            bot.tg.say(text, chat=CHAT, user=CHAT)
        await bot.context.until(lambda: bot.tg.unconfirmed == 0, seconds=30.0)

        heard = [one.text for one in bot.context.inbounds if one.text.startswith("neighbour ")]
        assert heard == said
        assert {status for _, status in bot.tg.hooks.posts} == {200}
        assert len(bot.tg.hooks.posts) == bot.tg.confirmed


def _unnumbered(update: Any) -> Any:
    """An update whose number, where it is one, the server gives."""
    if not isinstance(update, dict):
        return update
    told = cast("dict[str, Any]", update)
    return {key: value for key, value in told.items() if key != "update_id" or not isinstance(value, int)}


def _kept(event: Event) -> object:
    return unseal(seal(event)).inbound


def _spoilt(count: int, *, seed: int) -> Iterator[Any]:
    """Examples with one to four things wrong; their ids differ unless they are what is wrong."""
    dice = random.Random(seed)  # noqa: S311  # not for secrets
    examples = [case["update"] for case in cases().values()]
    for number in range(count):
        update: Any = {**copy.deepcopy(dice.choice(examples)), "update_id": number + 1}
        for _ in range(dice.randint(1, 4)):
            update = _spoil(update, dice)
        yield update


def _spoil(update: Any, dice: random.Random) -> Any:
    """The same with one thing wrong, at any depth."""
    spots = list(_spots(update))
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
    return update


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
