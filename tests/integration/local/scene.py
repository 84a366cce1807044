"""A web chat on a real server, with a script in place of the session manager."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Self

import httpx

from gateway.abc.adapter import AdapterState
from gateway.abc.clock import Clock, SystemClock
from gateway.errors import StoreError
from gateway.http import Server
from gateway.messages import Answer, Event, Inbound, Place
from gateway.observability import get_logger
from gateway_adapters.local.adapter import LocalAdapter
from gateway_adapters.local.options import Options

Script = Callable[["Scene", Inbound], Awaitable[None]]


class Context:
    """An `AdapterContext` whose store outlives gateways, and can be made to fail."""

    def __init__(self) -> None:
        self.bot = "demo"
        self.clock: Clock = SystemClock()
        self.log = get_logger("adapter")
        self.facts: dict[str, bytes] = {}
        self.accepted: list[Inbound] = []
        self.states: list[AdapterState] = []
        self.waiting: asyncio.Queue[Inbound] = asyncio.Queue()
        self.broken = False
        self.public_url = ""
        self.leads = True
        self.shared = False
        self.menu: Mapping[str, Sequence[tuple[str, str]]] = {}
        self._keys: set[str] = set()

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        await self._work()
        return tuple(self._take(event) for event in events)

    def _take(self, event: Event) -> bool:
        if self._keys & set(event.dedupe) or event.inbound is None:
            return False
        self._keys.update(event.dedupe)
        self.accepted.append(event.inbound)
        self.waiting.put_nowait(event.inbound)
        return True

    def heard_time(self, theirs: float) -> None:
        """Nothing is compared here."""

    async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        assert ttl is None or ttl > 0
        await self._work()
        self.facts[key] = value

    async def recall(self, key: str) -> bytes | None:
        await self._work()
        return self.facts.get(key)

    async def scan(self, prefix: str, *, limit: int = 1000) -> Sequence[tuple[str, bytes]]:
        await self._work()
        return [(key, self.facts[key]) for key in sorted(self.facts) if key.startswith(prefix)][-limit:]

    def report(self, state: AdapterState, detail: str = "") -> None:
        assert not detail
        self.states.append(state)

    async def _work(self) -> None:
        await asyncio.sleep(0)
        if self.broken:
            raise StoreError("the disk is full")


class Scene:
    """One chat that can be stopped and started again on the same port with the same store.

    Attributes:
        base: The chat's whole address.
    """

    def __init__(self, script: Script | None = None, *, options: Options | None = None) -> None:
        self.context = Context()
        self.script = script
        self.adapter = LocalAdapter(Options(), bot="demo")
        self.base = ""
        self._options = options or Options(title="Ada")
        self._port = 0
        self._running: contextlib.AsyncExitStack | None = None
        self._receiving: asyncio.Task[None] | None = None
        self._sent = 0

    async def start(self) -> None:
        """Begin a gateway's life."""
        self.adapter = LocalAdapter(self._options, bot="demo")
        stack = contextlib.AsyncExitStack()
        server = Server("127.0.0.1", self._port, self.adapter.routes())
        await stack.enter_async_context(server)
        self._port = server.port
        self.base = server.address + self.adapter.base
        stack.push_async_callback(_ended, asyncio.create_task(self._drive()))
        stack.push_async_callback(self.deafen)
        await self.hear()
        self._running = stack

    async def stop(self) -> None:
        """End it."""
        if self._running is not None:
            await self._running.aclose()
            await self.adapter.close()
        self._running = None

    async def hear(self) -> None:
        """Let the adapter receive."""
        self._receiving = asyncio.create_task(self.adapter.run(self.context))
        await asyncio.sleep(0)

    async def deafen(self) -> None:
        """Let the adapter stop receiving, as at a stop, while the server goes on."""
        if self._receiving is not None:
            await _ended(self._receiving)

    async def answer(self, place: Place, answer: Answer, *, key: str = "", replaces: str = "") -> None:
        """Deliver an answer."""
        self._sent += 1
        for part in self.adapter.render(answer, key=key or f"letter-{self._sent}"):
            await self.adapter.send(place, part, replaces=replaces)

    async def _drive(self) -> None:
        while True:
            inbound = await self.context.waiting.get()
            if self.script is not None:
                await self.script(self, inbound)


async def until(check: Callable[[], object]) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(5.0):
        while not check():  # nobody sets an event for it
            await asyncio.sleep(0.01)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@contextlib.asynccontextmanager
async def scene(
    script: Script | None = None, *, options: Options | None = None
) -> AsyncGenerator[Scene, None]:
    """A running chat."""
    stage = Scene(script, options=options)
    await stage.start()
    try:
        yield stage
    finally:
        await stage.stop()


class Visitor:
    """A browser without a page.

    Attributes:
        chat: The id the server gave.
    """

    def __init__(self, stage: Scene, *, headers: dict[str, str] | None = None) -> None:
        self._stage = stage
        self.http = httpx.AsyncClient(timeout=5.0, headers=headers, trust_env=False)
        self.chat = ""
        self._said = 0

    async def __aenter__(self) -> Self:
        answer = await self.post("session", {})
        self.chat = answer.json()["chat"]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    @property
    def place(self) -> Place:
        return Place(self.chat)

    async def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(f"{self._stage.base}/{path}", json=body, headers=named)

    async def say(self, text: str, *, message: str = "", language: str = "") -> httpx.Response:
        self._said += 1
        return await self.post(
            "message", {"id": message or f"message-{self._said}", "text": text, "language": language}
        )

    @contextlib.asynccontextmanager
    async def listen(self, after: int | None = None) -> AsyncGenerator[Listening, None]:
        """An open event stream."""
        headers = {} if after is None else {"last-event-id": str(after)}
        async with self.http.stream("GET", f"{self._stage.base}/events", headers=headers) as response:
            yield Listening(response)

    async def transcript(self, after: int | None = None) -> list[tuple[str, dict[str, object]]]:
        """Everything up to now."""
        async with self.listen(after) as events:
            return await events.until("state")


class Listening:
    """Events as they come."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def next(self) -> tuple[str, dict[str, object]]:
        kind = ""
        async with asyncio.timeout(5.0):
            async for line in self._lines:
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    return kind, json.loads(line.removeprefix("data: "))
        raise EOFError

    async def until(self, kind: str) -> list[tuple[str, dict[str, object]]]:
        """All events up to one of a kind, without it."""
        seen: list[tuple[str, dict[str, object]]] = []
        while (event := await self.next())[0] != kind:
            seen.append(event)
        return seen

    async def first(self, kind: str) -> dict[str, object]:
        """The next event of a kind."""
        while (event := await self.next())[0] != kind:
            pass
        return event[1]
