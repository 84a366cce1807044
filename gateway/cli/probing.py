"""Ask a platform about a bot without receiving for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from gateway import plugins
from gateway.errors import Unreachable

__all__ = ["facts_of"]

_PATIENCE = 20.0  # seconds for one platform's answer


async def facts_of(
    platform: str, options: object, *, bot: str, base: Path | None = None
) -> Mapping[str, str]:
    """What the platform says about a bot.

    Args:
        platform: Its kind.
        options: What the platform's options model validated.
        bot: The bot's name.
        base: The configuration's folder.

    Raises:
        PluginError: The platform's libraries are not installed.
        Unauthorised: The platform rejects the credentials.
        AdapterError: The platform could not be asked.
    """
    adapter = plugins.create_adapter(platform, options, bot=bot, base=base)
    try:
        async with asyncio.timeout(_PATIENCE):
            return await adapter.probe()
    except TimeoutError as exc:
        raise Unreachable(f"the platform gave no answer within {_PATIENCE:.0f} s") from exc
    finally:
        await adapter.close()
