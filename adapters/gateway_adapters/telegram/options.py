"""What a Telegram bot's YAML may say."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, field_validator

__all__ = ["Options", "Rates"]


class Rates(BaseModel):
    """How fast the bot speaks at most; 0 leaves a limit to what Telegram answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    overall: int = Field(default=30, ge=0, le=1000, description="Messages a second, to everybody.")
    chat: float = Field(
        default=1.0, ge=0, le=1000, description="Messages a second to one person, on average."
    )
    group: int = Field(default=20, ge=0, le=6000, description="Messages a minute in one group.")


class Options(BaseModel):
    """The settings of one Telegram bot."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: SecretStr = Field(
        validation_alias=AliasChoices("token", "bot_token"), description="What BotFather gave you."
    )
    receive: Literal["polling", "webhook"] = Field(
        default="polling", description="How updates come in; a webhook needs public_url."
    )
    secret_token: SecretStr = Field(
        default=SecretStr(""), description="What Telegram proves itself with; default: drawn once and kept."
    )
    proxy: str = Field(
        default="",
        pattern=r"^(|(https?|socks5h?)://[^\s/]+/?)$",
        description="An HTTP or SOCKS proxy to reach Telegram by.",
    )
    api_base: str = Field(
        default="https://api.telegram.org",
        pattern=r"^https?://[^\s/]+(/[^\s]*)?$",
        description="The Bot API server; a local one, say.",
    )

    rates: Rates = Field(default=Rates(), description="How fast the bot speaks at most.")

    @field_validator("token")
    @classmethod
    def _shaped(cls, token: SecretStr) -> SecretStr:
        number, colon, rest = token.get_secret_value().partition(":")
        if not (number.isdigit() and colon and rest and not any(mark.isspace() for mark in rest)):
            raise ValueError("is no bot token; BotFather gives one like 123456789:ABC-DEF, keep all of it")
        return token

    @field_validator("secret_token")
    @classmethod
    def _allowed(cls, secret: SecretStr) -> SecretStr:
        if re.fullmatch(r"[A-Za-z0-9_-]{0,256}", secret.get_secret_value()) is None:
            raise ValueError("takes 1 to 256 letters, digits, underscores and hyphens")
        return secret

    @field_validator("proxy")
    @classmethod
    def _reachable(cls, proxy: str) -> str:
        if proxy.startswith("socks") and find_spec("socksio") is None:
            raise ValueError('needs a library for SOCKS: pip install "python-telegram-bot[socks]"')
        return proxy
