"""Turns per second of processor time of one `BotSessionManager`; run in the environment that has it.

`python turns_of.py MODULE TURNS` imports nothing of ours, so that it runs beside another project too.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import time

_PEOPLE = 100


class Echo:
    """An agent that every implementation of the manager takes."""

    chat_history: list[object]

    def __init__(self) -> None:
        self.chat_history = []

    def chat(self, text: str, **_: object) -> str:
        """Say it back."""
        return text


async def _rate(module: str, turns: int) -> float:
    made = importlib.import_module(module).BotSessionManager
    noted = {"surface_completion_reason": True} if module == "gateway" else {}
    sessions, agent = made(platform="bench", **noted), Echo()
    for number in range(_PEOPLE):
        await sessions.chat(agent, str(number), "hello")
    began = time.process_time()
    for number in range(turns):
        await sessions.chat(agent, str(number % _PEOPLE), "hello")
    return turns / (time.process_time() - began)


def main() -> None:
    """Print the rate."""
    print(asyncio.run(_rate(sys.argv[1], int(sys.argv[2]))))


if __name__ == "__main__":
    main()
