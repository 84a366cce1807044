"""Run every measurement and print a Markdown table: `python -m tests.bench [--quick]`."""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import sys
import time
from dataclasses import dataclass

from tests.bench import discord_echo, slack_echo, telegram_echo
from tests.bench.commits import commits, fsync_seconds
from tests.bench.embedded import memory_per_conversation
from tests.bench.peer import against_peer
from tests.bench.reading import reading
from tests.bench.rounds import Echo
from tests.bench.starting import help_seconds, start

__all__ = ["DEFAULT", "QUICK", "Row", "Size", "main", "table"]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured.

    Attributes:
        rounds: Times that both sides take turns.
        messages: Of many people at once, a round.
        lone: Of one person, a round.
        counted: Messages over which commits are counted.
        turns: Of `BotSessionManager`, a round.
        starts: Times that commands are started.
        people: Conversations whose memory is measured.
        install: Whether the peer is installed where it is missing.
    """

    rounds: int = 7
    messages: int = 400
    lone: int = 100
    counted: int = 50
    turns: int = 2_000
    starts: int = 10
    people: int = 1_000
    install: bool = True


DEFAULT = Size()
QUICK = Size(rounds=2, messages=150, lone=30, counted=15, turns=500, starts=3, people=200, install=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    ours: str
    other: str = ""
    ratio: float | None = None

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        return f"| {self.what} | {self.ours} | {self.other} | {ratio} |"


async def table(size: Size) -> list[Row]:
    """Every measurement, in the order of the table."""
    return [
        *await _echo(size),
        *_turns(size),
        Row("memory of a conversation", f"{await memory_per_conversation(size.people) / 1024:.1f} KiB"),
        *_reading(size),
        *await _starting(size),
    ]


async def _echo(size: Size) -> list[Row]:
    ours, bare = await telegram_echo.compare(rounds=size.rounds, messages=size.messages, lone=size.lone)
    lone, many = await commits(size.counted)
    return [
        *_sides("Telegram", ours, bare),
        Row("one person: durable commits a message", f"{lone.durable:.1f} of {lone.transactions:.1f}", "0"),
        Row("16 people: durable commits a message", f"{many.durable:.2f} of {many.transactions:.2f}", "0"),
        Row("`fdatasync` of this disk, median", _ms(fsync_seconds())),
        *_sides(
            "Slack", *await slack_echo.compare(rounds=size.rounds, messages=size.messages, lone=size.lone)
        ),
        *_sides(
            "Discord", *await discord_echo.compare(rounds=size.rounds, messages=size.messages, lone=size.lone)
        ),
    ]


def _sides(platform: str, ours: Echo, bare: Echo) -> list[Row]:
    return [
        _times(f"{platform} echo, 16 people at once: CPU a message", ours.busy, bare.busy),
        _times(f"{platform} echo, one person: CPU a message", ours.lone, bare.lone),
        _times(f"{platform} echo, one person: p50", ours.latency, bare.latency),
        Row(
            f"{platform}: resident after the echo",
            _mb(ours.memory),
            _mb(bare.memory),
            ours.memory / bare.memory,
        ),
    ]


def _turns(size: Size) -> list[Row]:
    found = against_peer(rounds=min(size.rounds, 3), turns=size.turns, install=size.install)
    what = "`BotSessionManager`: turns a CPU second"
    if not found.theirs:
        return [Row(what, f"{found.ours:.0f}", f"skipped: {found.why}")]
    return [Row(what, f"{found.ours:.0f}", f"{found.theirs:.0f} ({found.why})", found.ours / found.theirs)]


def _reading(size: Size) -> list[Row]:
    costs = reading(rounds=size.rounds, calls=size.turns)
    bare, decoded = costs["look-up"], costs["decoding"]
    rows = [
        Row(
            f"ending of a good answer, {what}: CPU",
            _us(costs[name].seconds),
            f"{_us(decoded.seconds)} (decoding its JSON); {_us(bare.seconds)} (bare look-up)",
            costs[name].seconds / decoded.seconds,
        )
        for name, what in (("mapping", "mapping"), ("object", "object of an SDK"))
    ]
    ours = [costs[name] for name in ("mapping", "object", "note off")]
    kept, peak = max(one.kept for one in ours), max(one.peak for one in ours)
    off = costs["note off"].seconds
    return [
        *rows,
        Row("ending of a good answer: bytes kept, at most at once", f"{kept:.0f} B, {peak / 1024:.1f} KiB"),
        Row("note that is off: CPU", _us(off), f"{_us(bare.seconds)} (bare look-up)", off / bare.seconds),
    ]


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"


async def _starting(size: Size) -> list[Row]:
    shown, nothing = help_seconds(size.starts)
    up, memory = await start()
    return [
        Row(
            "`lastword --help`: wall",
            _ms(shown.wall),
            f"{_ms(nothing.wall)} (`python -c pass`)",
            shown.wall / nothing.wall,
        ),
        Row(
            "`lastword --help`: CPU",
            _ms(shown.cpu),
            f"{_ms(nothing.cpu)} (`python -c pass`)",
            shown.cpu / nothing.cpu,
        ),
        Row("`lastword run`, one local bot: until up", f"{up:.2f} s"),
        Row("`lastword run`, one local bot: resident", _mb(memory)),
    ]


def _times(what: str, ours: list[float], bare: list[float]) -> Row:
    mine, theirs = statistics.median(ours), statistics.median(bare)
    return Row(what, _ms(mine), _ms(theirs), mine / theirs if theirs else None)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _mb(size: int) -> str:
    return f"{size / 2**20:.0f} MiB"


def main() -> None:
    """Measure and print."""
    rows = asyncio.run(table(QUICK if "--quick" in sys.argv else DEFAULT))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"{time.strftime('%Y-%m-%d')}, {machine}, Python {platform.python_version()}\n")
    print("| what | Lastword | bare library or peer | ratio |\n| --- | --- | --- | --- |")
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
