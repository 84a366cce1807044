"""The methods of Slack's Web API that bots use, as strict as the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.emulators.slack_chats import BOT_ID, BOT_USER, Chats
from tests.emulators.slack_rules import (
    DEMANDS,
    HISTORY,
    MARKDOWN,
    READ_ONLY,
    STREAM,
    TEXT,
    UPDATE,
    Refused,
    check_blocks,
    check_metadata,
    need,
    pings,
)

Json = dict[str, Any]


class Methods:
    """Carries calls out.

    Attributes:
        unknown: Methods that this server does not have.
        streams: Messages that are being streamed, as `(channel, ts)`.
        refuses_streams: The word that streams are refused with; empty for none.
    """

    def __init__(
        self, chats: Chats, scopes: Callable[[], frozenset[str]], told: Callable[[str, Json], None]
    ) -> None:
        self._chats = chats
        self._scopes = scopes
        self._told = told
        self.unknown: set[str] = set()
        self.streams: dict[tuple[str, str], str] = {}
        self.refuses_streams = ""
        self.signal = asyncio.Event()

    def call(self, method: str, params: Json, *, as_json: bool) -> Json:
        """One call; what is answered beside `ok`."""
        need(method in DEMANDS and method not in self.unknown, "unknown_method")
        need(not (as_json and method in READ_ONLY), "invalid_post_type")
        self._grant(DEMANDS[method])
        done: Json = getattr(self, "_" + method.replace(".", "_").lower())(params)
        return done

    def _grant(self, scopes: frozenset[str]) -> None:
        lacking = sorted(scopes - self._scopes())
        if lacking:
            raise Refused(
                "missing_scope", needed=",".join(lacking), provided=",".join(sorted(self._scopes()))
            )

    def _auth_test(self, _: Json) -> Json:
        return {
            "url": "https://emulated.slack.com/",
            "team": "Emulated",
            "user": "emulated_bot",
            "team_id": self._chats.team,
            "user_id": BOT_USER,
            "bot_id": BOT_ID,
            "is_enterprise_install": False,
        }

    def _users_info(self, params: Json) -> Json:
        person = self._chats.people.get(params.get("user", ""))
        need(person, "user_not_found")
        assert person is not None
        hidden = set[str]() if params.get("include_locale") in ("true", "1") else {"locale"}
        return {"user": {key: value for key, value in person.items() if key not in hidden}}

    def _files_info(self, params: Json) -> Json:
        found = self._chats.files.get(params.get("file", ""))
        need(found, "file_not_found")
        assert found is not None
        return {"file": found[0]}

    def _assistant_threads_setstatus(self, params: Json) -> Json:
        self._place({"channel": params.get("channel_id"), "thread_ts": params.get("thread_ts")}, replies=True)
        need(isinstance(params.get("status"), str), "invalid_arguments")
        self._chats.statuses.append((params["channel_id"], params["thread_ts"], params["status"]))
        return {}

    def _chat_postmessage(self, params: Json) -> Json:
        channel = self._place(params)
        self._content(params, TEXT * 10)
        message = self._write(channel, params)
        return {"channel": channel, "ts": message["ts"], "message": message}

    def _chat_postephemeral(self, params: Json) -> Json:
        channel = self._place(params)
        need(params.get("user") in self._chats.people, "user_not_in_channel")
        self._content(params, TEXT * 10)
        ts = self._chats.stamp()
        kept = {key: params.get(key) for key in ("text", "blocks", "thread_ts")} | {"ts": ts}
        self._chats.ephemeral.append((channel, params["user"], kept))
        return {"message_ts": ts}

    def _chat_update(self, params: Json) -> Json:
        message = self._mine(params, "cant_update_message")
        need((params["channel"], params["ts"]) not in self.streams, "streaming_state_conflict")
        need("text" in params or "blocks" in params, "no_text")
        self._content(params, UPDATE)
        before = dict(message)
        message["text"] = params.get("text", "")
        message["blocks"] = params.get("blocks", message.get("blocks"))
        if "metadata" in params:
            message["metadata"] = params["metadata"]
        message["edited"] = {"user": BOT_USER, "ts": self._chats.stamp()}
        self._changed(params["channel"], message, before)
        return {"channel": params["channel"], "ts": params["ts"], "text": message["text"]}

    def _chat_delete(self, params: Json) -> Json:
        message = self._mine(params, "cant_delete_message")
        channel = params["channel"]
        del self._chats.channel(channel).messages[message["ts"]]
        self.streams.pop((channel, message["ts"]), None)
        self._told(
            "message",
            {"subtype": "message_deleted", "channel": channel, "hidden": True, "deleted_ts": message["ts"]},
        )
        return {"channel": channel, "ts": message["ts"]}

    def _chat_startstream(self, params: Json) -> Json:
        need(not self.refuses_streams, self.refuses_streams)
        channel = self._place(params, replies=True)
        if self._chats.channel(channel).kind != "im":
            need(params.get("recipient_user_id"), "missing_recipient_user_id")
            need(params.get("recipient_team_id"), "missing_recipient_team_id")
        text = params.get("markdown_text", "")
        need(len(text) <= MARKDOWN, "msg_too_long")
        self._chats.pings += pings(text)
        message = self._write(channel, {"text": text, "thread_ts": params["thread_ts"]})
        self.streams[channel, message["ts"]] = text
        return {"channel": channel, "ts": message["ts"]}

    def _chat_appendstream(self, params: Json) -> Json:
        message, key = self._streaming(params)
        need(params.get("markdown_text"), "no_text")
        text = self.streams[key] + params["markdown_text"]
        need(len(text) <= STREAM, "msg_too_long")
        self._chats.pings += pings(text)
        self.streams[key] = message["text"] = text
        return {"channel": key[0], "ts": key[1]}

    def _chat_stopstream(self, params: Json) -> Json:
        _, key = self._streaming(params)
        del self.streams[key]
        return {"channel": key[0], "ts": key[1]}

    def _conversations_history(self, params: Json) -> Json:
        found = [one for one in self._readable(params) if one.get("thread_ts", one["ts"]) == one["ts"]]
        return self._page(params, list(reversed(found)))

    def _conversations_replies(self, params: Json) -> Json:
        found = self._readable(params)
        root = params.get("ts", "")
        need(any(one["ts"] == root for one in found) or params.get("oldest"), "thread_not_found")
        inside = [one for one in found if root in (one["ts"], one.get("thread_ts"))]
        return self._page(params, inside)

    def _readable(self, params: Json) -> list[Json]:
        channel = self._chats.channels.get(params.get("channel", ""))
        need(channel, "channel_not_found")
        assert channel is not None
        self._grant(frozenset({HISTORY[channel.kind]}))
        need(channel.joined, "not_in_channel")
        oldest, latest = (
            float(params.get(name, default)) for name, default in (("oldest", 0), ("latest", 1e12))
        )
        edges = params.get("inclusive") in ("true", "1")
        return [
            one
            for one in channel.messages.values()
            if oldest < float(one["ts"]) < latest or (edges and float(one["ts"]) in (oldest, latest))
        ]

    def _page(self, params: Json, found: list[Json]) -> Json:
        start, limit = int(params.get("cursor") or 0), int(params.get("limit") or 100)
        need(0 < limit <= 999, "invalid_limit")
        page = [dict(one) for one in found[start : start + limit]]
        if params.get("include_all_metadata") not in ("true", "1"):
            for one in page:
                one.pop("metadata", None)
        more = start + limit < len(found)
        return {
            "messages": page,
            "has_more": more,
            "response_metadata": {"next_cursor": str(start + limit) if more else ""},
        }

    def _place(self, params: Json, *, replies: bool = False) -> str:
        name = params.get("channel") or ""
        channel = self._chats.channels.get(name)
        need(channel, "channel_not_found")
        assert channel is not None
        need(not channel.archived, "is_archived")
        public = channel.kind == "channel" and "chat:write.public" in self._scopes()
        need(channel.joined or public, "not_in_channel")
        thread = params.get("thread_ts")
        need(thread or not replies, "invalid_arguments")
        if thread is not None:
            need(isinstance(thread, str) and thread in channel.messages, "thread_not_found")
        return str(name)

    def _content(self, params: Json, longest: int) -> None:
        text, blocks = params.get("text"), params.get("blocks")
        need(text or blocks, "no_text")
        need(text is None or isinstance(text, str), "invalid_arguments")
        need(len(text or "") <= longest, "msg_too_long")
        if blocks:
            check_blocks(blocks)
        check_metadata(params.get("metadata"))
        self._chats.pings += pings(text or "")
        for block in blocks or ():
            for element in block.get("elements", ()):
                if element.get("type") == "mrkdwn":
                    self._chats.pings += pings(element["text"])

    def _write(self, channel: str, params: Json) -> Json:
        """Write a message; one that is long and has no blocks is parted, as the server does."""
        text, blocks = params.get("text") or "", params.get("blocks")
        pieces = [text] if blocks or len(text) <= TEXT else [text[:TEXT], text[TEXT:]]
        written = [
            self._chats.put(
                channel,
                **self._chats.bot(),
                text=piece,
                blocks=blocks,
                thread_ts=params.get("thread_ts"),
                metadata=params.get("metadata"),
            )
            for piece in pieces
        ]
        for message in written:
            self._told("message", {**message, "channel": channel})
        return written[0]

    def _mine(self, params: Json, error: str) -> Json:
        name = self._place({"channel": params.get("channel")})
        message = self._chats.channel(name).messages.get(params.get("ts", ""))
        need(message, "message_not_found")
        assert message is not None
        need(message.get("bot_id") == BOT_ID, error)
        return message

    def _streaming(self, params: Json) -> tuple[Json, tuple[str, str]]:
        message = self._mine(params, "message_not_owned_by_app")
        key = (params["channel"], params["ts"])
        need(key in self.streams, "message_not_in_streaming_state")
        return message, key

    def _changed(self, channel: str, message: Json, before: Json) -> None:
        self._told(
            "message",
            {
                "subtype": "message_changed",
                "hidden": True,
                "channel": channel,
                "ts": self._chats.stamp(),
                "message": dict(message),
                "previous_message": before,
            },
        )
