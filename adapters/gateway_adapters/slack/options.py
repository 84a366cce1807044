"""What a Slack bot's YAML may say."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator

__all__ = ["Options", "Rates"]

_WHERE = "api.slack.com/apps, your app"


class Rates(BaseModel):
    """How fast the bot speaks at most; 0 leaves a limit to what Slack answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    overall: int = Field(default=240, ge=0, le=100_000, description="Messages a minute, to everybody.")
    chat: float = Field(
        default=1.0, ge=0, le=1000, description="Messages a second in one channel, on average."
    )
    edits: int = Field(default=45, ge=0, le=100_000, description="Edits a minute, in all channels together.")


class Options(BaseModel):
    """The settings of one Slack bot."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: SecretStr = Field(
        validation_alias=AliasChoices("token", "bot_token"),
        description="The bot token, xoxb-…, of OAuth & Permissions.",
    )
    receive: Literal["socket", "webhook"] = Field(
        default="socket", description="How events come in; a webhook needs public_url and signing_secret."
    )
    app_token: SecretStr = Field(
        default=SecretStr(""),
        validate_default=True,
        description="The app-level token, xapp-…, of Basic Information; for receive: socket.",
    )
    signing_secret: SecretStr = Field(
        default=SecretStr(""),
        validate_default=True,
        description="What Slack signs its requests with, of Basic Information; for receive: webhook.",
    )
    proxy: str = Field(
        default="", pattern=r"^(|https?://[^\s/]+/?)$", description="An HTTP proxy to reach Slack by."
    )
    api_base: str = Field(
        default="https://slack.com/api",
        pattern=r"^https?://[^\s/]+(/[^\s]*)?$",
        description="The Web API; https://slack-gov.com/api, say.",
    )
    rates: Rates = Field(default=Rates(), description="How fast the bot speaks at most.")

    @field_validator("token")
    @classmethod
    def _of_a_bot(cls, token: SecretStr) -> SecretStr:
        if re.fullmatch(r"xoxb-[A-Za-z0-9-]+", token.get_secret_value()) is None:
            raise ValueError(
                f"is no bot token; copy the Bot User OAuth Token, which begins with xoxb-, from {_WHERE},"
                " OAuth & Permissions"
            )
        return token

    @field_validator("app_token")
    @classmethod
    def _of_the_app(cls, token: SecretStr, info: ValidationInfo) -> SecretStr:
        given = token.get_secret_value()
        if not given and info.data.get("receive") != "socket":
            return token
        if re.fullmatch(r"xapp-[A-Za-z0-9-]+", given) is None:
            fault = "is no app-level token" if given else "is needed by receive: socket"
            raise ValueError(
                f"{fault}; make one with the scope connections:write in {_WHERE}, Basic Information,"
                " App-Level Tokens (it begins with xapp-), or write receive: webhook"
            )
        return token

    @field_validator("signing_secret")
    @classmethod
    def _known(cls, secret: SecretStr, info: ValidationInfo) -> SecretStr:
        given = secret.get_secret_value()
        if not given and info.data.get("receive") == "webhook":
            raise ValueError(
                f"is needed by receive: webhook; copy it from {_WHERE}, Basic Information, App Credentials"
            )
        if given and re.fullmatch(r"[!-~]{8,128}", given) is None:
            raise ValueError(
                f"is no signing secret; copy it from {_WHERE}, Basic Information, App Credentials"
            )
        return secret
