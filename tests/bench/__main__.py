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
from tests.bench.botapi import Platform
from tests.bench.commits import Commits, commits, fsync_seconds
from tests.bench.discordapi import Discord
from tests.bench.embedded import memory_per_conversation
from tests.bench.growing import long_conversation, many_conversations
from tests.bench.many_bots import bots_at_once
from tests.bench.peer import against_peer
from tests.bench.reading import reading
from tests.bench.rounds import Echo
from tests.bench.slackapi import Slack
from tests.bench.starting import help_seconds, start
from tests.bench.together import together

__all__ = ["DEFAULT", "QUICK", "Row", "Size", "main", "table"]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured.

    Attributes:
        rounds: Times that both sides take turns.
        messages: Of many people at once, a round.
        lone: Of one person, a round.
        counted: Messages over which commits are counted.
        steady: Messages to a store that has grown, so many that its caches are warm for most of them.
        turns: Of `BotSessionManager`, a round.
        starts: Times that commands are started.
        people: Conversations whose memory is measured.
        known: Conversations that a store knows, at most.
        talked: Turns of the longest conversation.
        bots: In one process, at most.
        idle: Seconds for which nobody writes to them.
        install: Whether the peer is installed where it is missing.
    """

    rounds: int = 7
    messages: int = 400
    lone: int = 100
    counted: int = 50
    steady: int = 2_000
    turns: int = 2_000
    starts: int = 10
    people: int = 1_000
    known: int = 1_000_000
    talked: int = 10_000
    bots: int = 200
    idle: float = 3.0
    install: bool = True


DEFAULT = Size()
QUICK = Size(
    rounds=2,
    messages=150,
    lone=30,
    counted=15,
    steady=100,
    turns=500,
    starts=3,
    people=200,
    known=20_000,
    bots=20,
    idle=0.5,
    install=False,
)


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
        *await _growing(size),
        *await _together(size),
        *_turns(size),
        Row("memory of a conversation", f"{await memory_per_conversation(size.people) / 1024:.1f} KiB"),
        *_reading(size),
        *await _starting(size),
    ]


async def _echo(size: Size) -> list[Row]:
    fsync = fsync_seconds()
    much = {"rounds": size.rounds, "messages": size.messages, "lone": size.lone}
    less = much | {"rounds": max(size.rounds // 2, 1)}
    return [
        Row("`fdatasync` of this disk, median", _ms(fsync)),
        *_sides("Telegram", *await telegram_echo.compare(**much), fsync),
        *_durable("Telegram", *await commits(size.counted, Platform, telegram_echo.config)),
        *_sides("Slack", *await slack_echo.compare(**much), fsync),
        *_durable("Slack", *await commits(size.counted, Slack, slack_echo.config)),
        *_sides("Discord", *await discord_echo.compare(**much), fsync),
        *_durable("Discord", *await commits(size.counted, Discord, discord_echo.config)),
        *_sides("Telegram on Valkey", *await telegram_echo.compare_on_valkey(**less), fsync)[:-1],
    ]


async def _together(size: Size) -> list[Row]:
    bots = min(size.bots, 8)
    one, two = [await together(count, bots=bots, messages=size.messages * 4) for count in (1, 2)]
    name = f"two gateways on one Valkey, {bots} bots"
    return [
        Row(
            f"{name}: messages a second",
            f"{two.rate:.0f}",
            f"{one.rate:.0f} (one gateway)",
            two.rate / one.rate,
        ),
        _compared(f"{name}: CPU a message", two.busy, one.busy, "one gateway"),
    ]


def _sides(platform: str, ours: Echo, bare: Echo, fsync: float) -> list[Row]:
    added = statistics.median(ours.latency) - statistics.median(bare.latency)
    return [
        _times(f"{platform} echo, 16 people at once: CPU a message", ours.busy, bare.busy),
        _times(f"{platform} echo, one person: CPU a message", ours.lone, bare.lone),
        _times(f"{platform} echo, one person: p50", ours.latency, bare.latency),
        Row(f"{platform} echo, one person: p50 added", f"{_ms(added)}, {added / fsync:.0f} `fdatasync`s"),
        Row(
            f"{platform}: resident after the echo",
            _mb(ours.memory),
            _mb(bare.memory),
            ours.memory / bare.memory,
        ),
    ]


def _durable(platform: str, lone: Commits, many: Commits) -> list[Row]:
    return [
        Row(
            f"{platform} echo, {who}: durable commits a message",
            f"{found.durable:.2f} of {found.transactions:.2f}",
            "0",
        )
        for who, found in (("one person", lone), ("16 people at once", many))
    ]


async def _growing(size: Size) -> list[Row]:
    """What grows: conversations, a conversation, bots."""
    few, many = [await many_conversations(known, messages=size.steady) for known in (1_000, size.known)]
    short, long = [await long_conversation(turns, messages=size.steady) for turns in (10, size.talked)]
    one, crowd = [await bots_at_once(bots, messages=size.messages, idle=size.idle) for bots in (1, size.bots)]
    known, talked = f"{size.known:,} conversations known", f"{size.talked:,} turns of history"
    name = f"{size.bots} Telegram bots in one process"
    return [
        _compared(f"store, a message with {known}: CPU", many.cpu, few.cpu, "1,000 known"),
        _compared(f"store, a message with {known}: p50", many.p50, few.p50, "1,000 known"),
        _compared(f"store, a message after {talked}: CPU", long.cpu, short.cpu, "after 10"),
        _compared(f"store, a message after {talked}: p50", long.p50, short.p50, "after 10"),
        _compared(f"{name}: CPU a message", crowd.busy, one.busy, "one bot"),
        Row(f"{name}: CPU while nobody writes", f"{crowd.idle:.1%} of a core", f"{one.idle:.1%} (one bot)"),
        Row(f"{name}: until all listen", f"{crowd.listening:.2f} s", f"{one.listening:.2f} s (one bot)"),
        Row(f"{name}: resident", _mb(crowd.memory), f"{_mb(one.memory)} (one bot)"),
    ]


def _compared(what: str, ours: float, other: float, which: str) -> Row:
    return Row(what, _ms(ours), f"{_ms(other)} ({which})", ours / other if other else None)


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
