"""What a Python agent is told in the configuration."""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

__all__ = ["Options"]

_REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class Options(BaseModel):
    """The options of a Python agent: exactly one of `target` and `factory`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str = Field(
        default="", description="'module:name' of one object or function that answers every conversation."
    )
    factory: str = Field(
        default="",
        description="'module:name' of a function or class that makes one object for each conversation.",
    )
    stream: bool = Field(
        default=False,
        description=(
            "Show the answer of a framework's agent while it grows, before its guardrails and validators saw"
            " it whole."
        ),
    )
    accepts: tuple[Literal["image", "text", "document", "audio", "voice", "video"], ...] = Field(
        default=(),
        description="Kinds of files it reads from `request.files`; a message with another is told that it "
        "cannot be opened.",
    )
    conversations: int = Field(
        default=1000,
        ge=1,
        description="Objects of a factory that are kept; the one used longest ago goes first.",
    )
    threads: int = Field(default=32, ge=1, le=1024, description="Synchronous calls that run at once.")
    stuck_threads: int = Field(
        default=32,
        ge=1,
        le=1024,
        description="Abandoned calls that may still run before new turns are refused.",
    )

    @field_validator("target", "factory")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        if value and _REFERENCE.fullmatch(value) is None:
            raise ValueError(f"{value!r} is not of the form 'module:name', such as 'my_bot:agent'")
        return value

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if bool(self.target) == bool(self.factory):
            raise ValueError(
                "name either 'target' (one object for everybody) or 'factory' (one for each conversation)"
            )
        return self
