"""What people see in the emulated Telegram."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, cast

from tests.emulators.telegram_rules import Refused
from tests.emulators.wire import Json

TOKEN = "123456789:AAEmulatedTokenOfThirtyFiveLetters_"
BOT: Json = {"id": 123456789, "is_bot": True, "first_name": "Bot", "username": "emulated_bot"}


@dataclass(slots=True)
class Shown:
    """A message of the bot's as a person sees it.

    Attributes:
        pings: Names in it that Telegram takes for mentions, and notifies.
    """

    id: int
    text: str
    entities: list[Json] = field(default_factory=list[Json])
    buttons: list[list[Json]] = field(default_factory=list[list[Json]])
    thread: int | None = None
    edits: int = 0
    silent: bool = False
    pings: list[str] = field(default_factory=list[str])


class Chats:
    """Every chat.

    Attributes:
        known: Chats the bot may know of; others are not found.
        topics: Topics that exist, as `(chat, thread)`.
        blocked: People who blocked the bot.
        queries: Presses that may be answered.
        commands: The menu the bot set, by language.
        kicked: Groups that removed the bot.
        moved: Groups that became supergroups, and their ids from then on.
    """

    def __init__(self) -> None:
        self.known: set[int] = set()
        self.topics: set[tuple[int, int]] = set()
        self.blocked: set[int] = set()
        self.queries: set[str] = set()
        self.pressed: dict[str, str] = {}
        self.drafts: dict[int, list[str]] = defaultdict(list)
        self.typing: dict[int, int] = defaultdict(int)
        self.commands: dict[str, list[Json]] = {}
        self.kicked: set[int] = set()
        self.moved: dict[int, int] = {}
        self._messages: dict[int, dict[int, Shown]] = defaultdict(dict)
        self._last: dict[int, int] = defaultdict(int)
        self._said: dict[int, set[int]] = defaultdict(set)

    def next_id(self, chat: int) -> int:
        """The id of the next message of a chat, the bot's or a person's."""
        self._last[chat] += 1
        return self._last[chat]

    def learn(self, update: Any) -> None:
        """Take note of the chat and the message an update speaks of."""
        for part in cast("Json", update).values() if isinstance(update, dict) else ():
            message: Any = cast("Json", part).get("message", part) if isinstance(part, dict) else None
            chat: Any = cast("Json", message).get("chat") if isinstance(message, dict) else None
            known: Any = cast("Json", chat).get("id") if isinstance(chat, dict) else None
            if isinstance(known, int):
                self.known.add(known)
                given: Any = cast("Json", message).get("message_id")
                if isinstance(given, int):
                    self._said[known].add(given)
                    self._last[known] = max(self._last[known], given)

    def shown(self, chat: int) -> list[Shown]:
        """The bot's messages in a chat now."""
        return list(self._messages[chat].values())

    def post(self, chat: int, shown: Shown) -> None:
        """Show a message."""
        self._messages[chat][shown.id] = shown

    def find(self, chat: int, message: int, *, what: str) -> Shown:
        """A message of the bot's."""
        shown = self._messages[chat].get(message)
        if shown is None:
            raise Refused(400, f"Bad Request: message to {what} not found")
        return shown

    def remove(self, chat: int, message: int) -> None:
        """Delete a message."""
        self.find(chat, message, what="delete")
        del self._messages[chat][message]

    def holds(self, chat: int, message: int) -> bool:
        """Whether a message exists, the bot's or a person's."""
        return message in self._messages[chat] or message in self._said[chat]

    def writable(self, chat: int) -> None:
        """Check that the bot may write there."""
        if chat in self.moved:
            raise Refused(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                {"migrate_to_chat_id": self.moved[chat]},
            )
        if chat in self.kicked:
            raise Refused(403, "Forbidden: bot was kicked from the supergroup chat")
        if chat in self.blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        if chat not in self.known:
            raise Refused(400, "Bad Request: chat not found")


def chat_json(chat: int, kind: str = "") -> Json:
    """A chat as the server writes it."""
    kind = kind or ("private" if chat > 0 else "supergroup")
    return {"id": chat, "type": kind} | ({} if kind == "private" else {"title": "Group"})


def person_json(user: int, language: str = "en") -> Json:
    """A person as the server writes them."""
    named = {"id": user, "is_bot": False, "first_name": f"Person {user}"}
    return named | ({"language_code": language} if language else {})
