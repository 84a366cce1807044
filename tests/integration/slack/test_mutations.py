"""A hundred thousand spoilt payloads: nothing crashes, and no neighbour is lost."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any, cast

import pytest

from gateway.messages import Event
from gateway.session.envelope import seal, unseal
from tests.integration.slack.alone import heard
from tests.replay.slack.examples import cases, read

_DELIVERED = 600
_SEED = 20_261_201
_ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    10**400,
    0.5,
    float("inf"),
    float("nan"),
    "",
    " ",
    "0",
    "１２",
    "1e999",
    "\x00",
    "\ud83d",
    "👩‍🚀" * 40,
    "a" * 70_000,
    "<@U0HELPER1>",
    "<" * 3000,
    "</stop>",
    "/stop",
    "1796000000.000200",
    "D024BE91L",
    [],
    [[]],
    [None],
    {},
    {"id": 1},
    {"": {}},
)


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_payloads_spoilt_anywhere_become_events_that_can_be_kept(count: int) -> None:
    """Whatever stands where, the reader gives an event, and the inbox can write and read it."""
    kinds = set[str]()
    for case, payload in _spoilt(count, seed=_SEED):
        raw = json.dumps(payload).encode()

        event = read(case["kind"], payload, raw, case.get("known"))

        assert event.raw == raw
        assert (event.inbound is None) == bool(event.dropped)
        assert bool(event.dedupe) == (event.inbound is not None)
        assert _kept(event) == event.inbound
        kinds.add(event.dropped or "read")
    assert {"read", "unparsable", "unsupported", "own", "service", "foreign_workspace"} <= kinds


async def test_spoilt_payloads_lose_no_neighbour() -> None:
    """Between the spoilt ones people write, and every word of theirs arrives once, in order."""
    said = [f"neighbour {number}" for number in range(_DELIVERED // 10)]
    async with heard() as (_, slack, context):
        spoilt = _spoilt(_DELIVERED, seed=_SEED + 1)
        for text in said:
            for _ in range(10):
                case, payload = next(spoilt)
                slack.delivery.push(case["kind"], cast("dict[str, Any]", payload))
            slack.say(text)
        await context.until(lambda: not slack.unacknowledged, seconds=40.0)

        heard_of = [one.text for one in context.inbounds if one.text.startswith("neighbour ")]
        assert heard_of == said
        assert context.states[-1] == "up"


def _kept(event: Event) -> object:
    return unseal(seal(event)).inbound


def _spoilt(count: int, *, seed: int) -> Iterator[tuple[dict[str, Any], Any]]:
    """Examples with one to four things wrong."""
    dice = random.Random(seed)  # noqa: S311  # not for secrets
    examples = [*cases().values()]
    for _ in range(count):
        case = dice.choice(examples)
        payload: Any = copy.deepcopy(case["payload"])
        for _ in range(dice.randint(1, 4)):
            payload = _spoil(payload, dice)
        yield case, payload


def _spoil(payload: Any, dice: random.Random) -> Any:
    """The same with one thing wrong, at any depth."""
    spots = list(_spots(payload))
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
    return payload


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
