"""The names that work waits under: a bot's, and one more for each further partition."""

from __future__ import annotations

import zlib

__all__ = ["CONTROL", "NEWS", "bot_of", "number_of", "partition_of", "queue_name", "queue_of"]

CONTROL = "!"  # ends the name that control commands wait under
NEWS = "?"  # ends the name that word of arrivals elsewhere waits under
_PARTITION = "#"


def queue_name(bot: str, partition: int) -> str:
    """The name of a partition's work."""
    return f"{bot}{_PARTITION}{partition}" if partition else bot


def queue_of(name: str) -> str:
    """The partition's name behind one that control commands or news wait under."""
    return name.removesuffix(CONTROL).removesuffix(NEWS)


def bot_of(name: str) -> str:
    """The bot behind any of its names."""
    return queue_of(name).partition(_PARTITION)[0]


def number_of(queue: str) -> int:
    """Which partition a name is of."""
    return int(queue_of(queue).partition(_PARTITION)[2] or 0)


def partition_of(chat: str, count: int) -> int:
    """The partition of a chat, with all its conversations; the same on every machine."""
    return zlib.crc32(chat.encode()) % count if count > 1 else 0
