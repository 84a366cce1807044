"""What the built-in agent is told in the configuration."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, field_validator

__all__ = ["Options"]

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _seconds(value: object) -> object:
    """A duration such as `90s` or `5m` in seconds; anything else as it is, to be judged by its type."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*", value) if isinstance(value, str) else None
    return float(found[1]) * _SECONDS[found[2]] if found is not None else value


_Duration = Annotated[float, BeforeValidator(_seconds), Field(gt=0.0)]


class Options(BaseModel):
    """The options of the built-in agent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(
        min_length=1,
        description="'provider:model', such as 'openai-chat:gpt-5-mini'. For a server that speaks OpenAI's "
        "protocol write 'openai-chat:' and its name for the model, and set base_url.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The provider's key; its usual environment variable by default."
    )
    base_url: str = Field(default="", description="Where the provider is, if not at its usual address.")
    instructions: str = Field(default="", description="What the model is told before every conversation.")
    tools: tuple[Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")], ...] = Field(
        default=(), description="Python functions the model may call, as 'module:function'."
    )
    max_steps: int = Field(default=25, ge=1, le=1000, description="Model requests one turn may use.")
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens one answer may have.")
    temperature: float | None = Field(default=None, ge=0.0, le=2.0, description="How freely it speaks.")
    request_timeout: _Duration | None = Field(
        default=None, description="How long one model request may take in all, such as '90s'."
    )
    first_event_timeout: _Duration | None = Field(
        default=None, description="How long the first sign of an answer may take, such as '30s'."
    )

    retries: int = Field(
        default=1,
        ge=0,
        le=5,
        description="How often a request that failed is sent again before the turn ends.",
    )

    @field_validator("api_key", mode="after")
    @classmethod
    def _empty_is_none(cls, value: SecretStr | None) -> SecretStr | None:
        """`${KEY:-}` of an unset variable is no key."""
        return value if value is not None and value.get_secret_value().strip() else None

    @field_validator("model")
    @classmethod
    def _names_a_provider(cls, value: str) -> str:
        provider, separator, model = value.partition(":")
        if not (separator and provider and model):
            raise ValueError(
                f"{value!r} names no provider; write for example 'openai-chat:{value.strip(':')}'"
            )
        return value
