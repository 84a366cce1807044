# ruff: noqa: INP001  # lies beside its YAML, in no package
"""The agents of python_agent.yaml: a function, and a class of which each conversation gets one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator


async def answer(text: str) -> AsyncGenerator[str]:
    """Say slowly what was said, so that it is seen growing and Stop can be pressed."""
    for word in f"You asked: {text}. A person will read it before noon.".split():
        yield f"{word} "
        await asyncio.sleep(0.1)


class Echo:
    """Remembers how often one person wrote."""

    def __init__(self) -> None:
        self._heard = 0

    def chat(self, text: str) -> str:
        """Answer one message."""
        self._heard += 1
        return f"{self._heard}: {text}"
