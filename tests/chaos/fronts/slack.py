"""Private chats with a Slack bot that listens on sockets."""

from __future__ import annotations

import asyncio
import copy
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from aiohttp import web

from tests.chaos.checker import MARKER
from tests.chaos.line import Line
from tests.chaos.story import Chat, Word
from tests.emulators import slack
from tests.emulators.slack_delivery import Envelope

__all__ = ["Slack"]

_FOR_GOOD = frozenset({"channel_not_found", "is_archived", "invalid_blocks"})
_RETRY = 1.0  # seconds until Slack sends something again that was not acknowledged
_RETRIES = 4


class _Slack(slack.SlackEmulator):
    """Knows which envelopes told of a message, and counts what it refused for good, by channel."""

    def __init__(self) -> None:
        super().__init__()
        self.delivery.pace, self.delivery.retries = _RETRY, _RETRIES
        self.told: defaultdict[str, list[Envelope]] = defaultdict(list)
        self.refused: Counter[str] = Counter()
        self.events: list[Any] = []
        self.reached_at = 0

    def push(self, payload: Any) -> None:
        """Deliver an event, and remember over what."""
        envelope = self.delivery.push("events_api", payload)
        found = MARKER.match(str(payload.get("event", {}).get("text", "")))
        if found:
            self.told[found.group()].append(self.delivery.waiting[envelope])
            self.events.append(payload)

    def calm(self) -> None:
        """Forget the faults that have not struck."""
        self._faults.clear()
        self.delivery.silent = self.delivery.mute = False

    def _ticket(self, given: str) -> dict[str, Any]:
        told = super()._ticket(given)
        return told | {"url": str(told["url"]).replace(f":{self.port}/", f":{self.reached_at}/")}

    async def _call(self, request: web.Request) -> web.StreamResponse:
        waiting = self._faults[request.match_info["method"]]
        if waiting and waiting[0].error in _FOR_GOOD:
            params = await (request.json() if request.content_type == "application/json" else request.post())
            self.refused[str(params.get("channel", ""))] += 1
        return await super()._call(request)


class Slack:
    """Some people, each in a channel with the bot alone."""

    letter = "S"

    def __init__(self, people: int, *, agent: str) -> None:
        self.people = people
        self.emulator = _Slack()
        self.line = Line()
        self._agent = agent
        self._said: defaultdict[int, list[Word]] = defaultdict(list)
        self._tasks: asyncio.TaskGroup | None = None

    async def open(self, stack: AsyncExitStack) -> None:
        """Begin to listen."""
        await stack.enter_async_context(self.emulator)
        await self.line.open(self.emulator.port, stack)
        self.emulator.reached_at = self.line.port
        self._tasks = await stack.enter_async_context(asyncio.TaskGroup())
        for person in range(self.people):
            self.emulator.chats.channel(_channel(person))

    def yaml(self) -> str:
        """The bot's part of the configuration."""
        return f"""
  team:
    platform: slack
    token: "{self.emulator.token}"
    app_token: "{self.emulator.app_token}"
    receive: socket
    api_base: "http://127.0.0.1:{self.line.port}/api"
    agent: {self._agent}
    rates: {{overall: 0, chat: 0, edits: 0}}
"""

    async def up(self, addresses: tuple[str, ...], stack: AsyncExitStack) -> None:
        """It connects by itself."""

    async def say(self, person: int, marker: str, kind: str) -> None:
        """Somebody writes."""
        self.emulator.say(f"{marker} {kind}", channel=_channel(person), user=f"U{person:04d}")
        self._said[person].append(Word(marker, kind))

    def spoil(self, chance: random.Random) -> str:
        """Let something go wrong with what comes next."""
        if chance.random() < 0.15:
            return f"slack {self.line.spoil(chance)}"
        blows: dict[str, Callable[[], object]] = {
            "a socket breaks": self._break,
            "a socket is asked to go": self._dismiss,
            "sockets fall silent": lambda: self._silence(chance.uniform(0.3, 2.0)),
            "events come again": lambda: self._repeat(chance),
        }
        if chance.random() < 0.35:
            name = chance.choice(sorted(blows))
            blows[name]()
            return f"slack: {name}"
        name, fault = chance.choice(_faults(chance))
        method = chance.choice(("chat.postMessage", "chat.postMessage", "chat.postMessage", "chat.update"))
        if chance.random() < 0.15 and fault.error not in _FOR_GOOD:
            method = chance.choice(("apps.connections.open", "conversations.history"))
        self.emulator.fail(method, fault)
        return f"slack {method}: {name}"

    def calm(self) -> None:
        """Let nothing go wrong any more."""
        self.emulator.calm()
        self.line.calm()

    def pending(self) -> int:
        """Events that were not acknowledged."""
        return self.emulator.unacknowledged

    def chats(self) -> tuple[Chat, ...]:
        """What stands in the channels."""
        return tuple(
            Chat(
                f"slack {_channel(person)}",
                tuple(self._handed(word) for word in said),
                tuple(self.emulator.texts(_channel(person))),
                refused=self.emulator.refused[_channel(person)],
            )
            for person, said in sorted(self._said.items())
        )

    def _handed(self, word: Word) -> Word:
        """The word, and what Slack knows of it."""
        envelopes = self.emulator.told[word.marker]
        acknowledged = {*self.emulator.delivery.acknowledged}
        accepted = any(envelope.id in acknowledged for envelope in envelopes) or None
        return Word(word.marker, word.kind, accepted, any(envelope.tries > 1 for envelope in envelopes))

    def _break(self) -> None:
        for socket in self.emulator.delivery.sockets[:1]:
            self._later(_aborted(socket))

    def _dismiss(self) -> None:
        if self.emulator.delivery.sockets:
            self._later(self.emulator.delivery.disconnect("refresh_requested", after=0.5))

    def _silence(self, seconds: float) -> None:
        self.emulator.delivery.silent = True
        asyncio.get_running_loop().call_later(seconds, self._speak)

    def _speak(self) -> None:
        self.emulator.delivery.silent = False

    def _repeat(self, chance: random.Random) -> None:
        """Events of the last moments once more, as Slack does when an acknowledgement was lost."""
        again = self.emulator.events[-6:]
        chance.shuffle(again)
        for event in again:
            self.emulator.delivery.push("events_api", copy.deepcopy(event))

    def _later(self, work: Any) -> None:
        assert self._tasks is not None
        self._tasks.create_task(work)


async def _aborted(socket: web.WebSocketResponse) -> None:
    transport = getattr(socket, "_req").transport  # noqa: B009  # a break, which the interface has no word for
    if transport is not None:
        transport.abort()


def _channel(person: int) -> str:
    return f"D{person:04d}"


def _faults(chance: random.Random) -> list[tuple[str, slack.Fault]]:
    return [
        ("asks to wait", slack.Fault("ratelimited", 429, retry_after=chance.randint(1, 2))),
        ("takes it and is cut", slack.Fault(after=True, cut=True)),
        ("is cut", slack.Fault(cut=True)),
        ("takes it and breaks", slack.Fault(status=502, after=True)),
        ("breaks", slack.Fault(status=503)),
        ("answers nonsense", slack.Fault(body=b"<html>no</html>", status=200)),
        ("takes it and answers nonsense", slack.Fault(body=b"<html>no</html>", status=200, after=True)),
        ("has an inner error", slack.Fault("internal_error")),
        ("refuses the text", slack.Fault("invalid_blocks")),
        ("is gone", slack.Fault("channel_not_found")),
    ]
