"""A strict Slack on loopback: refuses what the real one refuses, with its words."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web

from tests.emulators.slack_chats import APP, BOT_USER, Chats, Shown
from tests.emulators.slack_delivery import Delivery
from tests.emulators.slack_methods import Methods
from tests.emulators.slack_rules import EVENTS, GRANTED, Refused, looks

__all__ = ["APP_TOKEN", "BOT_USER", "SECRET", "TOKEN", "Fault", "Shown", "SlackEmulator"]

Json = dict[str, Any]

TOKEN = "xoxb-1111-2222-EmulatedSecret"
APP_TOKEN = "xapp-1-A0EMULATED-3333-EmulatedSecret"
SECRET = "0123456789abcdef0123456789abcdef"
_SUBSCRIBED = {
    "im": "message.im",
    "mpim": "message.mpim",
    "group": "message.groups",
    "channel": "message.channels",
}


@dataclass(slots=True)
class Fault:
    """What goes wrong with one call.

    Attributes:
        error: Answered with `ok: false` instead of doing anything.
        status: The HTTP status; 0 for 200, or 500 without an error.
        retry_after: Seconds, in the header.
        after: Whether the call is carried out before it goes wrong.
        cut: Whether the connection is reset instead of an answer.
        hold: Awaited before the answer.
        passes: Whether this call goes through, so that a later one is hit.
        body: Answered as it is, whatever it looks like.
    """

    error: str = ""
    status: int = 0
    retry_after: int = 0
    after: bool = False
    cut: bool = False
    hold: asyncio.Event | None = None
    passes: bool = False
    body: bytes | None = None


class SlackEmulator:
    """One app in one workspace, with the side people see.

    Attributes:
        calls: Every call as `(method, parameters)`, in the order of arrival.
        chats: What stands written.
        delivery: What waits for the app.
        scopes: What the bot token was granted.
        subscribed: Events the app is told of.
        responses: What was posted to response addresses.
        peers: Every connection that calls came over.
    """

    def __init__(self, *, team: str = "T0HOME", token: str = TOKEN, app_token: str = APP_TOKEN) -> None:
        self.team = team
        self.token = token
        self.app_token = app_token
        self.calls: list[tuple[str, Json]] = []
        self.chats = Chats(team)
        self.delivery = Delivery(SECRET)
        self.scopes = GRANTED
        self.subscribed = set(EVENTS)
        self.responses: list[Json] = []
        self.peers: set[object] = set()
        self.echoes = True
        self.lifetime = 18_000
        self.port = 0
        self.methods = Methods(self.chats, lambda: self.scopes, self._echo)
        self._faults: dict[str, list[Fault]] = defaultdict(list)
        self._events = 0
        self._used: Counter[str] = Counter()
        self._runner: web.AppRunner | None = None
        self._delivering: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 * 1024 * 1024)
        app.router.add_post("/api/{method}", self._call)
        app.router.add_post("/respond/{number}", self._respond)
        app.router.add_get("/files/{file}", self._file)
        app.router.add_get("/link/{ticket}", self._socket)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = int(self._runner.addresses[0][1])
        self._delivering = asyncio.create_task(self.delivery.run(), name="slack delivery")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._delivering is not None:
            self._delivering.cancel()
            await asyncio.wait({self._delivering})
        for socket in [*self.delivery.sockets]:
            await socket.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def root(self) -> str:
        """The address of everything."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base(self) -> str:
        """For `api_base`."""
        return f"{self.root}/api"

    @property
    def unacknowledged(self) -> int:
        """What was delivered and not acknowledged."""
        return len(self.delivery.waiting)

    def messages(self, channel: str, *, thread: str | None = None) -> list[Shown]:
        """What people see of the bot in a channel now."""
        return self.chats.shown(channel, thread=thread)

    def texts(self, channel: str) -> list[str]:
        """The bot's messages in a channel, as text."""
        return [shown.text for shown in self.messages(channel)]

    def whispers(self, channel: str, user: str) -> list[str]:
        """What one person alone was shown in a channel."""
        found = [one for one in self.chats.ephemeral if one[:2] == (channel, user)]
        return [looks(message) for _, _, message in found]

    def sent(self, method: str) -> list[Json]:
        """The parameters of every call of a method."""
        return [params for name, params in self.calls if name == method]

    def fail(self, method: str, *faults: Fault) -> None:
        """Spoil the next calls of a method, one fault each."""
        self._faults[method] += faults

    def say(
        self,
        text: str,
        *,
        channel: str = "D0ANN",
        user: str = "U0ANN",
        thread: str = "",
        locale: str = "en-US",
        **more: Any,
    ) -> str:
        """A person writes; the timestamp. `more` are fields of the message."""
        self.chats.person(user, locale=locale)
        room = self.chats.channel(channel)
        message = self.chats.put(
            channel, user=user, team=self.team, text=text, thread_ts=thread or None, **more
        )
        if room.joined:
            self.event("message", {**message, "channel": channel, "channel_type": room.kind})
        if f"<@{BOT_USER}>" in text and room.kind != "im":
            self.event("app_mention", {**message, "channel": channel})
        return str(message["ts"])

    def edit(self, channel: str, ts: str, text: str) -> None:
        """A person edits what they wrote."""
        message = self.chats.channel(channel).messages[ts]
        before = dict(message)
        message |= {"text": text, "edited": {"user": message["user"], "ts": self.chats.stamp()}}
        kind = self.chats.channel(channel).kind
        changed = {"channel": channel, "channel_type": kind, "hidden": True, "ts": self.chats.stamp()}
        told = {"subtype": "message_changed", "message": dict(message), "previous_message": before}
        self.event("message", changed | told)

    def press(self, channel: str, label: str, *, user: str = "U0ANN") -> None:
        """Press the newest button with this label."""
        for shown in reversed(self.messages(channel)):
            for button in shown.buttons:
                if button["text"]["text"] == label:
                    self.press_on(channel, shown.raw, button, user=user)
                    return
        raise AssertionError(f"no button {label!r} in {self.messages(channel)}")

    def press_on(
        self, channel: str, message: Json, button: Json, *, user: str = "U0ANN", ephemeral: bool = False
    ) -> None:
        """Press a button of a message."""
        self.chats.person(user)
        thread = message.get("thread_ts")
        container: Json = {
            "type": "message",
            "message_ts": message["ts"],
            "channel_id": channel,
            "is_ephemeral": ephemeral,
        }
        self.delivery.push(
            "interactive",
            {
                "type": "block_actions",
                "user": {"id": user, "username": user.lower(), "team_id": self.team},
                "api_app_id": APP,
                "team": {"id": self.team, "domain": "emulated"},
                "enterprise": None,
                "container": container | ({"thread_ts": thread} if thread else {}),
                "channel": {"id": channel, "name": "emulated"},
                "message": message,
                "trigger_id": f"{time.monotonic_ns()}.1.{self._number()}",
                "response_url": f"{self.root}/respond/{self._number()}",
                "actions": [{**button, "action_ts": self.chats.stamp(), "block_id": "b"}],
            },
        )

    def slash(self, text: str, *, channel: str = "D0ANN", user: str = "U0ANN", team: str = "") -> None:
        """Somebody sends the app's slash command."""
        self.chats.person(user)
        self.delivery.push(
            "slash_commands",
            {
                "command": "/emulated",
                "text": text,
                "user_id": user,
                "user_name": user.lower(),
                "channel_id": channel,
                "channel_name": "directmessage",
                "team_id": team or self.team,
                "api_app_id": APP,
                "trigger_id": f"{time.monotonic_ns()}.2.{self._number()}",
                "response_url": f"{self.root}/respond/{self._number()}",
            },
        )

    def event(self, kind: str, event: Json, *, event_id: str = "", team: str = "") -> str:
        """Tell the app of something, when it subscribed to that; the event's id."""
        room = self.chats.channel(event["channel"]) if kind == "message" else None
        name = _SUBSCRIBED[room.kind] if room is not None else kind
        event_id = event_id or f"Ev{self._number():08d}"
        if name in self.subscribed and EVENTS.get(name, "") in {"", *self.scopes}:
            home = team or self.team
            self.push(
                {
                    "token": "verification",
                    "team_id": home,
                    "api_app_id": APP,
                    "type": "event_callback",
                    "event_id": event_id,
                    "event_time": int(time.time()),
                    "authorizations": [
                        {"enterprise_id": None, "team_id": home, "user_id": BOT_USER, "is_bot": True}
                    ],
                    "event": {"type": kind, "event_ts": self.chats.stamp(), **event},
                }
            )
        return event_id

    def push(self, payload: Any) -> None:
        """Deliver a payload of the Events API, or anything else."""
        self.delivery.push("events_api", payload)

    async def until(self, holds: Callable[[], object], *, timeout: float = 15.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout):
            while not holds():
                await asyncio.sleep(0.01)

    def _number(self) -> int:
        self._events += 1
        return self._events

    def _echo(self, kind: str, event: Json) -> None:
        if self.echoes:
            room = self.chats.channel(event["channel"])
            self.event(kind, {**event, "channel_type": room.kind})

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        self.peers.add(request.transport.get_extra_info("peername") if request.transport else None)
        as_json = request.content_type == "application/json"
        params: Json = dict(await request.json()) if as_json else dict(await request.post())
        self.calls.append((method, params))
        faults = self._faults[method]
        fault = faults.pop(0) if faults else None
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if fault is None:
            return self._done(method, params, given, as_json=as_json)
        done = self._done(method, params, given, as_json=as_json) if fault.after else None
        if fault.hold is not None:
            await fault.hold.wait()
        if fault.passes:
            return done or self._done(method, params, given, as_json=as_json)
        if fault.cut:
            assert request.transport is not None
            request.transport.abort()
        headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after else {}
        if fault.body is not None:
            return web.Response(status=fault.status or 200, body=fault.body, content_type="text/html")
        status = fault.status or (200 if fault.error else 500)
        return web.json_response({"ok": False, "error": fault.error}, status=status, headers=headers)

    def _done(self, method: str, params: Json, given: str, *, as_json: bool) -> web.Response:
        try:
            if method == "apps.connections.open":
                told = self._ticket(given)
            elif not given:
                raise Refused("not_authed")
            elif given != self.token:
                raise Refused("invalid_auth")
            else:
                told = self.methods.call(method, params, as_json=as_json)
        except Refused as exc:
            return web.json_response({"ok": False, "error": exc.error, **exc.more})
        granted = ",".join(sorted(self.scopes)) if given == self.token else "connections:write"
        return web.json_response({"ok": True, **told}, headers={"X-OAuth-Scopes": granted})

    def _ticket(self, given: str) -> Json:
        if given != self.app_token:
            raise Refused("invalid_auth")
        return {"url": f"ws://127.0.0.1:{self.port}/link/{self._number()}"}

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        debug = {"host": "emulated", "approximate_connection_time": self.lifetime}
        return await self.delivery.serve(request, {"connection_info": {"app_id": APP}, "debug_info": debug})

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        number = request.match_info["number"]
        self._used[number] += 1
        if self._used[number] > 5:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        self.responses.append(json.loads(await request.read()))
        return web.Response(text="ok")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        found = self.chats.files.get(request.match_info["file"])
        if found is None or request.headers.get("Authorization") != f"Bearer {self.token}":
            return web.Response(text="<html>log in</html>", content_type="text/html")
        return web.Response(body=found[1], content_type="application/octet-stream")

    def add_file(self, file: str, content: bytes, **more: Any) -> Json:
        """A file that somebody can send; what stands of it in a message."""
        told = {
            "id": file,
            "name": f"{file}.bin",
            "mimetype": "application/octet-stream",
            "size": len(content),
            "url_private_download": f"{self.root}/files/{file}",
            **more,
        }
        self.chats.files[file] = (told, content)
        return told
