"""What the YAML of a folder may say."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class Options(BaseModel):
    """The settings of one folder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Path = Field(
        default=Path("folder"),
        description="Where messages are dropped and answers appear, beside the configuration.",
    )
    look_every: float = Field(
        default=0.5, ge=0.05, le=60, description="Seconds between two looks at the inbox."
    )
