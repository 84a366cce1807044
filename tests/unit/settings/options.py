"""Options of made-up kinds, so that these tests depend on no adapter and no agent."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from gateway.errors import ConfigError, PluginError
from gateway.settings import Settings, load


class Messenger(BaseModel):
    """A platform with a token."""

    model_config = ConfigDict(extra="forbid")

    token: SecretStr = Field(min_length=1)
    proxy: str = ""
    pages: int = Field(default=1, ge=1)
    receive: Literal["polling", "webhook"] = "polling"


class Page(BaseModel):
    """A web chat."""

    model_config = ConfigDict(extra="forbid")

    title: str = ""


class Step(BaseModel):
    """One step of a script."""

    model_config = ConfigDict(extra="forbid")

    when: str
    wait: float = 0.0


class Script(BaseModel):
    """An agent with a script."""

    model_config = ConfigDict(extra="forbid")

    script: tuple[Step, ...] = ()
    directives: bool = False


class Model(BaseModel):
    """An agent with a model."""

    model_config = ConfigDict(extra="forbid")

    model: str
    api_key: SecretStr | None = None
    limits: int = 0

    @field_validator("model")
    @classmethod
    def _names_a_provider(cls, value: str) -> str:
        if ":" not in value:
            raise ValueError(f"{value!r} names no provider")
        return value


_KINDS: dict[tuple[str, str], type[BaseModel]] = {
    ("adapter", "telegram"): Messenger,
    ("adapter", "local"): Page,
    ("agent", "scripted"): Script,
    ("agent", "builtin"): Model,
}

GOOD = """\
version: 1
agents:
  helper: {directives: true}
bots:
  support:
    platform: telegram
    token: 123456:secret
    agent: helper
"""


def options_of(side: str, kind: str) -> type[BaseModel]:
    """The options of a made-up kind."""
    try:
        return _KINDS[side, kind]
    except KeyError:
        raise PluginError(f"there is no {side} {kind!r}") from None


def loaded(folder: Path, text: str | bytes, **env: str) -> Settings:
    """The settings of a file with this text."""
    file = folder / "bots.yaml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(file, options=options_of, env=env)


def problems(folder: Path, text: str | bytes, **env: str) -> list[str]:
    """What is wrong with a file of this text, without the folder's name."""
    with pytest.raises(ConfigError) as caught:
        loaded(folder, text, **env)
    return [line.replace(f"{folder}/", "") for line in caught.value.problems]
