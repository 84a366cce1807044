"""What a gateway of the version before left on a store when it was killed, byte for byte.

Recorded anew from the code of each release, as the next one is begun:
`git archive TAG | tar -x -C FOLDER; python -m tests.integration.replicas.previous FOLDER`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

import msgspec

from gateway.ownership import PREFIX
from gateway.stores.portable import Row, Written
from gateway.stores.redis.address import parse
from gateway.stores.redis.exporting import exported
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.process import until
from tests.integration.replicas.scene import Replica, shared_store, telegram_config

__all__ = [
    "ACTED",
    "BUSY",
    "DEAD",
    "KNOWN",
    "OFFERED",
    "OWED",
    "PARTS",
    "left_behind",
]

KNOWN, OFFERED, BUSY, ACTED, OWED, DEAD, PARTS = range(11, 18)  # chats, by what became of them

_FILE = Path(__file__).with_name("previous.json")
_TIMES = ("at", "due", "closed", "until")


def left_behind() -> list[Row]:
    """The rows, as if it had just been killed; what they hold in themselves is not touched."""
    kept = json.loads(_FILE.read_text("utf-8"))
    gone = time.time() - kept["made"]
    return [_later(msgspec.convert(_with_bytes(row), cast("type[Row]", Row)), gone) for row in kept["rows"]]


def _later(row: Row, seconds: float) -> Row:
    times = {name: getattr(row, name) for name in _TIMES if getattr(row, name, None)}
    return msgspec.structs.replace(row, **{name: at + seconds for name, at in times.items()})


def _with_bytes(row: list[Any]) -> list[Any]:
    return [row[0], *map(_as_bytes, row[1:])]


def _as_bytes(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_as_bytes, cast("list[object]", value)))
    return value.encode() if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return list(map(_as_text, cast("list[object]", value)))
    return value.decode() if isinstance(value, bytes) else value


async def _record(tree: Path) -> None:
    """Let a gateway of another tree live until it has left something of every kind, and kill it."""
    path = os.pathsep.join(str(tree / part) for part in ("", "adapters", "agents"))
    store = shared_store()
    with tempfile.TemporaryDirectory() as folder:
        async with TelegramEmulator() as tg:
            text = telegram_config(tg, store).replace("overall: 0", "overall: 2")
            async with Replica(Path(folder), text, env={"PYTHONPATH": path}) as gateway:
                await until(gateway.leads)
                await _live(tg)
                await gateway.kill()
    rows = [row async for row in exported(parse(store, base=Path())) if not _is_of_process(row)]
    plain = [_as_text(msgspec.to_builtins(row, builtin_types=(bytes,))) for row in rows]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in plain)
    _FILE.write_text(f'{{"made": {time.time()}, "rows": [\n{lines}\n]}}\n', "utf-8")


def _is_of_process(row: Row) -> bool:
    """Whether it is what a process told of itself, which no backup brings back."""
    return isinstance(row, Written) and row.key.startswith(PREFIX.encode())


async def _live(tg: TelegramEmulator) -> None:
    tg.say("/language de", chat=KNOWN)
    await tg.until(lambda: len(tg.messages(KNOWN)) == 1)
    tg.say("hi", chat=KNOWN)
    await tg.until(lambda: len(tg.messages(KNOWN)) == 2)
    tg.say("!max_steps", chat=OFFERED)
    await tg.until(lambda: tg.messages(OFFERED))
    await asyncio.sleep(1.0)
    tg.fail("sendMessage", *[Fault(status=400)] * 2)
    tg.say("hi", chat=DEAD)
    await asyncio.sleep(2.0)
    tg.say("acting please", chat=ACTED)
    tg.fail("sendMessage", Fault(status=429, retry_after=4))
    tg.say("hi", chat=OWED)
    await asyncio.sleep(1.0)
    tg.say("waiting please", chat=BUSY)
    tg.say("hi", chat=BUSY)
    tg.say("three parts", chat=PARTS)
    await tg.until(lambda: tg.messages(PARTS))


if __name__ == "__main__":
    asyncio.run(_record(Path(sys.argv[1])))
