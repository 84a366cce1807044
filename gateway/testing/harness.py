"""What an adapter's exam needs of a platform: to speak, to be seen and to break."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from gateway.abc.adapter import Adapter
from gateway.messages import Action, Place

__all__ = ["WAIT", "AdapterFault", "AdapterHarness"]

AdapterFault = Literal[
    "rate_limit", "dead_target", "rejected", "unreachable", "lost", "taken", "unauthorised"
]

WAIT = 7  # seconds that the platform asks to wait in `rate_limit`


class AdapterHarness(Protocol):
    """A platform with one bot on it, and a person who talks to the bot."""

    @property
    def adapter(self) -> Adapter:
        """The adapter under test; `run` was not called, and the contract closes it."""
        ...

    @property
    def place(self) -> Place:
        """Where the person and the bot are alone; a send works there from the start."""
        ...

    @property
    def secret(self) -> str:
        """What must never stand in an error or a log; empty for a platform without."""
        ...

    async def say(self, text: str) -> None:
        """Let the person write."""
        ...

    async def say_again(self) -> None:
        """Let the platform deliver the person's last message a second time."""
        ...

    async def edit(self, text: str) -> None:
        """Let the person change the words of their last message, where the platform lets them."""
        ...

    async def attach(self, name: str, content: bytes) -> None:
        """Let the person send a file, where the platform lets them."""
        ...

    async def press(self, action: Action) -> None:
        """Let the person press the newest button that offers this."""
        ...

    async def echo(self) -> None:
        """Let the platform report a message of the bot's own."""
        ...

    async def confuse(self) -> None:
        """Let the platform deliver events that nobody can read, of several kinds."""
        ...

    async def shown(self) -> Sequence[str]:
        """The bot's messages as the person sees them now, oldest first, with text of notes and no markup."""
        ...

    async def offered(self) -> Sequence[str]:
        """What stands on the buttons that the person can press now, oldest first."""
        ...

    def acknowledged(self) -> bool:
        """Whether the platform was told that everything it delivered has arrived."""
        ...

    def fail(self, fault: AdapterFault) -> None:
        """Spoil the next send.

        `rate_limit` asks for `WAIT` seconds. `lost` breaks the line before the platform takes the message and
        after it was sent, `taken` after the platform took it; `unreachable` lets no connection come about.
        `unauthorised` is no fault of one send: the platform does not know the bot any more.
        """
        ...
