"""Lastword: a chat-bot gateway that never goes quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.completion.extract import extract_completion
from gateway.completion.model import AgentReply, TurnCompletion, append_completion_note

if TYPE_CHECKING:
    from gateway.embedded import BotSessionManager

__all__ = [
    "AgentReply",
    "BotSessionManager",
    "TurnCompletion",
    "append_completion_note",
    "extract_completion",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "BotSessionManager":
        from gateway.embedded import BotSessionManager

        return BotSessionManager
    raise AttributeError(f"module 'gateway' has no attribute {name!r}")
