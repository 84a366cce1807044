"""Read what Slack sends: events, presses, slash commands, and messages of its history; pure.

Field names are those of docs.slack.dev (Events API, interactivity, slash commands, read 2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gateway.messages import Event, Inbound, Person, Place
from gateway_adapters.slack.contents import attachments, forwarded
from gateway_adapters.slack.shapes import MALFORMED, Json, items, mapping, maybe, moment, stamp, text, whole
from gateway_adapters.slack.wording import (
    command_of,
    mentioned,
    names_somebody_else,
    plain,
    without_mention,
)

__all__ = ["BUTTON", "FOREIGN", "Known", "Me", "read_event", "read_history", "read_press", "read_slash"]

BUTTON = "lastword."
"""What the `action_id` of each of our buttons begins with."""
FOREIGN = "foreign_workspace"
"""Why an event of a workspace that the bot's token is not for is dropped."""

_SAID = frozenset({"", "file_share", "me_message", "thread_broadcast"})  # subtypes in which somebody speaks
_DROPPED = {
    "bot_message": "bot",
    "message_deleted": "deleted",
    "user_change": "person",
    "app_rate_limited": "rate_limited",
}


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself.

    Attributes:
        user: The id it is mentioned by.
        bot: The id its messages carry.
        org: Whether it is installed for a whole organisation, and so in each workspace of it.
    """

    user: str
    bot: str
    team: str
    enterprise: str = ""
    org: bool = False

    @property
    def home(self) -> str:
        """The workspace or organisation, of which ids of channels and people are."""
        return self.enterprise if self.org else self.team

    def lives_in(self, team: object, enterprise: object) -> bool:
        """Whether the bot's token is for that workspace."""
        return team == self.team or (self.org and enterprise == self.enterprise)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside an event.

    Attributes:
        joined: Whether the bot takes part in the thread that the message stands in.
        names: What people are called, by id.
        commands: Words after `!` that are commands.
        latest: The thread where the person last spoke to the bot in that channel, empty for the channel
            itself; `None` where they never did.
    """

    joined: bool = False
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    commands: frozenset[str] = frozenset()
    latest: str | None = None


def read_event(payload: object, raw: bytes, me: Me, known: Known) -> Event:
    """What the payload of the Events API means.

    Returns:
        An event; one that cannot be read is dropped as `unparsable` and never raises.
    """
    return _guarded(raw, lambda: _event(mapping(payload), raw, me, known))


def read_press(payload: object, raw: bytes, me: Me) -> Event:
    """What the payload of an interaction means; see `read_event`."""
    return _guarded(raw, lambda: _press(mapping(payload), raw, me))


def read_slash(payload: object, raw: bytes, me: Me, known: Known) -> Event:
    """What a slash command means; see `read_event`."""
    return _guarded(raw, lambda: _slash(mapping(payload), raw, me, known))


def read_history(message: object, raw: bytes, me: Me, known: Known, *, channel: str) -> Event:
    """What a message of a channel's history means; see `read_event`."""

    def read() -> Event:
        told = {**mapping(message), "channel": channel}
        return _message(told, "", raw, me, known)

    return _guarded(raw, read)


def _guarded(raw: bytes, read: Callable[[], Event]) -> Event:
    try:
        return read()
    except MALFORMED:
        return Event(raw, dropped="unparsable")


def _event(payload: Json, raw: bytes, me: Me, known: Known) -> Event:
    if payload.get("type") != "event_callback":
        return Event(raw, dropped=_DROPPED.get(whole(payload.get("type")), "unsupported"))
    if not _is_at_home(payload, me):
        return Event(raw, dropped=FOREIGN)
    key = f"v:{text(payload['event_id'])}"
    event = mapping(payload["event"])
    kind = whole(event.get("type"))
    if kind in ("message", "app_mention"):
        if event.get("subtype") == "message_changed":
            return _edit(event, key, raw, me, known)
        return _message(event, key, raw, me, known)
    if kind == "assistant_thread_started":
        return _greeting(event, key, raw, me)
    return Event(raw, dropped=_DROPPED.get(kind, "unsupported"))


def _is_at_home(payload: Json, me: Me) -> bool:
    """Whether an event came for the bot's own workspace; in a shared channel the sender's is another one."""
    told = [mapping(one) for one in items(payload.get("authorizations"))] or [payload]
    return any(me.lives_in(one.get("team_id"), one.get("enterprise_id")) for one in told)


def _message(event: Json, key: str, raw: bytes, me: Me, known: Known) -> Event:
    dropped = _unsaid(event, me)
    if dropped:
        return Event(raw, dropped=dropped)
    sender, place, ts = text(event["user"]), _place(event), stamp(event["ts"])
    replied = whole(event.get("thread_ts"))
    inside = bool(replied) and replied != ts
    joined = inside and (known.joined or event.get("parent_user_id") == me.user)
    said = whole(event.get("text"))
    words = without_mention(said, me.user)
    command, rest = command_of(words, known.commands)
    files = attachments(event)
    read = plain(rest if command else _with_forwarded(words, event), known.names)
    inbound = Inbound(
        "command" if command else "message",
        place,
        Person(sender),
        text=read,
        message_id=ts,
        at=moment(ts),
        addressed=place.private
        or event.get("type") == "app_mention"
        or me.user in mentioned(said)
        or (joined and not names_somebody_else(said, me.user)),
        command=command,
        reply_to=replied if joined else "",
        attachments=files,
        unreadable="" if read.strip() or files or command else "other",
    )
    keys = (key, f"m:{me.home}:{place.chat}:{ts}")
    return Event(raw, tuple(filter(None, keys)), inbound)


