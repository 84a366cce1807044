"""The agents of the battle: a message says how its turn is to end, and each line of an answer names it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from gateway.abc.agent import TurnContext
from gateway.completion.model import AgentReply, TurnCompletion
from tests.chaos import mutants

__all__ = ["KINDS", "SECRET", "Careful", "careful", "lines", "teller"]

KINDS = (
    "plain", "long", "slow", "length", "refused", "refused-late", "empty", "raise", "raise-late", "hang",
    "hang-late", "deaf", "crash", "wait",
)  # fmt: skip
SECRET = "sk-chaos-0123456789abcdef"
_HEARD = {"long": 60, "slow": 6}
_FILLING = "and so on " * 9
_PACE = 0.12  # seconds between two lines of a slow answer
_TRUNCATED = {"length": "length_truncated", "refused": "refused", "refused-late": "refused"}


def lines(marker: str, kind: str) -> tuple[str, ...]:
    """What a turn says if nothing cuts it short; none for one that only ends."""
    count = 0 if kind in ("refused", "empty", "raise", "hang") else _HEARD.get(kind, 2)
    filling = f" {_FILLING.strip()}" if kind == "long" else ""
    return tuple(f"{marker} {number} of {count} said{filling}" for number in range(1, count + 1))


async def teller(text: str, context: TurnContext) -> object:
    """Answer, and never say whether it acted."""
    marker, _, kind = text.partition(" ")
    told = lines(marker, kind)
    match kind:
        case "raise" | "raise-late":
            await _emit(context, told[:1])
            raise RuntimeError(f"Traceback of {SECRET} in /srv/secret/agent.py: provider said 503 overloaded")
        case "hang" | "hang-late":
            await _emit(context, told[:1])
            await asyncio.Event().wait()
        case "deaf":
            await _emit(context, told[:1])
            await _deaf()
        case "crash":
            await _emit(context, told[:1])
            _crash_once(marker)
        case "slow":
            for line in told:
                await _emit(context, (line,))
                await asyncio.sleep(_PACE)
            return None
        case "wait":
            await asyncio.sleep(0.3)
        case _:
            pass
    if kind in _TRUNCATED:
        told = told[:1]
        return AgentReply("\n".join(told), TurnCompletion(_TRUNCATED[kind], site="agent.reply", token=SECRET))
    return "\n".join(told)


class Careful:
    """The same, and says when it acts, which it never does: a turn that was cut by a crash runs again."""

    reports_actions = True

    async def run(self, text: str, context: TurnContext) -> object:
        """Answer."""
        return await teller(text, context)


careful = Careful()
mutants.plant(os.environ.get("CHAOS_MUTANT", ""))


async def _emit(context: TurnContext, told: tuple[str, ...]) -> None:
    for line in told:
        await context.emit(line + "\n")


async def _deaf() -> None:
    """Run on for a while after it was told to stop."""
    try:
        await asyncio.sleep(60.0)
    except asyncio.CancelledError:
        await asyncio.sleep(0.2)
        raise


def _crash_once(marker: str, die: Callable[[int], object] = os._exit) -> None:
    """End the process, as a fault in native code does; once for each message."""
    mark = Path(f"{marker}.crashed")
    if not mark.exists():
        mark.touch()
        die(9)
