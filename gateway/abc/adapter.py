"""The shape of a platform adapter, and what the gateway gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from gateway.abc.clock import Clock
from gateway.messages import Answer, Attachment, Event, Inbound, Part, Place, Receipt

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["Adapter", "AdapterContext", "AdapterState", "Divisible", "Features", "Log"]

AdapterState = Literal["connecting", "up", "standby", "conflict", "misconfigured", "deaf", "stopped"]


@dataclass(frozen=True, slots=True)
class Features:
    """What a platform can do.

    Attributes:
        typing: Whether it can show that an answer is being written.
        preview: Growing text: none, `ephemeral` (vanishes by itself), or a `message` that is edited.
        preview_interval: Seconds between two previews of one answer, at least.
        reconcile: Whether sending the same part twice yields one message.
        buttons: Whether answers may carry buttons.
        retracts: Whether a message that was sent can be taken back with `retract`.
        command: What a command begins with, as people write it there.
    """

    typing: bool = False
    preview: Literal["none", "ephemeral", "message"] = "none"
    preview_interval: float = 1.0
    reconcile: bool = False
    buttons: bool = True
    retracts: bool = False
    command: str = "/"


class Log(Protocol):
    """The part of a bound structlog logger that adapters use; events are `room.what_happened`."""

    def debug(self, event: str, **values: object) -> object: ...  # noqa: D102  # a logger's verb
    def info(self, event: str, **values: object) -> object: ...  # noqa: D102  # a logger's verb
    def warning(self, event: str, **values: object) -> object: ...  # noqa: D102  # a logger's verb
    def error(self, event: str, **values: object) -> object: ...  # noqa: D102  # a logger's verb


class AdapterContext(Protocol):
    """What the gateway gives a running adapter."""

    @property
    def bot(self) -> str:
        """The bot's name in the configuration."""
        ...

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        ...

    @property
    def log(self) -> Log:
        """A logger bound to the bot."""
        ...

    @property
    def public_url(self) -> str:
        """Where the shared server is reached from outside, without a slash at the end; empty when unknown."""
        ...

    @property
    def menu(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The commands people may send and what each does, by BCP 47 tag; under an empty tag for the rest."""
        ...

    @property
    def leads(self) -> bool:
        """Whether this process is the one that speaks for the bot now; it may change at any time.

        Where several processes run a bot, those that do not lead may hear by `routes` all the same. Only
        the one that leads tells the platform anything.
        """
        ...

    @property
    def shared(self) -> bool:
        """Whether other processes may run the bot too."""
        ...

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        """Commit events to the inbox, all in one commit, and wake the session.

        When it returns they are durable and the platform may be told so. `False` marks one that was
        already there.

        Raises:
            StoreError: Nothing was kept; do not acknowledge.
        """
        ...

    async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Remember a small fact durably under a key of this bot, for `ttl` seconds or for good."""
        ...

    async def recall(self, key: str) -> bytes | None:
        """What was kept under a key of this bot."""
        ...

    async def scan(self, prefix: str, *, limit: int = 1000) -> Sequence[tuple[str, bytes]]:
        """What was kept under keys that start so, ordered by key, the last `limit` of them."""
        ...

    def heard_time(self, theirs: float) -> None:
        """Say what time it is at the platform now, unix seconds; see `gateway.abc.dates`.

        The times that events carry are the platform's. From here on they are told by this host's clock, so
        that a host whose clock is wrong takes nobody's message for an old one.
        """
        ...

    def report(self, state: AdapterState, detail: str = "") -> None:
        """Say how the connection stands; `detail` is for operators and may name what to do."""
        ...


class Adapter(Protocol):
    """One bot's connection to one platform."""

    @property
    def features(self) -> Features:
        """What the platform can do."""
        ...

    async def run(self, context: AdapterContext) -> None:
        """Receive until cancelled, handing in events through `context.accept`.

        Connects by itself again after any fault, with backoff. Ends within a second when cancelled and
        leaves no task.

        Raises:
            Unauthorised: The credentials are wrong; trying again cannot help.
        """
        ...

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """Turn an answer into the platform messages that carry it; pure.

        Part ids derive from `key`. The note is the end of the last text part where it fits whole, else a part
        of its own; buttons sit on the last part. Text of the agent can neither ping anybody nor look like a
        note. Nothing is dropped.
        """
        ...

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send one part, or turn the preview message `replaces` into it.

        Args:
            place: Where.
            part: What.
            replaces: The handle of a preview message to be edited into this part; empty to post anew.
            plain: Whether to send `part.plain` in place of `part.body`.

        Raises:
            DeliveryError: In the member of the family that fits.
        """
        ...

    async def typing(self, place: Place) -> None:
        """Show for a few seconds that an answer is being written; the caller repeats it.

        Raises:
            AdapterError: It could not be shown; the caller ignores it.
        """
        ...

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show the answer as it stands.

        Args:
            place: Where.
            text: The agent's whole text so far, as Markdown that may be cut anywhere.
            turn: The turn's id.
            handle: What the last call returned for this turn; empty for the first.

        Returns:
            A handle for the next call, for `send(replaces=)` and for `retract`; empty when there is nothing
            to edit later.

        Raises:
            AdapterError: It could not be shown; the caller pauses previews.
        """
        ...

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a preview message that no part will replace.

        Raises:
            AdapterError: It could not be removed.
        """
        ...

    async def disarm(self, place: Place, message_id: str) -> None:
        """Take the buttons off a message of ours that has been answered; nothing where there are none.

        Raises:
            AdapterError: They could not be removed; the caller ignores it.
        """
        ...

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Answer a button press at once, so that the platform stops showing it as pending.

        Raises:
            AdapterError: It could not be answered; the caller ignores it.
        """
        ...

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """A file beside a message, from the platform's own hosts only.

        Args:
            attachment: As it came with the message.
            limit: Bytes it may have; no more are read.

        Raises:
            FileTooLarge: It has more.
            FetchFailed: The platform does not give it, or not in time.
        """
        ...

    def routes(self) -> Sequence[BaseRoute]:
        """Routes for the shared server, absolute paths; empty for an adapter that needs none."""
        ...

    async def probe(self) -> Mapping[str, str]:
        """Ask the platform who we are, without receiving; facts for `check --probe`.

        Raises:
            AdapterError: The platform refused or could not be reached.
        """
        ...

    async def close(self) -> None:
        """Free what the adapter holds, after `run` ended."""
        ...


@runtime_checkable
class Divisible(Protocol):
    """An adapter that can speak for a part of its bot's chats while another process receives; optional."""

    def begin(self, context: AdapterContext) -> None:
        """Get ready to send where `run` is not called, because another process receives."""
        ...

    def share(self, part: float) -> None:
        """Speak to all chats together no faster than this part of what the whole bot may; 1 for all of it."""
        ...
