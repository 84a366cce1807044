"""What a web chat's YAML may say."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Options"]


class Options(BaseModel):
    """The settings of one web chat."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(
        default="", max_length=80, description="The name people read; default: the bot's name."
    )
    path: str = Field(
        default="",
        pattern=r"^(/[A-Za-z0-9_.~-]+)*/?$",
        max_length=200,
        description="Where the chat lives on the server; default: /chat/ and the bot's name.",
    )
    keep_days: int = Field(default=90, ge=1, le=3650, description="Days each line of a chat is kept.")
