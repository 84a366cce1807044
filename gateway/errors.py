"""Every error Lastword raises, in one tree.

LastwordError
├── ConfigError            a configuration that cannot run; carries every problem found
├── PluginError            an adapter or agent runtime that is unknown or not installed
├── StoreError             the store refused or failed
│   ├── StoreLocked        another process holds this store
│   └── LeaseLost          the caller no longer owns what it writes
├── AgentError             an agent could not be built or reached
└── AdapterError           the platform refused or failed
    ├── Unauthorised       the platform rejected the bot's credentials
    ├── Conflict           another process receives for this bot
    ├── FetchFailed        a file beside a message could not be had
    │   └── FileTooLarge   it is larger than is taken
    └── DeliveryError      one send did not (certainly) succeed
        ├── RateLimited    come back after `retry_after` seconds
        ├── Unreachable    certainly not delivered; may be retried
        ├── Uncertain      may have been delivered; a retry may duplicate
        ├── Rejected       the platform refuses this content as it is
        ├── Moved          the target has a new id
        └── DeadTarget     blocked, kicked, deleted: nobody to tell
"""

from __future__ import annotations

__all__ = [
    "AdapterError",
    "AgentError",
    "ConfigError",
    "Conflict",
    "DeadTarget",
    "DeliveryError",
    "FetchFailed",
    "FileTooLarge",
    "LastwordError",
    "LeaseLost",
    "Moved",
    "PluginError",
    "RateLimited",
    "Rejected",
    "StoreBroken",
    "StoreError",
    "StoreLocked",
    "Unauthorised",
    "Uncertain",
    "Unreachable",
]


class LastwordError(Exception):
    """The base of every error Lastword raises."""


class ConfigError(LastwordError):
    """A configuration that cannot run.

    Attributes:
        problems: One line each, `file:line:column: path: what, and what to do`.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class PluginError(LastwordError):
    """An adapter or agent runtime that is unknown or whose libraries are not installed."""


class StoreError(LastwordError):
    """The store refused or failed; nothing of the failed call was kept."""


class StoreLocked(StoreError):
    """Another process holds this store."""


class StoreBroken(StoreError):
    """The disk refused what was written, and nothing kept since can be trusted: only a new start helps."""


class LeaseLost(StoreError):
    """The caller's lease ended or was taken over; its write was not applied."""


class AgentError(LastwordError):
    """An agent could not be built or reached."""


class AdapterError(LastwordError):
    """The platform refused or failed."""


class Unauthorised(AdapterError):
    """The platform rejected the bot's credentials."""


class Conflict(AdapterError):
    """Another process receives for this bot."""


class FetchFailed(AdapterError):
    """A file beside a message could not be had."""


class FileTooLarge(FetchFailed):
    """A file beside a message is larger than is taken."""


class DeliveryError(AdapterError):
    """One send did not (certainly) succeed.

    Attributes:
        status: The platform's status or error word, for the record; never shown in a chat.
    """

    def __init__(self, message: str, *, status: str = "") -> None:
        super().__init__(message)
        self.status = status


class RateLimited(DeliveryError):
    """The platform asks to come back later.

    Attributes:
        retry_after: Seconds to wait.
    """

    def __init__(self, message: str, *, retry_after: float, status: str = "429") -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class Unreachable(DeliveryError):
    """The send certainly did not happen and may be tried again."""


class Uncertain(DeliveryError):
    """The platform may have taken the message before the connection broke."""


class Rejected(DeliveryError):
    """The platform refuses this content; the same bytes will be refused again."""


class Moved(DeliveryError):
    """The target has a new id.

    Attributes:
        chat: The id to use from now on.
    """

    def __init__(self, message: str, *, chat: str, status: str = "moved") -> None:
        super().__init__(message, status=status)
        self.chat = chat


class DeadTarget(DeliveryError):
    """The person blocked the bot, or the chat is gone: nobody can be told."""
