"""The methods of the emulated Bot API."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from tests.emulators.telegram_chats import BOT, Chats, Shown, chat_json
from tests.emulators.telegram_flood import Flood
from tests.emulators.telegram_hooks import Hooks
from tests.emulators.telegram_rules import (
    LIMIT,
    Refused,
    checked_commands,
    checked_entities,
    checked_language,
    checked_markup,
    checked_text,
    number,
    pings,
)
from tests.emulators.telegram_updates import Updates
from tests.emulators.wire import Json

_ACTIONS = frozenset({"typing", "upload_document", "upload_photo", "record_voice", "choose_sticker"})
_UNCHANGED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the"
    " same as a current content and reply markup of the message"
)
_LARGEST_FILE = 20 * 1024 * 1024  # bytes that bots may download
_STALE = "Bad Request: query is too old and response timeout expired or query ID is invalid"


class Methods:
    """What the bot can call.

    Attributes:
        unknown: Methods this server does not have.
        flood: How much it takes.
        files: What can be fetched, by id.
    """

    def __init__(self, chats: Chats, updates: Updates, hooks: Hooks) -> None:
        self.unknown: set[str] = set()
        self.files: dict[str, bytes] = {}
        self.flood = Flood()
        self._hooks = hooks
        self._chats = chats
        self._updates = updates
        self._known: dict[str, Callable[[Json], Awaitable[Any]]] = {
            "getme": self._get_me,
            "getfile": self._get_file,
            "setwebhook": self._set_webhook,
            "deletewebhook": self._delete_webhook,
            "getwebhookinfo": self._get_webhook_info,
            "sendmessage": self._send_message,
            "editmessagetext": self._edit_message_text,
            "editmessagereplymarkup": self._edit_message_reply_markup,
            "deletemessage": self._delete_message,
            "sendmessagedraft": self._send_message_draft,
            "sendchataction": self._send_chat_action,
            "answercallbackquery": self._answer_callback_query,
            "setmycommands": self._set_my_commands,
            "getmycommands": self._get_my_commands,
            "deletemycommands": self._delete_my_commands,
        }

    async def call(self, method: str, params: Json, gone: Callable[[], bool]) -> Any:
        """Carry a method out; its result. A poll ends when its caller is gone."""
        if method == "getupdates":
            return await self._updates.poll(params, gone)
        found = None if method in self.unknown else self._known.get(method)
        if found is None:
            raise Refused(404, "Not Found")
        self.flood.take(method, number(params.get("chat_id")))
        return await found(params)

    def keep(self, data: bytes) -> str:
        """Keep a file; its id."""
        name = f"file_{len(self.files)}.bin"
        self.files[name] = data
        return name

    async def _get_file(self, params: Json) -> Json:
        name = str(params.get("file_id"))
        if name not in self.files:
            raise Refused(400, "Bad Request: invalid file_id")
        size = len(self.files[name])
        if size > _LARGEST_FILE:
            raise Refused(400, "Bad Request: file is too big")
        return {"file_id": name, "file_unique_id": name, "file_size": size, "file_path": f"documents/{name}"}

    async def _get_me(self, _: Json) -> Json:
        return BOT | {
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }

    async def _set_webhook(self, params: Json) -> bool:
        self._dropped(params)
        return self._hooks.set(params)

    async def _delete_webhook(self, params: Json) -> bool:
        self._dropped(params)
        self._updates.hook("", None)
        return True

    async def _get_webhook_info(self, _: Json) -> Json:
        return self._hooks.info()

    def _dropped(self, params: Json) -> None:
        if str(params.get("drop_pending_updates")).lower() in ("true", "1"):
            self._updates.clear()

    async def _send_message(self, params: Json) -> Json:
        chat = self._writable(params)
        thread = self._topic(chat, params)
        text, entities = checked_text(params)
        buttons = checked_markup(params)
        self._check_reply(chat, params)
        silent = str(params.get("disable_notification", "")).lower() == "true"
        shown = Shown(self._chats.next_id(chat), text, entities, buttons, thread, silent=silent)
        shown.pings = pings(text, entities)
        self._chats.post(chat, shown)
        return _as_json(chat, shown)

    async def _edit_message_text(self, params: Json) -> Json:
        chat = self._writable(params)
        shown = self._chats.find(chat, number(params.get("message_id")), what="edit")
        text, entities = checked_text(params)
        buttons = checked_markup(params)
        if (text, entities, buttons) == (shown.text, shown.entities, shown.buttons):
            raise Refused(400, _UNCHANGED)
        shown.text, shown.entities, shown.buttons, shown.edits = text, entities, buttons, shown.edits + 1
        shown.pings += pings(text, entities)
        return _as_json(chat, shown)

    async def _edit_message_reply_markup(self, params: Json) -> Json:
        chat = self._writable(params)
        shown = self._chats.find(chat, number(params.get("message_id")), what="edit")
        buttons = checked_markup(params)
        if buttons == shown.buttons:
            raise Refused(400, _UNCHANGED)
        shown.buttons = buttons
        return _as_json(chat, shown)

    async def _delete_message(self, params: Json) -> bool:
        self._chats.remove(self._writable(params), number(params.get("message_id")))
        return True

    async def _send_message_draft(self, params: Json) -> bool:
        chat = self._writable(params)
        if chat < 0:
            raise Refused(400, "Bad Request: method is available only for private chats")
        if not number(params.get("draft_id")):
            raise Refused(400, "Bad Request: DRAFT_ID_INVALID")
        text = str(params.get("text", ""))
        if len(text) > LIMIT:
            raise Refused(400, "Bad Request: message is too long")
        checked_entities(text, params)
        self._topic(chat, params)
        self._chats.drafts[chat].append(text)
        return True

    async def _send_chat_action(self, params: Json) -> bool:
        if params.get("action") not in _ACTIONS:
            raise Refused(400, "Bad Request: wrong parameter action in request")
        chat = self._writable(params)
        self._topic(chat, params)
        self._chats.typing[chat] += 1
        return True

    async def _answer_callback_query(self, params: Json) -> bool:
        query = str(params.get("callback_query_id", ""))
        if query in self._chats.pressed or query not in self._chats.queries:
            raise Refused(400, _STALE)
        if len(str(params.get("text", ""))) > 200:
            raise Refused(400, "Bad Request: MESSAGE_TOO_LONG")
        self._chats.pressed[query] = str(params.get("text", ""))
        return True

    async def _set_my_commands(self, params: Json) -> bool:
        self._chats.commands[checked_language(params)] = checked_commands(params)
        return True

    async def _get_my_commands(self, params: Json) -> list[Json]:
        return self._chats.commands.get(checked_language(params), [])

    async def _delete_my_commands(self, params: Json) -> bool:
        self._chats.commands.pop(checked_language(params), None)
        return True

    def _writable(self, params: Json) -> int:
        if not params.get("chat_id"):
            raise Refused(400, "Bad Request: chat_id is empty")
        chat = number(params.get("chat_id"))
        self._chats.writable(chat)
        return chat

    def _topic(self, chat: int, params: Json) -> int | None:
        thread = number(params.get("message_thread_id"))
        if thread and (chat, thread) not in self._chats.topics:
            raise Refused(400, "Bad Request: message thread not found")
        return thread or None

    def _check_reply(self, chat: int, params: Json) -> None:
        reply = params.get("reply_parameters")
        if not reply:
            return
        found = self._chats.holds(chat, number(reply.get("message_id")))
        if not found and not reply.get("allow_sending_without_reply"):
            raise Refused(400, "Bad Request: message to be replied not found")


def _as_json(chat: int, shown: Shown) -> Json:
    return {
        "message_id": shown.id,
        "date": int(time.time()),
        "chat": chat_json(chat),
        "from": BOT,
        "text": shown.text,
    }
