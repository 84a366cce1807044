"""What one bot's operator allows."""

from __future__ import annotations

from typing import Literal, Protocol

__all__ = ["Rules"]


class Rules(Protocol):
    """The part of the settings that decides access; ids are the platform's, as text."""

    @property
    def dm(self) -> Literal["pairing", "allowlist", "open", "off"]:
        """Who may write in a private chat."""
        ...

    @property
    def groups(self) -> Literal["mention", "reply", "all", "off"]:
        """Which messages of groups are taken."""
        ...

    @property
    def allow(self) -> tuple[str, ...]:
        """People and group chats that may in any case."""
        ...

    @property
    def admins(self) -> tuple[str, ...]:
        """People who may also approve others and stop their turns."""
        ...
