"""What a configuration may say; every key has a default but the token and the agent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gateway.settings.units import Duration

__all__ = [
    "AccessSettings",
    "AgentSettings",
    "BotSettings",
    "NotesSettings",
    "ServerSettings",
    "SessionSettings",
    "Settings",
]

_TAG = re.compile(r"auto|[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


def _tag(value: object) -> object:
    if not isinstance(value, str) or _TAG.fullmatch(value) is None:
        raise ValueError(f"{value!r} is no language; write a tag like de or pt-BR, or auto")
    return value


_Tag = Annotated[str, BeforeValidator(_tag, json_schema_input_type=str)]
_Id = Annotated[str, Field(coerce_numbers_to_str=True)]


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, arbitrary_types_allowed=True
    )


class ServerSettings(_Part):
    """The one HTTP server that web chats, webhooks and health checks share."""

    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=8080, ge=0, le=65535, description="The port; 0 takes a free one.")
    trusted_proxies: tuple[str, ...] = Field(
        default=(), description="Addresses whose forwarded headers count."
    )


class NotesSettings(_Part):
    """How endings are told."""

    contact: str = Field(default="", max_length=80, description="Whom people may turn to.")
    reference: Literal["always", "faults", "never"] = Field(
        default="faults", description="When the short reference stands after a note."
    )
    texts: dict[str, dict[str, dict[str, str]]] = Field(
        default_factory=dict[str, dict[str, dict[str, str]]],
        description="Your own texts: language, then text or reason, then what and do.",
    )


class AccessSettings(_Part):
    """Who may talk to a bot."""

    dm: Literal["pairing", "allowlist", "open", "off"] = Field(
        default="pairing", description="Private chats: a code, a list, everybody, nobody."
    )
    groups: Literal["mention", "reply", "all", "off"] = Field(
        default="mention", description="Which messages of groups are taken."
    )
    allow: tuple[_Id, ...] = Field(default=(), description="Ids of people and chats that may.")
    admins: tuple[_Id, ...] = Field(default=(), description="Ids of people who may also approve and stop.")


class SessionSettings(_Part):
    """What a conversation remembers."""

    history: int = Field(default=100, ge=0, le=10_000, description="Messages an agent is given, at most.")


class AgentSettings(_Part):
    """One agent: what every kind has, and the options of its own kind."""

    name: str
    kind: str
    timeout: Duration = 300.0
    idle_timeout: Duration = 120.0
    max_concurrent: int = Field(default=256, ge=1, le=100_000, description="Turns of one bot at once.")
    options: Any = Field(default=None, exclude=True)


class BotSettings(_Part):
    """One bot: what every platform has, and the options of its own platform."""

    name: str
    platform: str
    agent: str
    surface_completion_reason: bool = Field(
        default=False, description="Tell people how an answer ended, when it did not end well."
    )
    language: _Tag = Field(default="auto", description="The notes' language; auto goes by the person.")
    fallback_language: _Tag = Field(default="en", description="The language where nothing is known.")
    notes: NotesSettings = NotesSettings()
    never_silent: bool = Field(default=True, description="Tell a person whose message led to nothing at all.")
    access: AccessSettings = AccessSettings()
    session: SessionSettings = SessionSettings()
    streaming: Literal["auto", "off"] = Field(
        default="auto", description="Whether answers are shown growing."
    )
    on_restart: Literal["explain", "rerun"] = Field(
        default="explain", description="What becomes of a turn that may have acted when the gateway dies."
    )
    options: Any = Field(default=None, exclude=True)


class Settings(_Part):
    """A whole configuration.

    Attributes:
        folder: Where relative paths start from: the file's folder.
        origin: Where each value stands: `where(path)` gives `file:line:column`.
    """

    version: Literal[1] = 1
    store: str = "sqlite:lastword.db"
    server: ServerSettings = ServerSettings()
    public_url: str = ""
    agents: dict[str, AgentSettings]
    bots: dict[str, BotSettings]
    folder: Path = Path()
    origin: Any = Field(default=None, exclude=True)

    def where(self, path: tuple[str, ...]) -> str:
        """The position of a value, or of the nearest thing above it."""
        return str(self.origin.where(path)) if self.origin is not None else "?"
