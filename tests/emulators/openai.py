"""A strict OpenAI chat-completions server on loopback that ends in every way a provider can."""

from __future__ import annotations

from tests.emulators.providers.answers import SECRET, Answer
from tests.emulators.providers.chat import OPENAI
from tests.emulators.providers.server import Emulator

__all__ = ["SECRET", "Answer", "OpenAIEmulator"]


class OpenAIEmulator(Emulator):
    """The server; `async with OpenAIEmulator() as api`."""

    def __init__(self, *, key: str = "sk-emulated") -> None:
        super().__init__(OPENAI, key=key)
