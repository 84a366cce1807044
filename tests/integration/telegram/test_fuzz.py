"""Twenty thousand damaged updates through the real library: nothing breaks, no neighbour is lost."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

from gateway.testing.watching import listening
from gateway_adapters.telegram.inbound import Me, migration, read_update
from tests.integration.telegram.alone import alone

_SEED, _COUNT, _EVERY = 20_261_201, 20_000, 20
_ROWS = Path(__file__).parents[2] / "replay" / "telegram" / "updates.jsonl"
_UPDATES: list[dict[str, Any]] = [
    json.loads(line)["update"] for line in _ROWS.read_text("utf-8").splitlines()
]
_JUNK: tuple[Any, ...] = (
    None,
    True,
    "",
    "x",
    "\ud83d",
    "\u202e\x00",
    "9" * 400,
    -1,
    0,
    2**63,
    2**70,
    1.5,
    float("inf"),
    float("nan"),
    [],
    [[]],
    [None],
    {},
    {"id": None},
    {"id": "1", "type": 3},
)
ME = Me(123456789, "emulated_bot")


def _places(value: object) -> list[tuple[Any, Any]]:
    """Every `(container, key)` in a value."""
    items: list[tuple[Any, object]] = []
    if isinstance(value, dict):
        items = list(cast("dict[Any, object]", value).items())
    elif isinstance(value, list):
        items = list(enumerate(cast("list[object]", value)))
    found: list[tuple[Any, Any]] = [(value, key) for key, _ in items]
    return found + [place for _, inner in items for place in _places(inner)]


def _damaged(rand: random.Random) -> dict[str, Any]:
    """An update with up to three things wrong with it; Telegram's own counter is left alone."""
    update = deepcopy(rand.choice(_UPDATES))
    del update["update_id"]
    for _ in range(rand.randint(1, 3)):
        places = _places(update)
        if not places:
            break
        container, key = rand.choice(places)
        match rand.randrange(4):
            case 0:
                del container[key]
            case 1:
                container[key] = [container[key]]
            case 2:
                container[key] = deepcopy(rand.choice(_UPDATES))
            case _:
                container[key] = deepcopy(rand.choice(_JUNK))
    return update


async def test_damaged_updates_lose_no_neighbour() -> None:
    rand = random.Random(_SEED)  # noqa: S311  # repeatable, no secret
    wanted: list[str] = []
    async with alone() as (adapter, tg):
        for number in range(1, _COUNT + 1):
            tg.push(_damaged(rand))
            if number % _EVERY == 0:
                wanted.append(f"neighbour {number}")
                tg.say(wanted[-1], chat=99)

        async with listening(adapter) as context:
            await tg.until(lambda: tg.unconfirmed == 0, timeout=60.0)

    heard = [inbound.text for inbound in context.inbounds if inbound.place.chat == "99"]
    assert heard == wanted
    assert context.states == ("connecting", "up", "stopped")
    for event in context.events:
        json.loads(event.raw)
        assert (event.inbound is None) == bool(event.dropped)


def test_damaged_values_anywhere_are_read_without_a_word() -> None:
    """The counter too, and whole updates that are something else."""
    rand = random.Random(_SEED)  # noqa: S311  # repeatable, no secret
    for junk in _JUNK:
        assert read_update(junk, b"", ME).dropped == "unparsable"
        assert migration(junk) is None
    for _ in range(2_000):
        update = _damaged(rand) | {"update_id": rand.choice((*_JUNK, 5, 6, 7))}
        event = read_update(update, b"", ME)
        migration(update)
        assert (event.inbound is None) == bool(event.dropped)
        assert bool(event.dedupe) == (event.inbound is not None)
