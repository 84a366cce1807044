"""Connections of bots: whether one can stay, whether one can be had, and how one is let go."""

from __future__ import annotations

import asyncio
import contextlib

from gateway.abc.adapter import Adapter
from gateway.abc.agent import Agent
from gateway.building import agents_of
from gateway.errors import AdapterError
from gateway.session import Bot
from gateway.settings import AgentSettings, BotSettings, Settings

__all__ = ["Made", "let_go", "made_of", "needs_restart", "probed", "same_link"]

_PROBE = 20.0  # seconds a new connection may take to say who it is
_CLOSE = 5.0  # seconds anything may take to let go of what it holds
_FIXED = ("store", "server", "public_url", "lease")

Made = tuple[BotSettings, tuple[AgentSettings, ...]]


def made_of(settings: Settings, bot: BotSettings) -> Made:
    """What a bot is built of."""
    return bot, tuple(settings.agents[name] for name in agents_of(bot))


def same_link(before: BotSettings, after: BotSettings) -> bool:
    """Whether the connection can stay."""
    return before.platform == after.platform and before.options == after.options


async def probed(bot: Bot) -> None:
    """Make sure that a new connection can be had.

    Raises:
        AdapterError: It cannot.
    """
    try:
        async with asyncio.timeout(_PROBE):
            await bot.adapter.probe()
    except TimeoutError:
        await let_go(bot.adapter)
        raise AdapterError("its platform does not answer") from None
    except BaseException:
        await let_go(bot.adapter)
        raise


async def let_go(owned: Adapter | Agent) -> None:
    """Close something, whatever it makes of that."""
    with contextlib.suppress(AdapterError, Exception):
        async with asyncio.timeout(_CLOSE):
            await owned.close()


def needs_restart(before: Settings, after: Settings) -> list[str]:
    """What a running gateway cannot change, a line each."""
    return [
        f"{key} changed: restart the gateway" for key in _FIXED if getattr(before, key) != getattr(after, key)
    ]
