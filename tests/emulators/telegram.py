"""A strict Telegram Bot API on loopback: refuses what the real server refuses, with its words."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from tests.emulators.telegram_rules import Refused, checked_markup, checked_text, number, parsed
from tests.emulators.wire import Json, Reply, Request, Wire

TOKEN = "123456789:AAEmulatedTokenOfThirtyFiveLetters_"
BOT = {"id": 123456789, "is_bot": True, "first_name": "Bot", "username": "emulated_bot"}
_HANDLE = f"@{BOT['username']}"
_DAY = 86_400
_LONGEST_POLL = 50


@dataclass(slots=True)
class Fault:
    """What goes wrong with one call.

    Attributes:
        status: Answered instead of doing anything; 0 for none.
        after: Whether the call is carried out before it goes wrong.
        cut: Whether the connection is reset instead of an answer.
        hold: Awaited before the answer.
        passes: Whether this call goes through unspoilt, so that a later one is hit.
    """

    status: int = 0
    description: str = "Internal Server Error"
    retry_after: int = 0
    migrate_to: int = 0
    after: bool = False
    cut: bool = False
    hold: asyncio.Event | None = None
    passes: bool = False


@dataclass(slots=True)
class Shown:
    """A message as a person sees it."""

    id: int
    text: str
    entities: list[Json] = field(default_factory=list[Json])
    buttons: list[list[Json]] = field(default_factory=list[list[Json]])
    thread: int | None = None
    edits: int = 0


class TelegramEmulator:
    """One bot's Telegram.

    Attributes:
        calls: Every call as `(method, parameters)`, in the order of arrival.
        drafts: Texts shown as drafts, by chat.
        latest: The last update that was queued.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, Json]] = []
        self.drafts: dict[int, list[str]] = defaultdict(list)
        self.pressed: dict[str, str] = {}
        self.blocked: set[int] = set()
        self.typing: dict[int, int] = defaultdict(int)
        self.known_methods_only_until_9 = False
        self.latest: Json = {}
        self._wire = Wire(self._answer)
        self._updates: list[tuple[float, Json]] = []
        self._next_update = 700_000_001
        self._next_message: dict[int, int] = defaultdict(lambda: 1)
        self._chats: dict[int, dict[int, Shown]] = defaultdict(dict)
        self._faults: dict[str, list[Fault]] = defaultdict(list)
        self._changed = asyncio.Event()
        self._poll = 0
        self.confirmed = 0

    async def __aenter__(self) -> Self:
        await self._wire.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    @property
    def base(self) -> str:
        """For `api_base`."""
        return f"http://127.0.0.1:{self._wire.port}"

    @property
    def token(self) -> str:
        """The only token it knows."""
        return TOKEN

    @property
    def unconfirmed(self) -> int:
        """Updates the bot has not confirmed."""
        return len(self._updates)

    def messages(self, chat: int) -> list[Shown]:
        """What a person sees in a chat now."""
        return list(self._chats[chat].values())

    def texts(self, chat: int) -> list[str]:
        """The bot's messages in a chat, as text."""
        return [shown.text for shown in self.messages(chat)]

    def sent(self, method: str) -> list[Json]:
        """The parameters of every call of a method."""
        return [params for name, params in self.calls if name == method.lower()]

    def fail(self, method: str, *faults: Fault) -> None:
        """Spoil the next calls of a method, one fault each."""
        self._faults[method.lower()] += faults

    def say(
        self, text: str, *, chat: int = 4711, user: int | None = None, kind: str = "private", **more: Any
    ) -> int:
        """A person writes; the message id."""
        entities: list[Json] = []
        if text.startswith("/"):
            entities.append({"type": "bot_command", "offset": 0, "length": len(text.split(maxsplit=1)[0])})
        elif _HANDLE in text:
            entities.append({"type": "mention", "offset": text.index(_HANDLE), "length": len(_HANDLE)})
        message = self._inbound(chat, user or (chat if chat > 0 else 4711), kind, **more)
        self.push({"message": message | {"text": text} | ({"entities": entities} if entities else {})})
        return int(message["message_id"])

    def press(self, chat: int, label: str, *, user: int | None = None) -> str:
        """Press the newest button with this label; the query's id."""
        for shown in reversed(self.messages(chat)):
            for row in shown.buttons:
                for button in row:
                    if button["text"] == label:
                        return self.press_data(chat, shown.id, button["callback_data"], user=user)
        raise AssertionError(f"no button {label!r} in {self.messages(chat)}")

    def press_data(self, chat: int, message: int, data: str, *, user: int | None = None) -> str:
        """Press a button by its data."""
        query = f"q{self._next_update}"
        shown = {
            "message_id": message,
            "date": int(time.time()),
            "chat": _chat(chat, "private" if chat > 0 else "supergroup"),
        }
        person = _user(user or (chat if chat > 0 else 4711), "en")
        self.push(
            {
                "callback_query": {
                    "id": query,
                    "from": person,
                    "message": shown,
                    "chat_instance": "1",
                    "data": data,
                }
            }
        )
        return query

    def push(self, update: Json) -> int:
        """Queue a raw update; its id."""
        number_ = self._next_update
        self._next_update += 1
        self.latest = {"update_id": number_} | update
        self._updates.append((time.time(), self.latest))
        self._wake()
        return number_

    async def until(self, holds: Callable[[], object], *, timeout: float = 15.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout):
            while not holds():
                changed = self._changed
                try:
                    async with asyncio.timeout(0.05):
                        await changed.wait()
                except TimeoutError:
                    continue

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _inbound(
        self, chat: int, user: int, kind: str, *, language: str = "en", thread: int | None = None, **more: Any
    ) -> Json:
        message = self._next_message[chat]
        self._next_message[chat] += 1
        made: Json = {
            "message_id": message,
            "date": int(time.time()),
            "chat": _chat(chat, kind),
            "from": _user(user, language),
        }
        if thread is not None:
            made |= {"message_thread_id": thread, "is_topic_message": True}
        return made | more

    async def _answer(self, request: Request) -> Reply:
        head, _, method = request.path.rpartition("/")
        if head != f"/bot{TOKEN}":
            return _error(401, "Unauthorized")
        method = method.lower()
        params = parsed(request.params)
        self.calls.append((method, params))
        faults = self._faults[method]
        fault = faults.pop(0) if faults else None
        if fault is not None and fault.passes:
            fault = None
        if fault is not None and not fault.after:
            return await self._spoilt(fault)
        try:
            result = await self._do(method, params)
        except Refused as exc:
            self._wake()
            return _error(exc.status, exc.description, exc.parameters)
        self._wake()
        if fault is not None:
            return await self._spoilt(fault)
        return Reply(200, {"ok": True, "result": result})

    async def _spoilt(self, fault: Fault) -> Reply:
        if fault.hold is not None:
            await fault.hold.wait()
        parameters: Json = {"retry_after": fault.retry_after} if fault.retry_after else {}
        if fault.migrate_to:
            parameters["migrate_to_chat_id"] = fault.migrate_to
        reply = _error(fault.status or 500, fault.description, parameters)
        return Reply(reply.status, reply.body, cut=fault.cut)

    async def _do(self, method: str, params: Json) -> Any:
        found = getattr(self, f"_{method}", None)
        if found is None:
            raise Refused(404, "Not Found")
        return await found(params)

    async def _getme(self, _: Json) -> Json:
        return BOT | {
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }

    async def _deletewebhook(self, params: Json) -> bool:
        if str(params.get("drop_pending_updates")).lower() in ("true", "1"):
            self._updates.clear()
        return True

    async def _getupdates(self, params: Json) -> list[Json]:
        """Long poll: confirms below the offset; a newer poll ends an older one with 409."""
        self._poll += 1
        mine = self._poll
        self._wake()
        offset = int(params.get("offset") or 0)
        if offset:
            gone = [update for _, update in self._updates if update["update_id"] < offset]
            self.confirmed += len(gone)
            self._updates = [(at, update) for at, update in self._updates if update["update_id"] >= offset]
        self._updates = [(at, update) for at, update in self._updates if at > time.time() - _DAY]
        until = time.monotonic() + min(float(params.get("timeout") or 0), _LONGEST_POLL)
        allowed = params.get("allowed_updates")
        while True:
            if self._poll != mine:
                raise Refused(
                    409,
                    "Conflict: terminated by other getUpdates request;"
                    " make sure that only one bot instance is running",
                )
            found = [
                update
                for _, update in self._updates
                if not allowed or any(kind in update for kind in allowed)
            ]
            if found or time.monotonic() >= until:
                return found[: int(params.get("limit") or 100)]
            changed = self._changed
            try:
                async with asyncio.timeout(max(min(until - time.monotonic(), 0.2), 0.0)):
                    await changed.wait()
            except TimeoutError:
                continue

    async def _sendmessage(self, params: Json) -> Json:
        chat = self._writable(params)
        text, entities = checked_text(params)
        thread = params.get("message_thread_id")
        shown = Shown(
            self._next_message[chat],
            text,
            entities,
            checked_markup(params),
            number(thread) if thread else None,
        )
        self._next_message[chat] += 1
        self._chats[chat][shown.id] = shown
        return self._as_json(chat, shown)

    async def _editmessagetext(self, params: Json) -> Json:
        chat = self._writable(params)
        shown = self._chats[chat].get(number(params.get("message_id")))
        if shown is None:
            raise Refused(400, "Bad Request: message to edit not found")
        text, entities = checked_text(params)
        buttons = checked_markup(params)
        if (text, entities, buttons) == (shown.text, shown.entities, shown.buttons):
            raise Refused(
                400,
                "Bad Request: message is not modified: specified new message content is the same",
            )
        shown.text, shown.entities, shown.buttons, shown.edits = text, entities, buttons, shown.edits + 1
        return self._as_json(chat, shown)

    async def _deletemessage(self, params: Json) -> bool:
        chat = self._writable(params)
        if self._chats[chat].pop(number(params.get("message_id")), None) is None:
            raise Refused(400, "Bad Request: message to delete not found")
        return True

    async def _sendmessagedraft(self, params: Json) -> bool:
        if self.known_methods_only_until_9:
            raise Refused(404, "Not Found")
        chat = self._writable(params)
        if chat < 0:
            raise Refused(400, "Bad Request: method is available only for private chats")
        if not number(params.get("draft_id")):
            raise Refused(400, "Bad Request: DRAFT_ID_INVALID")
        self.drafts[chat].append(str(params.get("text", "")))
        return True

    async def _sendchataction(self, params: Json) -> bool:
        if params.get("action") != "typing":
            raise Refused(400, "Bad Request: wrong parameter action in request")
        self.typing[self._writable(params)] += 1
        return True

    async def _answercallbackquery(self, params: Json) -> bool:
        query = str(params.get("callback_query_id", ""))
        if query in self.pressed:
            raise Refused(
                400, "Bad Request: query is too old and response timeout expired or query ID is invalid"
            )
        if len(str(params.get("text", ""))) > 200:
            raise Refused(400, "Bad Request: MESSAGE_TOO_LONG")
        self.pressed[query] = str(params.get("text", ""))
        return True

    def _writable(self, params: Json) -> int:
        chat = number(params.get("chat_id"))
        if chat == 0:
            raise Refused(400, "Bad Request: chat not found")
        if chat in self.blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        return chat

    def _as_json(self, chat: int, shown: Shown) -> Json:
        return {
            "message_id": shown.id,
            "date": int(time.time()),
            "chat": _chat(chat, "private" if chat > 0 else "supergroup"),
            "from": BOT,
            "text": shown.text,
        }


def _chat(chat: int, kind: str) -> Json:
    return {"id": chat, "type": kind} | ({} if kind == "private" else {"title": "Group"})


def _user(user: int, language: str) -> Json:
    return {"id": user, "is_bot": False, "first_name": f"Person {user}", "language_code": language}


def _error(status: int, description: str, parameters: Json | None = None) -> Reply:
    body: Json = {"ok": False, "error_code": status, "description": description}
    return Reply(status, body | ({"parameters": parameters} if parameters else {}))
