"""Slack passes the exam for adapters, against its emulator: by sockets, and by HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from gateway.abc.adapter import Adapter, AdapterContext
from gateway.abc.clock import SystemClock
from gateway.http import Server
from gateway.messages import Action, Place
from gateway.testing.adapters import WAIT, AdapterContract, AdapterFault, AdapterHarness
from gateway.testing.context import FakeAdapterContext
from gateway_adapters.slack.adapter import SlackAdapter, create
from gateway_adapters.slack.options import Options
from tests.emulators.slack import APP_TOKEN, SECRET, TOKEN, Fault, SlackEmulator

CHAT, PERSON = "D0ANN", "U0ANN"
_FAULTS = {
    "rate_limit": Fault(error="ratelimited", status=429, retry_after=WAIT),
    "dead_target": Fault(error="channel_not_found"),
    "rejected": Fault(error="invalid_blocks"),
    "lost": Fault(cut=True),
    "taken": Fault(after=True, cut=True),
}
_UNREADABLE: tuple[Any, ...] = (
    {"type": "event_callback", "event_id": "Ev1", "team_id": "T0HOME", "event": None},
    {"type": "event_callback", "event_id": "Ev2", "team_id": "T0HOME", "event": {"type": "message"}},
    {"type": "event_callback", "event_id": 7, "team_id": "T0HOME", "event": {"type": "message", "ts": 1e400}},
    {"type": "event_callback", "team_id": "T0HOME", "authorizations": [1], "event": [2]},
    {},
    ["no", "object"],
    None,
)


class SlackHarness:
    """One bot, one person, one emulator."""

    def __init__(self, slack: SlackEmulator, options: dict[str, Any]) -> None:
        self.slack = slack
        self._options = options
        self.adapter: Adapter = create(Options.model_validate(options), bot="b")
        self.place = Place(CHAT)
        self.secret = "EmulatedSecret"
        self._said = {"ts": "", "text": ""}

    async def say(self, text: str) -> None:
        self._said = {"ts": self.slack.say(text), "text": text}

    async def say_again(self) -> None:
        self.slack.event(
            "message", {**self._said, "channel": CHAT, "channel_type": "im", "user": PERSON, "team": "T0HOME"}
        )

    async def edit(self, text: str) -> None:
        self.slack.edit(CHAT, self._said["ts"], text)

    async def attach(self, name: str, content: bytes) -> None:
        file = self.slack.add_file("F0ONE", content, name=name, mimetype="image/png")
        self.slack.say("", subtype="file_share", files=[file])

    async def press(self, action: Action) -> None:
        self.slack.press(CHAT, action.label)

    async def echo(self) -> None:
        message = self.slack.chats.bot(ts=self.slack.chats.stamp(), text="mine")
        self.slack.event("message", {**message, "channel": CHAT, "channel_type": "im"})

    async def confuse(self) -> None:
        for payload in _UNREADABLE:
            self.slack.push(payload)

    async def shown(self) -> Sequence[str]:
        return self.slack.texts(CHAT)

    async def offered(self) -> Sequence[str]:
        buttons = (button for shown in self.slack.messages(CHAT) for button in shown.buttons)
        return [button["text"]["text"] for button in buttons]

    def acknowledged(self) -> bool:
        return self.slack.unacknowledged == 0

    def fail(self, fault: AdapterFault) -> None:
        if fault == "unauthorised":
            self._again(token="xoxb-9-9-EmulatedSecret", app_token="xapp-9-EmulatedSecret")
        elif fault == "unreachable":
            self._again(api_base="http://127.0.0.1:1/api")
        else:
            self.slack.fail("chat.postMessage", _FAULTS[fault])

    def _again(self, **changed: str) -> None:
        self.adapter = create(Options.model_validate({**self._options, **changed}), bot="b")


class TestSlack(AdapterContract):
    """Slack, by Socket Mode."""

    kind = "slack"
    limit = 3900

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        return _socketed()


class TestSlackByWebhook(AdapterContract):
    """Slack that posts to the shared server."""

    kind = "slack"
    limit = 3900

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        return _hooked()


class _Public(SlackAdapter):
    """One that is reached from outside, whatever the context says."""

    async def run(self, context: AdapterContext) -> None:
        if isinstance(context, FakeAdapterContext):
            context.public_url = "https://bots.example"
        await super().run(context)


@asynccontextmanager
async def _socketed() -> AsyncGenerator[AdapterHarness]:
    async with SlackEmulator() as slack:
        slack.chats.channel(CHAT)
        slack.chats.person(PERSON)
        yield SlackHarness(slack, _options(slack))


@asynccontextmanager
async def _hooked() -> AsyncGenerator[AdapterHarness]:
    async with SlackEmulator() as slack:
        slack.chats.channel(CHAT)
        slack.chats.person(PERSON)
        options = _options(slack, receive="webhook", signing_secret=SECRET)
        harness = SlackHarness(slack, options)
        harness.adapter = _Public(Options.model_validate(options), bot="b", clock=SystemClock())
        async with Server("127.0.0.1", 0, harness.adapter.routes()) as server:
            slack.delivery.hook = f"{server.address}/slack/b/events"
            slack.delivery.retries = 20
            yield harness


def _options(slack: SlackEmulator, **more: Any) -> dict[str, Any]:
    return {"token": TOKEN, "app_token": APP_TOKEN, "api_base": slack.base, **more}
