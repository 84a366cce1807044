"""A strict Telegram Bot API on loopback: refuses what the real server refuses, with its words."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from tests.emulators.telegram_chats import BOT, TOKEN, Chats, Shown, chat_json, person_json
from tests.emulators.telegram_flood import Flood
from tests.emulators.telegram_hooks import Hooks
from tests.emulators.telegram_methods import Methods
from tests.emulators.telegram_rules import Refused, parsed
from tests.emulators.telegram_updates import Signal, Updates
from tests.emulators.wire import Json, Reply, Request, Wire

__all__ = ["BOT", "TOKEN", "Fault", "Shown", "TelegramEmulator"]

_HANDLE = f"@{BOT['username']}"


@dataclass(slots=True)
class Fault:
    """What goes wrong with one call.

    Attributes:
        status: Answered instead of doing anything; 0 for 500.
        after: Whether the call is carried out before it goes wrong.
        cut: Whether the connection is reset instead of an answer.
        hold: Awaited before the answer.
        delay: Seconds before the answer.
        passes: Whether this call goes through, after its delay and hold, so that a later one is hit.
        body: Answered as it is, whatever it looks like.
    """

    status: int = 0
    description: str = "Internal Server Error"
    retry_after: int = 0
    migrate_to: int = 0
    after: bool = False
    cut: bool = False
    hold: asyncio.Event | None = None
    delay: float = 0.0
    passes: bool = False
    body: bytes | None = None


class TelegramEmulator:
    """One bot's Telegram, with the side people see.

    Attributes:
        calls: Every call as `(method, parameters)`, in the order of arrival; methods in lower case.
        updates: What waits for the bot.
        chats: What people see.
        hooks: Where updates are posted to.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, Json]] = []
        self._signal = Signal()
        self.updates = Updates(self._signal)
        self.chats = Chats()
        self.hooks = Hooks(self.updates, self._signal)
        self._methods = Methods(self.chats, self.updates, self.hooks)
        self._posting: asyncio.Task[None] | None = None
        self._wire = Wire(self._answer)
        self._faults: dict[str, list[Fault]] = defaultdict(list)

    async def __aenter__(self) -> Self:
        await self._wire.__aenter__()
        self._posting = asyncio.create_task(self.hooks.run(), name="telegram webhook")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._posting is not None:
            self._posting.cancel()
            await asyncio.wait({self._posting})
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
        return len(self.updates)

    @property
    def confirmed(self) -> int:
        """Updates the bot has confirmed."""
        return self.updates.confirmed

    @property
    def drafts(self) -> dict[int, list[str]]:
        """Texts shown as drafts, by chat."""
        return self.chats.drafts

    @property
    def pressed(self) -> dict[str, str]:
        """Answers to button presses, by query."""
        return self.chats.pressed

    @property
    def blocked(self) -> set[int]:
        """People who blocked the bot."""
        return self.chats.blocked

    @property
    def typing(self) -> dict[int, int]:
        """How often typing was shown, by chat."""
        return self.chats.typing

    @property
    def flood(self) -> Flood:
        """How much it takes before it asks to wait."""
        return self._methods.flood

    def messages(self, chat: int) -> list[Shown]:
        """What a person sees of the bot in a chat now."""
        return self.chats.shown(chat)

    def texts(self, chat: int) -> list[str]:
        """The bot's messages in a chat, as text."""
        return [shown.text for shown in self.messages(chat)]

    def sent(self, method: str) -> list[Json]:
        """The parameters of every call of a method."""
        return [params for name, params in self.calls if name == method.lower()]

    def fail(self, method: str, *faults: Fault) -> None:
        """Spoil the next calls of a method, one fault each."""
        self._faults[method.lower()] += faults

    def without(self, method: str) -> None:
        """Be a server that does not know a method."""
        self._methods.unknown.add(method.lower())

    def say(
        self, text: str, *, chat: int = 4711, user: int | None = None, kind: str = "", **more: Any
    ) -> int:
        """A person writes; the message id. `more` are fields of the message, `language` and `thread`."""
        entities: list[Json] = []
        if text.startswith("/"):
            entities.append({"type": "bot_command", "offset": 0, "length": len(text.split(maxsplit=1)[0])})
        elif _HANDLE in text:
            offset = len(text[: text.index(_HANDLE)].encode("utf-16-le")) // 2
            entities.append({"type": "mention", "offset": offset, "length": len(_HANDLE)})
        message = self._inbound(chat, user or (chat if chat > 0 else 4711), kind, **more)
        marks = {"entities": entities} if entities else {}
        self.push({"message": {"text": text, **marks, **message}})
        return int(message["message_id"])

    def press(self, chat: int, label: str, *, user: int | None = None) -> str:
        """Press the newest button with this label; the query's id."""
        for shown in reversed(self.messages(chat)):
            for button in (button for row in shown.buttons for button in row):
                if button["text"] == label:
                    return self.press_data(chat, shown.id, button["callback_data"], user=user)
        raise AssertionError(f"no button {label!r} in {self.messages(chat)}")

    def press_data(self, chat: int, message: int, data: str, *, user: int | None = None) -> str:
        """Press a button by its data."""
        query = f"q{self.updates.next_id}"
        self.chats.queries.add(query)
        pressed = {
            "id": query,
            "from": person_json(user or (chat if chat > 0 else 4711)),
            "message": {"message_id": message, "date": int(time.time()), "chat": chat_json(chat)},
            "chat_instance": "1",
            "data": data,
        }
        self.push({"callback_query": pressed})
        return query

    def edit(self, message: int, text: str, *, chat: int = 4711, at: int = 0, **more: Any) -> None:
        """A person edits what they wrote."""
        changed = self._inbound(chat, chat if chat > 0 else 4711, "", **more)
        changed |= {"message_id": message, "edit_date": at or int(time.time()), "text": text}
        self.push({"edited_message": changed})

    def member(self, chat: int, status: str) -> None:
        """The bot's place in a chat changes: `kicked`, `left`, `member`; a person's `kicked` blocks it."""
        kicked = self.chats.blocked if chat > 0 else self.chats.kicked
        if status == "member":
            kicked.discard(chat)
        else:
            kicked.add(chat)
        before = "left" if status == "member" else "member"
        members = {"old_chat_member": before, "new_chat_member": status}
        change = {key: {"user": BOT, "status": value} for key, value in members.items()}
        made: Json = {"chat": chat_json(chat), "from": person_json(abs(chat)), "date": int(time.time())}
        self.push({"my_chat_member": made | change})

    def migrate(self, old: int, new: int, *, told: bool = True) -> None:
        """A group becomes a supergroup, with an id of its own; `told` in both, or found out by a send."""
        self.chats.moved[old] = new
        self.chats.known.add(new)
        if told:
            self.push({"message": self._inbound(old, 4711, "group") | {"migrate_to_chat_id": new}})
            self.push({"message": self._inbound(new, 4711, "supergroup") | {"migrate_from_chat_id": old}})

    def push(self, update: Any) -> int:
        """Queue a raw update, or anything else; its id."""
        self.chats.learn(update)
        return self.updates.push(update)

    async def until(self, holds: Callable[[], object], *, timeout: float = 15.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout):
            while not holds():
                await self._signal.wait(0.05)

    def _inbound(
        self, chat: int, user: int, kind: str, *, language: str = "en", thread: int | None = None, **more: Any
    ) -> Json:
        made: Json = {
            "message_id": self.chats.next_id(chat),
            "date": int(time.time()),
            "chat": chat_json(chat, kind),
            "from": person_json(user, language),
        }
        if thread is not None:
            self.chats.topics.add((chat, thread))
            made |= {"message_thread_id": thread, "is_topic_message": True}
        return made | more

    async def _answer(self, request: Request) -> Reply:
        if request.path.startswith("/file/"):
            return self._file(request.path)
        head, _, method = request.path.rpartition("/")
        if head != f"/bot{TOKEN}":
            return _error(401, "Unauthorized")
        method = method.lower()
        faults = self._faults[method]
        fault = faults.pop(0) if faults else None
        try:
            params = parsed(request.params)
            self.calls.append((method, params))
            if fault is None:
                return await self._done(method, params, request)
            return await self._spoilt(fault, method, params, request)
        except Refused as exc:
            return _error(exc.status, exc.description, exc.parameters)
        finally:
            self._signal.wake()

    def _file(self, path: str) -> Reply:
        """A file's bytes; only with the token in the address, and only under the path that getFile gave."""
        data = self._methods.files.get(path.removeprefix(f"/file/bot{TOKEN}/documents/"))
        return Reply(404, raw=b"Not Found") if data is None else Reply(200, raw=data)

    def inbound(self, chat: int, *, user: int = 0, kind: str = "private") -> Json:
        """The frame of a message that somebody sends now."""
        return self._inbound(chat, user or chat, kind)

    def attach(self, data: bytes) -> str:
        """Keep a file; its id, for a message."""
        return self._methods.keep(data)

    async def _done(self, method: str, params: Json, request: Request) -> Reply:
        return Reply(200, {"ok": True, "result": await self._methods.call(method, params, request.gone)})

    async def _spoilt(self, fault: Fault, method: str, params: Json, request: Request) -> Reply:
        done = await self._done(method, params, request) if fault.after else None
        self._signal.wake()
        await asyncio.sleep(fault.delay)
        if fault.hold is not None:
            await fault.hold.wait()
        if fault.passes:
            return done or await self._done(method, params, request)
        parameters: Json = {"retry_after": fault.retry_after} if fault.retry_after else {}
        if fault.migrate_to:
            parameters["migrate_to_chat_id"] = fault.migrate_to
            self.chats.known.add(fault.migrate_to)
        reply = _error(fault.status or 500, fault.description, parameters)
        return Reply(
            reply.status if fault.body is None or fault.status else 200, reply.body, fault.cut, fault.body
        )


def _error(status: int, description: str, parameters: Json | None = None) -> Reply:
    body: Json = {"ok": False, "error_code": status, "description": description}
    return Reply(status, body | ({"parameters": parameters} if parameters else {}))
