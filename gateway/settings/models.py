"""What a configuration may say; every key has a default but the token and the agent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from gateway.settings.origins import Origins
from gateway.settings.units import Clock, Duration, Quota, Size, spelled

__all__ = [
    "AccessSettings",
    "AgentSettings",
    "AlertsSettings",
    "BotSettings",
    "DeliverySettings",
    "LimitsSettings",
    "NotesSettings",
    "ResetSettings",
    "RetentionSettings",
    "RouteSettings",
    "ServerSettings",
    "SessionSettings",
    "Settings",
]

_ADDRESS = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?", re.IGNORECASE)
_TAG = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")


def _tag(value: str) -> str:
    if _TAG.fullmatch(value) is None:
        raise ValueError("is no language tag: write one like de or pt-BR")
    return value


def _tag_or_auto(value: str) -> str:
    return value if value == "auto" else _tag(value)


def _store(value: str) -> str:
    if value == "memory":
        return "memory:"
    scheme, _, rest = value.partition(":")
    if scheme in ("redis", "rediss", "valkey", "valkeys"):
        if not rest.startswith("//") or not rest[2:].rpartition("@")[2].strip("/?"):
            raise ValueError("names no server: write it like redis://127.0.0.1:6379/0")
        return value
    if value != "memory:" and not (scheme == "sqlite" and rest and "\0" not in rest):
        raise ValueError(
            "is no store: write sqlite:PATH, redis://HOST for several gateways, or memory to keep nothing"
        )
    return value


def _address(value: str) -> str:
    if value and _ADDRESS.fullmatch(value) is None:
        raise ValueError("is no address: write it like https://bots.example.org")
    return value.rstrip("/")


_Language = Annotated[str, AfterValidator(_tag)]
_LanguageOrAuto = Annotated[str, AfterValidator(_tag_or_auto)]
_Id = Annotated[
    str,
    Field(coerce_numbers_to_str=True, min_length=1, max_length=128),
    WithJsonSchema({"type": ["string", "integer"]}),
]


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, arbitrary_types_allowed=True
    )


class ServerSettings(_Part):
    """The one HTTP server that web chats, webhooks and health checks share."""

    host: str = Field(default="127.0.0.1", min_length=1, description="The address to listen on.")
    port: int = Field(default=8080, ge=0, le=65_535, description="The port; 0 takes a free one.")
    trusted_proxies: tuple[str, ...] = Field(
        default=(), description="Addresses or networks whose forwarded headers count."
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
        default="pairing",
        description="Private chats: who was let in by a code, who is listed, everybody, nobody. "
        "A web chat is open by default.",
    )
    groups: Literal["mention", "reply", "all", "off"] = Field(
        default="mention", description="Which messages of groups are taken."
    )
    allow: tuple[_Id, ...] = Field(default=(), description="Ids of people and of group chats that may.")
    admins: tuple[_Id, ...] = Field(default=(), description="Ids of people who may also approve and stop.")


class ResetSettings(_Part):
    """When a conversation begins anew by itself."""

    idle: Duration | None = Field(default=None, description="After so long without a word.")
    daily: Clock | None = Field(
        default=None, description='Every day at a time of the server, such as "04:00".'
    )


class SessionSettings(_Part):
    """What a conversation is, and what it remembers."""

    scope: Literal["auto", "user", "chat", "thread"] = Field(
        default="auto",
        description="What one conversation is: auto and thread mean each private chat, group, and topic of a "
        "group; chat, a group with all its topics; user, each person for themselves.",
    )
    history: int = Field(default=100, ge=0, le=10_000, description="Messages an agent is given, at most.")
    reset: ResetSettings = Field(
        default=ResetSettings(), description="When a conversation begins anew by itself; never by default."
    )
    group_context: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Messages of a group that were not for the bot and are told to the agent, at most;"
        " what this process heard.",
    )
    debounce: Duration = Field(
        default=1.5, description="How long to wait for more messages with `mid_turn: collect`."
    )


class LimitsSettings(_Part):
    """What a bot takes on."""

    turns_per_person: Quota | None = Field(
        default=None, description="Answers for one person, such as 50/day."
    )
    turns: Quota | None = Field(
        default=None, description="Answers for all people together, such as 5000/day."
    )
    concurrent: int | None = Field(default=None, ge=1, le=100_000, description="Answers at the same time.")
    concurrent_per_person: int | None = Field(
        default=None, ge=1, le=1_000, description="Answers for one person at the same time, in each process."
    )
    queue: int = Field(default=20, ge=1, le=1_000, description="Messages that may wait in one conversation.")


class DeliverySettings(_Part):
    """How long an answer is owed."""

    ttl: Duration = Field(
        default=86_400.0,
        ge=1.0,
        description="How long an answer that cannot be delivered is tried; then you are alerted, and the "
        "person is told when they write again.",
    )
    late_after: Duration = Field(
        default=300.0,
        ge=1.0,
        description="From which delay on an answer that waited for a connection says that it is late.",
    )


class RetentionSettings(_Part):
    """How long things are kept."""

    content: Duration = Field(
        default=30 * 86_400.0,
        ge=3_600.0,
        description="What people said and were told: history, texts in records, answers nobody got.",
    )
    records: Duration = Field(
        default=180 * 86_400.0,
        ge=3_600.0,
        description="How turns ended, without their texts; at least as long as content.",
    )

    @model_validator(mode="after")
    def _in_order(self) -> RetentionSettings:
        if self.records < self.content:
            raise ValueError(
                f"keeps content for {spelled(self.content)}, but records for {spelled(self.records)}:"
                f" write `records: {spelled(self.content)}` or longer beside it, or keep content shorter"
            )
        return self


class RouteSettings(_Part):
    """Who answers in one chat, or in one topic of it."""

    chat: _Id = Field(description="The chat's id.")
    topic: _Id | None = Field(default=None, description="The topic's or thread's id; every topic by default.")
    agent: str | None = Field(default=None, description="The agent's name; the bot's by default.")
    instructions: str = Field(default="", description="What the agent is told beside its own instructions.")


class AlertsSettings(_Part):
    """Who is told when a bot does not work."""

    bot: str = Field(description="The bot that tells.")
    chat: _Id = Field(description="The id of the chat that is told.")


class AgentSettings(_Part):
    """One agent: what every kind has, and the options of its own kind."""

    name: str
    kind: str = Field(description="What runs it; told by its other keys where it is left out.")
    timeout: Duration = Field(default=300.0, description="How long a whole turn may take.")
    idle_timeout: Duration = Field(
        default=120.0, description="How long a turn may go without a sign of life."
    )
    max_concurrent: int = Field(default=256, ge=1, le=100_000, description="Turns of one bot at once.")
    options: Any = Field(default=None, exclude=True)


class BotSettings(_Part):
    """One bot: what every platform has, and the options of its own platform."""

    name: str
    platform: str
    agent: str = Field(description="The agent's name under `agents:`, or an agent written here.")
    surface_completion_reason: bool = Field(
        default=False, description="Tell people how an answer ended, when it did not end well."
    )
    language: _LanguageOrAuto = Field(
        default="auto",
        description="The notes' language; auto goes by the person. /language has the last word.",
    )
    fallback_language: _Language = Field(default="en", description="The language where nothing is known.")
    notes: NotesSettings = Field(default=NotesSettings(), description="How endings are told.")
    never_silent: bool = Field(default=True, description="Tell a person whose message led to nothing at all.")
    access: AccessSettings = Field(default=AccessSettings(), description="Who may talk to the bot.")
    session: SessionSettings = Field(default=SessionSettings(), description="What a conversation remembers.")
    max_attachment: Size = Field(default=20_000_000, description="How large a file beside a message may be.")
    limits: LimitsSettings = Field(default=LimitsSettings(), description="What the bot takes on.")
    delivery: DeliverySettings = Field(default=DeliverySettings(), description="How long an answer is owed.")
    mid_turn: Literal["queue", "collect", "interrupt", "steer"] = Field(
        default="queue",
        description="What becomes of a message that comes while the bot still answers: it waits; it is "
        "answered together with others that came; it replaces the answer; the running answer takes it in, "
        "if the agent can.",
    )
    routes: tuple[RouteSettings, ...] = Field(
        default=(),
        max_length=1_000,
        description="Who answers in certain chats or topics; the first that fits.",
    )
    streaming: Literal["auto", "off"] = Field(
        default="auto", description="Whether answers are shown growing."
    )
    partitions: int = Field(
        default=1,
        ge=1,
        le=32,
        description="Into how many parts the bot's chats are divided, so that several processes on one redis "
        "store can answer them; one that is not very busy needs no more than 1.",
    )
    on_restart: Literal["explain", "rerun"] = Field(
        default="explain", description="What becomes of a turn that may have acted when the gateway dies."
    )
    options: Any = Field(default=None, exclude=True)


class Settings(_Part):
    """A whole configuration.

    Attributes:
        folder: Where relative paths start from: the file's folder.
        files: The files it was read from, the main one first; empty when it was not read from files.
        origins: Where each value stands.
    """

    version: Literal[1] = 1
    store: Annotated[str, AfterValidator(_store)] = Field(
        default="sqlite:lastword.db",
        description="sqlite:PATH, redis://HOST:PORT/0 (Redis or Valkey), or memory to keep nothing.",
    )
    server: ServerSettings = Field(
        default=ServerSettings(), description="The one HTTP server that web chats and health checks share."
    )
    lease: Duration = Field(
        default=10.0,
        ge=1.0,
        le=60.0,
        description="Where several processes share a redis store: how long one that died holds its bots.",
    )
    retention: RetentionSettings = Field(default=RetentionSettings(), description="How long things are kept.")
    public_url: Annotated[str, AfterValidator(_address)] = Field(
        default="", description="Where the server is reached from outside."
    )
    alerts: AlertsSettings | None = Field(
        default=None, description="Who is told when a bot does not work; nobody by default."
    )
    agents: Mapping[str, AgentSettings]
    bots: Mapping[str, BotSettings]
    folder: Path = Path()
    files: tuple[Path, ...] = Field(default=(), exclude=True, repr=False)
    origins: Origins = Field(default_factory=Origins, exclude=True, repr=False)

    def where(self, path: tuple[str | int, ...]) -> str:
        """`file:line:column` of a value, or of the nearest thing above it."""
        return str(self.origins.nearest(path))
