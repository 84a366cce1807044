"""What discord.py knows, loaded without its warning."""

from __future__ import annotations

from discord import Permissions

from gateway_adapters.discord import library

__all__ = ["library", "permissions"]


def permissions(*names: str) -> int:
    """The bits of permissions."""
    return Permissions(**dict.fromkeys(names, True)).value
