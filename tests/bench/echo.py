"""The agent under measurement: it costs nothing itself."""

from __future__ import annotations

__all__ = ["answer"]


async def answer(text: str) -> str:
    """Say it back."""
    return text
