"""Fight long battles: `make chaos`, with CHAOS_SECONDS in all and CHAOS_SEED of the first one."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from tests.chaos.battle import Battle, Outcome, Terms
from tests.chaos.scenes import SCENES, battle

__all__ = ["main"]

_ROUND = 30.0  # seconds of fighting in one battle
_RESULTS = Path(".cache/chaos")


async def main() -> int:
    """Fight until the time is over; 1 as soon as a promise was broken."""
    until = time.monotonic() + float(os.environ.get("CHAOS_SECONDS", "300"))
    seed = int(os.environ.get("CHAOS_SEED") or random.SystemRandom().randrange(1_000_000))
    names = sys.argv[1:] or list(SCENES)
    while time.monotonic() < until:
        for name in names:
            if not await _fought(name, seed):
                return 1
        seed += 1
    return 0


async def _fought(name: str, seed: int) -> bool:
    folder = _RESULTS / f"{name}-{seed}-{time.time_ns()}"
    folder.mkdir(parents=True)
    fight = battle(name, folder.absolute(), Terms(seed=seed, seconds=_ROUND))
    outcome = await fight.run()
    _report(name, seed, outcome)
    if outcome.violations:
        _keep(fight, folder, outcome)
        print(f"Look at {folder}. Once more: make chaos CHAOS_SEED={seed} ARGS={name}")  # noqa: T201  # a report
    else:
        shutil.rmtree(folder)
    return not outcome.violations


def _report(name: str, seed: int, outcome: Outcome) -> None:
    """One line of what was fought, so that a battle which exercised nothing is seen."""
    ended = Counter(one.reason for one in outcome.story.ended)
    ends = ", ".join(f"{count} {reason}" for reason, count in ended.most_common())
    twice = sum(one.twice for one in outcome.story.ended)
    gone = sum(one.state == "undeliverable" for one in outcome.story.ended)
    print(  # noqa: T201  # a report
        f"{name} {seed}: {outcome.said} said; {ends}; {twice} maybe twice, {gone} undeliverable; "
        f"{len(outcome.violations)} violations",
        flush=True,
    )


def _keep(fight: Battle, folder: Path, outcome: Outcome) -> None:
    (folder / "outcome.txt").write_text(outcome.told(), "utf-8")
    for number, lines in enumerate(fight.logs()):
        (folder / f"gateway-{number}.log").write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