def _unsaid(event: Json, me: Me) -> str:
    """Why nobody says anything in a message that the bot would hear; empty when somebody does."""
    if event.get("user") == me.user or (me.bot and event.get("bot_id") == me.bot):
        return "own"
    subtype = whole(event.get("subtype"))
    if subtype not in _SAID:
        return _DROPPED.get(subtype, "service")
    if event.get("hidden"):
        return "hidden"
    return "bot" if event.get("bot_id") or event.get("user") == "USLACKBOT" else ""


def _with_forwarded(words: str, event: Json) -> str:
    return "\n\n".join(filter(None, (words, forwarded(event))))


def _edit(event: Json, key: str, raw: bytes, me: Me, known: Known) -> Event:
    """An earlier message as it reads now, which is no command whatever it begins with.

    Slack tells of a change also where it added a picture of a link, and where the bot edits its own.
    """
    before = maybe(event.get("previous_message"))
    now = {**mapping(event["message"]), "channel": event["channel"]}
    if "channel_type" in event:
        now["channel_type"] = event["channel_type"]
    read = _message(now, key, raw, me, known)
    if read.inbound is None:
        return read
    if "edited" not in now or (before and _reading(before) == _reading(now)):
        return Event(raw, dropped="unchanged")
    at = stamp(mapping(now["edited"])["ts"])
    said = without_mention(whole(now.get("text")), me.user)
    inbound = replace(read.inbound, kind="edit", command="", text=plain(said, known.names), at=moment(at))
    return Event(raw, (key, f"e:{me.home}:{inbound.place.chat}:{inbound.message_id}:{at}"), inbound)


def _reading(message: Json) -> tuple[object, ...]:
    """What a person reads in a message."""
    return (message.get("text"), *(mapping(file).get("id") for file in items(message.get("files"))))


def _place(event: Json) -> Place:
    """The channel, and the thread that an answer belongs into: in a channel always one, in private theirs."""
    channel, ts = text(event["channel"]), stamp(event["ts"])
    kind = event.get("channel_type")
    private = kind == "im" if isinstance(kind, str) else channel.startswith("D")
    thread = stamp(event["thread_ts"]) if event.get("thread_ts") else ""
    if thread == ts:
        thread = ""
    return Place(channel, thread or ("" if private else ts), private)


def _greeting(event: Json, key: str, raw: bytes, me: Me) -> Event:
    """Somebody opened a new chat with the assistant, which other platforms begin with a command."""
    opened = mapping(event["assistant_thread"])
    channel, thread = text(opened["channel_id"]), stamp(opened["thread_ts"])
    inbound = Inbound(
        "command",
        Place(channel, thread),
        Person(text(opened["user_id"])),
        message_id=thread,
        at=moment(thread),
        command="start",
    )
    return Event(raw, (key, f"a:{me.home}:{channel}:{thread}"), inbound)


def _press(payload: Json, raw: bytes, me: Me) -> Event:
    """A press of one of our buttons."""
    if payload.get("type") != "block_actions":
        return Event(raw, dropped="unsupported")
    team, org = (maybe(payload.get(name)).get("id") for name in ("team", "enterprise"))
    if not me.lives_in(team, org):
        return Event(raw, dropped=FOREIGN)
    (pressed,) = map(mapping, items(payload["actions"]))
    if not whole(pressed.get("action_id")).startswith(BUTTON):
        return Event(raw, dropped="unsupported")
    user, shown = mapping(payload["user"]), mapping(payload["container"])
    sender, channel, ts = text(user["id"]), text(shown["channel_id"]), stamp(shown["message_ts"])
    at = stamp(pressed["action_ts"])
    private = channel.startswith("D")
    thread = whole(shown.get("thread_ts")) or whole(maybe(payload.get("message")).get("thread_ts"))
    if shown.get("is_ephemeral"):
        thread = f"@{sender}"
    elif thread in ("", ts):
        thread = "" if private else ts
    inbound = Inbound(
        "action",
        Place(channel, thread, private),
        Person(sender, name=whole(user.get("name") or user.get("username"))),
        message_id=ts,
        at=moment(at),
        action=whole(pressed["value"]),
        press=whole(payload.get("response_url")) or "-",
    )
    return Event(raw, (f"q:{me.home}:{channel}:{ts}:{sender}:{at}",), inbound)


def _slash(payload: Json, raw: bytes, me: Me, known: Known) -> Event:
    """A slash command: a command of the gateway's by its first word, else a message.

    Slack does not say in which thread it was typed, and the bot may not even be in the channel. So it belongs
    to the thread where the person last spoke to the bot there, else it is between the two of them.
    """
    if not me.lives_in(payload.get("team_id"), payload.get("enterprise_id")):
        return Event(raw, dropped=FOREIGN)
    trigger = text(payload["trigger_id"])
    sender, channel = text(payload["user_id"]), text(payload["channel_id"])
    words = whole(payload.get("text")).strip()
    first, _, rest = words.partition(" ")
    name = first.lstrip("/!").lower()
    command = name if name in known.commands else ("" if words else "help")
    thread = f"@{sender}" if known.latest is None else known.latest
    inbound = Inbound(
        "command" if command else "message",
        Place(channel, thread, channel.startswith("D")),
        Person(sender, name=whole(payload.get("user_name"))),
        text=plain(rest.strip() if command else words, known.names),
        message_id=trigger,
        command=command,
        press=whole(payload.get("response_url")) if command else "",
    )
    return Event(raw, (f"s:{me.home}:{trigger}",), inbound)
