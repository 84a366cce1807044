"""Offer the commands in Discord's own menu, in each language it knows, when they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, RateLimited, StoreError
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.library import AppCommandType, Locale

__all__ = ["commands", "register"]

_KEY = "menu"
_TRIES = 5
_WAIT = 60.0  # seconds
_DESCRIPTION = 100  # characters
_SPELT = {"en": ("en-US", "en-GB"), "es": ("es-ES", "es-419"), "sv": ("sv-SE",)}
_CHINESE = {"zh-Hans": "zh-CN", "zh-Hant": "zh-TW", "zh": "zh-CN"}
_TEXT = 3  # an option that is a text
_TAKING = {"language": "name", "why": "reference"}  # commands that something may follow, and its name
_SERVER_AND_PRIVATE = [0, 1]  # where they are offered
_BY_SERVER = [0]  # to whom: those on a server that added the bot

Menu = Mapping[str, Sequence[tuple[str, str]]]


async def register(api: Api, context: AdapterContext, application: str) -> None:
    """Set the menu if it changed since it was set last; what fails is tried again, and hinders nothing."""
    for _ in range(_TRIES):
        try:
            await _registered(api, context, application)
        except (AdapterError, StoreError) as exc:
            context.log.warning("adapter.menu_not_set", problem=str(exc))
            wait = exc.retry_after if isinstance(exc, RateLimited) else _WAIT
        else:
            return
        await context.clock.sleep(wait)


def commands(menu: Menu) -> list[dict[str, Any]]:
    """The commands as Discord takes them."""
    told = {tag: dict(entries) for tag, entries in menu.items()}
    return [_command(name, does, told) for name, does in menu.get("", ())]


def _command(name: str, does: str, told: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    by_locale = {
        locale: entries[name][:_DESCRIPTION]
        for tag, entries in told.items()
        if name in entries
        for locale in _locales(tag)
    }
    made: dict[str, Any] = {
        "name": name,
        "type": AppCommandType.chat_input.value,
        "description": does[:_DESCRIPTION],
        "description_localizations": by_locale,
        "contexts": _SERVER_AND_PRIVATE,
        "integration_types": _BY_SERVER,
    }
    if name in _TAKING:
        option = {"type": _TEXT, "name": _TAKING[name], "description": does[:_DESCRIPTION], "required": False}
        made["options"] = [{**option, "description_localizations": by_locale}]
    return made


def _locales(tag: str) -> Sequence[str]:
    """Discord's names of a language; none where it does not know it."""
    known = {locale.value for locale in Locale}
    return [one for one in (_CHINESE.get(tag, tag), *_SPELT.get(tag, ())) if one in known]


async def _registered(api: Api, context: AdapterContext, application: str) -> None:
    wanted = commands(context.menu)
    told = f"{application} {json.dumps(wanted, sort_keys=True)}"
    printed = hashlib.sha256(told.encode()).hexdigest().encode()
    if await context.recall(_KEY) != printed:
        await api.call("PUT", f"/applications/{application}/commands", wanted)
        await context.keep(_KEY, printed)
