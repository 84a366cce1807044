"""Register the commands people are offered, for each language Telegram knows, when they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import cast

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, RateLimited, StoreError
from gateway_adapters.telegram.api import Api

__all__ = ["by_language", "register"]

_KEY = "menu"
_TRIES = 5
_WAIT = 60.0  # seconds
_DESCRIPTION, _COMMANDS = 256, 100  # characters, entries
_FOREMOST = ("zh-Hans",)  # of several tags of one language, those that most people read

Menu = Mapping[str, Sequence[tuple[str, str]]]


async def register(api: Api, context: AdapterContext) -> None:
    """Set what changed since it was set last; what fails is tried again, and hinders nothing."""
    for _ in range(_TRIES):
        try:
            await _registered(api, context)
        except (AdapterError, StoreError) as exc:
            context.log.warning("adapter.menu_not_set", problem=str(exc))
            wait = exc.retry_after if isinstance(exc, RateLimited) else _WAIT
        except Exception as exc:  # noqa: BLE001  # receiving goes on whatever becomes of a menu
            name = type(exc).__name__
            context.log.error("adapter.menu_broke", problem=name)  # noqa: TRY400  # its log knows no `exception`
            return
        else:
            return
        await context.clock.sleep(wait)


def by_language(menu: Menu) -> dict[str, list[dict[str, str]]]:
    """The commands for each two-letter language, and under an empty one for everybody else.

    Telegram tells apart no more than ISO 639-1 (Bot API, `setMyCommands`, read 2026-11), so one of the tags
    of a language speaks for all: the bare one, one that most people read, or else the first.
    """
    chosen: dict[str, str] = {}
    for tag in sorted(menu, key=lambda tag: ("-" in tag, tag not in _FOREMOST)):
        language = tag.partition("-")[0].lower()
        if not tag or (len(language) == 2 and language.isascii() and language.isalpha()):
            chosen.setdefault(language, tag)
    return {language: _commands(menu[tag]) for language, tag in chosen.items()}


async def _registered(api: Api, context: AdapterContext) -> None:
    wanted = by_language(context.menu)
    known = _known(await context.recall(_KEY))
    before = dict(known)
    prints = {language: _print(commands) for language, commands in wanted.items()}
    try:
        for language, commands in wanted.items():
            if known.get(language) != prints[language]:
                await api.call("setMyCommands", {"commands": commands, "language_code": language})
                known[language] = prints[language]
        for language in sorted(known.keys() - wanted.keys()):
            await api.call("deleteMyCommands", {"language_code": language})
            del known[language]
    finally:
        if known != before:
            await context.keep(_KEY, json.dumps(known, sort_keys=True).encode())


def _commands(menu: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"command": name, "description": told[:_DESCRIPTION]} for name, told in menu][:_COMMANDS]


def _print(commands: list[dict[str, str]]) -> str:
    return hashlib.sha256(json.dumps(commands).encode()).hexdigest()


def _known(kept: bytes | None) -> dict[str, str]:
    """What was set last, by language."""
    try:
        found: object = json.loads(kept or b"{}")
    except ValueError:
        return {}
    told = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return {key: str(value) for key, value in told.items()}
