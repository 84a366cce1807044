"""What a Discord bot's YAML may say."""

from __future__ import annotations

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, field_validator

__all__ = ["Intents", "Options", "Rates"]

_SCHEMES = ("Bot ", "Bearer ")


class Intents(BaseModel):
    """What Discord hands the bot beyond what it always gets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    message_content: bool = Field(
        default=False,
        description="Read what is said in servers without a mention; to be switched on in the portal too.",
    )


class Rates(BaseModel):
    """How fast the bot speaks at most; 0 leaves a limit to what Discord answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    overall: int = Field(default=45, ge=0, le=1000, description="Calls a second, everywhere.")
    channel: int = Field(default=5, ge=0, le=1000, description="Messages in five seconds in one channel.")


class Options(BaseModel):
    """The settings of one Discord bot."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: SecretStr = Field(
        validation_alias=AliasChoices("token", "bot_token"),
        description="The bot's token, from the developer portal.",
    )
    intents: Intents = Field(default=Intents(), description="What Discord hands the bot beyond the usual.")
    register_commands: bool = Field(
        default=True, description="Offer the commands in Discord's own menu, in each language."
    )
    rates: Rates = Field(default=Rates(), description="How fast the bot speaks at most.")
    proxy: str = Field(
        default="",
        pattern=r"^(|https?://[^\s/]+/?)$",
        description="An HTTP proxy to reach Discord by.",
    )
    api_base: str = Field(
        default="https://discord.com/api/v10",
        pattern=r"^https?://[^\s/]+(/[^\s]*)?$",
        description="Where Discord's API is; a local one, say.",
    )
    gateway_url: str = Field(
        default="",
        pattern=r"^(|wss?://[^\s/]+(/[^\s]*)?)$",
        description="Where events come from; default: where Discord says.",
    )

    @field_validator("token")
    @classmethod
    def _shaped(cls, token: SecretStr) -> SecretStr:
        text = token.get_secret_value()
        if text.startswith(_SCHEMES):
            raise ValueError("is the token alone, without the word before it")
        if text.count(".") != 2 or not all(text.split(".")) or any(mark.isspace() for mark in text):
            raise ValueError(
                "is no bot token; the developer portal (your application, Bot, Reset Token) gives one in"
                " three parts with dots between them, which is neither the client secret nor the public key"
            )
        return token
