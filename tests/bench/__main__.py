"""Run every measurement and print a Markdown table: `python -m tests.bench [--quick]`."""

from __future__ import annotations

import asyncio
import platform
import statistics
import sys
import time

from tests.bench.embedded import memory_per_conversation, turns_per_second
from tests.bench.starting import fsync_seconds, help_seconds, start
from tests.bench.telegram_echo import compare


async def rows(*, quick: bool) -> list[tuple[str, str, str, str]]:
    """What was measured, ours, the bare library's, and the ratio."""
    found: list[tuple[str, str, str, str]] = []
    sizes = (
        {"rounds": 2, "messages": 100, "lone": 10} if quick else {"rounds": 5, "messages": 400, "lone": 40}
    )
    ours, bare = await compare(**sizes)
    cpu, bare_cpu = statistics.median(ours.cpu), statistics.median(bare.cpu)
    wait, bare_wait = statistics.median(ours.latency), statistics.median(bare.latency)
    found.append(("Telegram echo, CPU a message", _ms(cpu), _ms(bare_cpu), f"{cpu / bare_cpu:.2f}"))
    found.append(("Telegram echo, p50 of one person", _ms(wait), _ms(bare_wait), f"{wait / bare_wait:.2f}"))
    found.append(
        ("resident after the echo", _mb(ours.memory), _mb(bare.memory), f"{ours.memory / bare.memory:.2f}")
    )
    fsync = fsync_seconds()
    found.append(
        (
            "p50 added by the gateway, in durable writes of this disk",
            f"{(wait - bare_wait) / fsync:.1f}",
            _ms(fsync),
            "",
        )
    )
    rate = await turns_per_second(1_000 if quick else 5_000)
    found.append(("BotSessionManager, turns a CPU second", f"{rate:.0f}", "", ""))
    found.append(
        ("memory a conversation (store and all)", f"{await memory_per_conversation(500):.0f} B", "", "")
    )
    shown, nothing = help_seconds(3 if quick else 10)
    found.append(
        ("`lastword --help`, wall", _ms(shown), f"{_ms(nothing)} (python -c pass)", f"{shown / nothing:.1f}")
    )
    began, memory = await start()
    found.append(("`lastword run`, until up; resident", f"{began:.2f} s; {_mb(memory)}", "", ""))
    return found


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _mb(size: int) -> str:
    return f"{size / 2**20:.0f} MB"


def main() -> None:
    """Measure and print."""
    table = asyncio.run(rows(quick="--quick" in sys.argv))
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    print(f"Measured on {time.strftime('%Y-%m-%d')}, {machine}.\n")
    print("| what | Lastword | bare library | ratio |\n| --- | --- | --- | --- |")
    for row in table:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
