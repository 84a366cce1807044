"""What the built-in agent is told in the configuration."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

__all__ = ["Fallback", "Options"]

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _seconds(value: object) -> object:
    """A duration such as `90s` or `5m` in seconds; anything else as it is, to be judged by its type."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*", value) if isinstance(value, str) else None
    return float(found[1]) * _SECONDS[found[2]] if found is not None else value


def _named(model: str) -> str:
    provider, separator, name = model.partition(":")
    if not (separator and provider and name):
        raise ValueError(f"{model!r} names no provider; write for example 'openai-chat:{model.strip(':')}'")
    return model


def _empty_is_none(value: SecretStr | None) -> SecretStr | None:
    """`${KEY:-}` of an unset variable is no key."""
    return value if value is not None and value.get_secret_value().strip() else None


_Duration = Annotated[float, BeforeValidator(_seconds), Field(gt=0.0)]
_Seconds = Annotated[float, BeforeValidator(_seconds), Field(ge=0.0)]
_Key = Annotated[SecretStr | None, AfterValidator(_empty_is_none)]


class Fallback(BaseModel):
    """A model to ask instead."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Annotated[str, AfterValidator(_named)] = Field(min_length=1, description="'provider:model'.")
    api_key: _Key = Field(default=None, description="Its key.")
    base_url: str = Field(default="", description="Where it is, if not at its usual address.")


class Options(BaseModel):
    """The options of the built-in agent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Annotated[str, AfterValidator(_named)] = Field(
        min_length=1,
        description="'provider:model', such as 'openai-chat:gpt-5-mini'. For a server that speaks OpenAI's "
        "protocol write 'openai-chat:' and its name for the model, and set base_url.",
    )
    api_key: _Key = Field(
        default=None, description="The provider's key; its usual environment variable by default."
    )
    base_url: str = Field(default="", description="Where the provider is, if not at its usual address.")
    instructions: str = Field(default="", description="What the model is told before every conversation.")
    tools: tuple[Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")], ...] = Field(
        default=(), description="Python functions the model may call, as 'module:function'."
    )
    accepts: tuple[Literal["image", "document", "audio", "voice", "video"], ...] = Field(
        default=(),
        description="Kinds of files the model can read beside text files; a message with another is told "
        "that it cannot be opened.",
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

    stream: bool = Field(default=True, description="Whether answers are asked for in pieces.")
    retries: int = Field(
        default=2,
        ge=0,
        le=10,
        description="How often a model is asked again after a failure that may pass.",
    )
    retry_wait: _Seconds = Field(
        default=20.0, description="How long one turn may wait between such attempts in all, such as '20s'."
    )
    fallback: tuple[Annotated[str, AfterValidator(_named)] | Fallback, ...] = Field(
        default=(),
        max_length=8,
        description="Models to ask instead, in order, when this one cannot answer: 'provider:model', or "
        "model, api_key and base_url.",
    )
    auto_continue: int = Field(
        default=0,
        ge=0,
        le=10,
        description="How often an answer that became too long is gone on with by itself.",
    )

    def others(self) -> tuple[Options, ...]:
        """The options with each model of `fallback` in place of the model, in order.

        A model of the same provider shares its key and its address.
        """
        return tuple(self._with(entry) for entry in self.fallback)

    def _with(self, entry: str | Fallback) -> Options:
        other = entry if isinstance(entry, Fallback) else Fallback(model=entry)
        same = other.model.partition(":")[0] == self.model.partition(":")[0]
        return self.model_copy(
            update={
                "model": other.model,
                "api_key": other.api_key or (self.api_key if same else None),
                "base_url": other.base_url or (self.base_url if same else ""),
                "fallback": (),
            }
        )
