"""What tells one configuration of a bot from another, so that replicas know whether they run the same."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec
from pydantic import BaseModel, SecretBytes, SecretStr

from gateway.ownership import Stake
from gateway.settings import BotSettings, Settings

__all__ = ["stake_of"]

_LENGTH = 16  # bytes of the digest


def stake_of(settings: Settings, bot: BotSettings, agents: Sequence[str]) -> Stake:
    """A bot's configuration as other processes are told of it.

    Nobody gets from the digest back to a token: what is hashed holds all of the bot's settings.

    Args:
        settings: The whole configuration.
        bot: The bot's part of it.
        agents: The names of the agents it needs.
    """
    parts = [_plain(bot), _plain(bot.options)]
    for name in agents:
        parts += [_plain(settings.agents[name]), _plain(settings.agents[name].options)]
    text = msgspec.json.encode(parts, order="deterministic")
    return Stake(
        hashlib.blake2b(text, digest_size=_LENGTH).hexdigest(),
        max((_changed(file) for file in settings.files), default=0.0),
        time.time(),
        bot.partitions,
    )


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _plain(value: object) -> object:
    """A value as plain JSON, secrets included; objects of other kinds count by their type."""
    if isinstance(value, BaseModel):
        return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, SecretStr | SecretBytes):
        return str(value.get_secret_value())
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        found = [_plain(one) for one in cast("Sequence[object]", value)]
        return sorted(found, key=repr) if isinstance(value, set | frozenset) else found
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value) if isinstance(value, Path) else type(value).__qualname__
