"""What a scripted agent is told in the configuration."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from gateway_agents.scripted.texts import GREETING

__all__ = ["Line", "Options"]

_HOUR = 3600.0  # seconds


class Line(BaseModel):
    """One rule of the script: what to do when a message contains a phrase."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str = Field(
        min_length=1, description="A phrase the message contains, in any case; '*' for every message."
    )
    say: str = Field(default="", description="The answer, as Markdown.")
    end: str = Field(
        default="completed", description="How the turn ends: a word of the registry, or any other."
    )
    action: str = Field(
        default="", description="The name of an effect that is claimed before anything is said."
    )
    hang: bool = Field(default=False, description="Never end after what is said.")
    wait: float = Field(default=0.0, ge=0.0, le=_HOUR, description="Seconds before the first word.")
    crash: bool = Field(default=False, description="Raise an error after what is said.")
    cut_after: int | None = Field(
        default=None, ge=0, description="Words to say before the end; all by default."
    )
    resume: str = Field(default="", description="What is said on Continue; the rest of `say` by default.")
    retry_after: float | None = Field(default=None, ge=0.0, description="Seconds the ending asks to wait.")
    payload: dict[str, object] | None = Field(
        default=None,
        description="A provider's decoded response; how the turn ends is read from it instead of `end`.",
    )


class Options(BaseModel):
    """The options of a scripted agent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    default: str = Field(default=GREETING, description="The answer to a message that no rule matches.")
    script: tuple[Line, ...] = Field(
        default=(), description="Rules; the first that matches a message is followed."
    )
    directives: bool = Field(
        default=False,
        description="Whether a message such as '!max_steps' or '!rate_limited 30' chooses its ending.",
    )
    pace: float = Field(default=0.03, ge=0.0, le=60.0, description="Seconds between two words.")
