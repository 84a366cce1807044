"""What a Telegram bot's YAML may say."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, field_validator

__all__ = ["Options"]


class Options(BaseModel):
    """The settings of one Telegram bot."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: SecretStr = Field(
        validation_alias=AliasChoices("token", "bot_token"), description="What BotFather gave you."
    )
    receive: Literal["polling"] = Field(default="polling", description="How updates come in.")
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

    @field_validator("token")
    @classmethod
    def _shaped(cls, token: SecretStr) -> SecretStr:
        number, colon, rest = token.get_secret_value().partition(":")
        if not (number.isdigit() and colon and rest and not any(mark.isspace() for mark in rest)):
            raise ValueError("is no bot token; BotFather gives one like 123456789:ABC-DEF, keep all of it")
        return token

    @field_validator("proxy")
    @classmethod
    def _reachable(cls, proxy: str) -> str:
        if proxy.startswith("socks") and find_spec("socksio") is None:
            raise ValueError('needs a library for SOCKS: pip install "python-telegram-bot[socks]"')
        return proxy
