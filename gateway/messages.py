"""The frozen values that travel: what came in, what goes out, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Action",
    "ActionKind",
    "Answer",
    "Attachment",
    "Direction",
    "Event",
    "Inbound",
    "InboundKind",
    "Note",
    "Part",
    "Person",
    "Place",
    "Receipt",
]

InboundKind = Literal["message", "command", "action", "edit"]
ActionKind = Literal["continue", "retry", "new", "stop", "confirm_retry", "dismiss"]
Direction = Literal["ltr", "rtl"]


@dataclass(frozen=True, slots=True)
class Person:
    """Who wrote or pressed.

    Attributes:
        id: The platform's id of the person, as text.
        name: A display name; may be empty.
        language: The platform's hint, a BCP 47 tag as the platform spells it; may be empty.
        bot: Whether the platform says this is a bot.
    """

    id: str
    name: str = ""
    language: str = ""
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where on a platform something is said.

    Attributes:
        chat: The platform's chat or channel id, as text.
        thread: The topic or thread inside it; empty for none.
        private: Whether only one person and the bot are there.
        formerly: The id the chat had before the platform gave it another; its conversations keep that one.
    """

    chat: str
    thread: str = ""
    private: bool = True
    formerly: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file beside a message, not yet fetched.

    Attributes:
        id: What the adapter needs to fetch it.
        kind: `image`, `document`, `voice`, `audio`, `video` or `other`.
        size: Bytes, 0 when unknown.
    """

    id: str
    kind: str
    mime: str = ""
    name: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Inbound:
    """One thing a person did in a chat, free of any platform's shape.

    Attributes:
        kind: A `message`, a `command` (`/stop`), an `action` (a button press), or an `edit` (an earlier
            message, named by `message_id`, now reads so).
        place: Where it happened; answers go there.
        sender: Who did it.
        text: The text as Markdown-free plain text; for a command, what follows it.
        message_id: The platform's id of the message, unique within the chat.
        at: When the platform says it happened, unix seconds.
        addressed: Whether the bot is meant: a private chat, a mention, a reply to it.
        command: The command's name without the slash, lower case; empty otherwise.
        action: The token of the pressed button; empty otherwise.
        press: What the adapter needs to answer a press at once; empty otherwise.
        reply_to: The id of the message this one answers; empty for none.
        unreadable: The kind of message that could not be read as text (`sticker`, `poll`); empty otherwise.
        album: What the messages of one album share; empty for a message of its own.
    """

    kind: InboundKind
    place: Place
    sender: Person
    text: str = ""
    message_id: str = ""
    at: float = 0.0
    addressed: bool = True
    command: str = ""
    action: str = ""
    press: str = ""
    reply_to: str = ""
    attachments: tuple[Attachment, ...] = ()
    unreadable: str = ""
    album: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """What an adapter hands in: the raw bytes, and what they mean when they mean something.

    Attributes:
        raw: The platform's event as it came, kept for the record.
        dedupe: Keys under which the same event may come again; never empty when `inbound` is set.
        inbound: What it means, or `None` for an event that is dropped (own, unsupported, unparsable).
        dropped: Why `inbound` is `None`, one word; a dropped event consumes no dedupe key.
    """

    raw: bytes
    dedupe: tuple[str, ...] = ()
    inbound: Inbound | None = None
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What the person is told about the ending, separate from the agent's text to the very end.

    Attributes:
        text: The whole sentence, icon included, in the person's language.
        reason: The ending it speaks of.
        language: BCP 47 tag of the text.
        direction: Of the text's script.
        reference: A line such as `Ref K7Q2M` to stand after it; empty for none.
    """

    text: str
    reason: str
    language: str = "en"
    direction: Direction = "ltr"
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """A button offered under an answer.

    Attributes:
        kind: What pressing it does.
        token: Opaque, at most 48 ASCII characters, bound to one ending; comes back as `Inbound.action`.
        label: What the person reads.
    """

    kind: ActionKind
    token: str
    label: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes out at the end of a turn, before any platform's rendering.

    Attributes:
        text: The agent's text, byte for byte, as Markdown; empty for a note alone.
        note: The note, or `None`.
        actions: Buttons, main one first, at most two.
        lead: A line that stands before everything (late, maybe twice); empty for none.
        plain: Whether `text` is our own wording, to be sent as it is and not read as Markdown.
        reply_to: The id of the message it answers; empty when the platform needs none.
    """

    text: str = ""
    note: Note | None = None
    actions: tuple[Action, ...] = ()
    lead: str = ""
    plain: bool = False
    reply_to: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One platform message, rendered: never split again, sent as it is.

    Attributes:
        id: Stable across retries and restarts; a platform that knows nonces gets it.
        body: The platform's own parameters, JSON-ready, without the target.
        plain: The same content in the plainest form the platform takes, for one retry after a refusal.
        role: `text` or `note`; a refused `text` part never blocks the note.
    """

    id: str
    body: dict[str, Any] = field(default_factory=dict[str, Any])
    plain: dict[str, Any] = field(default_factory=dict[str, Any])
    role: Literal["text", "note"] = "text"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The platform's word that it has the message.

    Attributes:
        message_id: The platform's id of the message; empty when it gives none.
        at: When it said so, unix seconds.
    """

    message_id: str = ""
    at: float = 0.0
