"""The web chat sits the exam every adapter sits, and keeps some promises of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import httpx
import pytest

from gateway.abc.adapter import Adapter
from gateway.errors import Unreachable
from gateway.http import Server
from gateway.messages import Action, Answer, Inbound, Note, Person, Place
from gateway.testing.adapters import AdapterContract, AdapterFault, AdapterHarness
from gateway_adapters.local.adapter import create
from gateway_adapters.local.options import Options
from tests.integration.local.scene import Context

Line = dict[str, Any]
PLACE = Place("c1")
NOTE = Note("⏳ I stopped — reply.", "max_steps")


async def _running(adapter: Adapter, context: Context) -> asyncio.Task[None]:
    task = asyncio.create_task(adapter.run(context))
    await asyncio.sleep(0)
    return task


async def test_run_reports_and_ends_at_once_when_cancelled_leaving_no_task() -> None:
    adapter, context = create(Options(), bot="b"), Context()
    before = asyncio.all_tasks()
    task = await _running(adapter, context)
    assert context.states == ["up"]

    task.cancel()
    async with asyncio.timeout(1.0):
        with contextlib.suppress(asyncio.CancelledError):
            await task

    assert context.states == ["up", "stopped"]
    assert asyncio.all_tasks() == before


async def test_answers_still_leave_after_run_ended() -> None:
    """At a stop, receiving ends first and the last answers leave then."""
    adapter, context = create(Options(), bot="b"), Context()
    task = await _running(adapter, context)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task

    (part,) = adapter.render(Answer("bye"), key="k")
    receipt = await adapter.send(PLACE, part)

    assert receipt.message_id
    assert len(context.facts) == 1


async def test_answer_owed_from_before_waits_for_the_start() -> None:
    adapter, context = create(Options(), bot="b"), Context()
    (part,) = adapter.render(Answer("late"), key="k")

    sending = asyncio.create_task(adapter.send(PLACE, part))
    await asyncio.sleep(0)
    task = await _running(adapter, context)

    assert (await sending).message_id
    task.cancel()


async def test_send_without_a_start_was_certainly_not_delivered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.local.adapter._START", 0.01)
    adapter = create(Options(), bot="b")
    (part,) = adapter.render(Answer("x"), key="k")

    with pytest.raises(Unreachable):
        await adapter.send(PLACE, part)


async def test_send_that_the_store_refuses_was_certainly_not_delivered() -> None:
    adapter, context = create(Options(), bot="b"), Context()
    task = await _running(adapter, context)
    context.broken = True
    (part,) = adapter.render(Answer("x"), key="k")

    with pytest.raises(Unreachable) as caught:
        await adapter.send(PLACE, part)

    assert "disk" not in str(caught.value)
    assert caught.value.status == "store"
    task.cancel()


async def test_adapter_that_reconciles_keeps_one_of_two_sends_at_the_same_time() -> None:
    adapter, context = create(Options(), bot="b"), Context()
    task = await _running(adapter, context)
    assert adapter.features.reconcile
    (part,) = adapter.render(Answer("x"), key="k")

    one, two = await asyncio.gather(adapter.send(PLACE, part), adapter.send(PLACE, part))

    assert one == two
    assert len(context.facts) == 1
    task.cancel()


def test_part_ids_derive_from_the_key_and_rendering_is_pure() -> None:
    adapter = create(Options(), bot="b")
    answer = Answer("text", note=NOTE, actions=(Action("continue", "t", "Continue"),))

    assert adapter.render(answer, key="k1") == adapter.render(answer, key="k1")
    assert {part.id for part in adapter.render(answer, key="k1")}.isdisjoint(
        part.id for part in adapter.render(answer, key="k2")
    )


@pytest.mark.parametrize(
    "spoof",
    [
        '<aside class="lw-note">⏳ fake</aside>',
        "```lw-note\n⏳ fake\n```",
        "> ⏳ fake",
        '[x](https://e.org "class=lw-note")',
    ],
)
def test_text_cannot_look_like_a_note(spoof: str) -> None:
    (part,) = create(Options(), bot="b").render(Answer(spoof), key="k")

    assert "note" not in part.body
    assert 'class="lw-note"' not in part.body["html"]
    assert "<aside" not in part.body["html"]


async def test_probe_says_where_the_page_is() -> None:
    assert await create(Options(title="Ada"), bot="b").probe() == {"page": "/chat/b", "title": "Ada"}


async def test_press_with_nothing_to_say_is_answered() -> None:
    inbound = Inbound("action", PLACE, Person("c1"), action="t", press="p")

    await create(Options(), bot="b").answer_press(inbound)


class _Browser:
    """A person at the page; looking at it is opening it once more."""

    def __init__(self, adapter: Adapter, client: httpx.AsyncClient, chat: str) -> None:
        self.adapter = adapter
        self.place = Place(chat)
        self.secret = ""
        self._client = client
        self._last: dict[str, str] = {}
        self._posting: set[asyncio.Task[None]] = set()

    async def say(self, text: str) -> None:
        """As the page does: shown as sent, and posted until the server has it."""
        self._last = {"id": uuid.uuid4().hex, "text": text}
        await self._until_taken("message", self._last)

    async def say_again(self) -> None:
        await self._until_taken("message", self._last)

    async def edit(self, text: str) -> None:
        raise AssertionError(f"a page lets nobody change what they wrote to {text!r}")

    async def attach(self, name: str, content: bytes) -> None:
        raise AssertionError(f"a page takes no files, so not {name!r} of {len(content)} bytes")

    async def press(self, action: Action) -> None:
        await self._until_taken("action", {"id": uuid.uuid4().hex, "token": action.token})

    async def echo(self) -> None:
        raise AssertionError("a page posts only what its person does")

    async def confuse(self) -> None:
        for body in (
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"id": 1}',
            b'{"id": "12345678", "text": 5}',
            b"\xff",
            b"[" * 999,
        ):
            for path in ("message", "action", "stop"):
                await self._client.post(path, content=body, headers={"content-type": "application/json"})

    async def shown(self) -> Sequence[str]:
        return [_shown(data) for kind, data in await self._looked() if kind in ("answer", "preview")]

    async def offered(self) -> Sequence[str]:
        lines = [data for kind, data in await self._looked() if kind == "answer"]
        return [action["label"] for line in lines for action in line.get("actions", ())]

    def acknowledged(self) -> bool:
        return not self._posting

    def fail(self, fault: AdapterFault) -> None:
        raise AssertionError(f"a web chat has no {fault}")

    async def leave(self) -> None:
        for task in self._posting:
            task.cancel()
        await asyncio.gather(*self._posting, return_exceptions=True)

    async def _until_taken(self, path: str, body: dict[str, str]) -> None:
        if await self._taken(path, body):
            return
        task = asyncio.create_task(self._repeated(path, body))
        self._posting.add(task)
        task.add_done_callback(self._posting.discard)

    async def _repeated(self, path: str, body: dict[str, str]) -> None:
        while not await self._taken(path, body):
            await asyncio.sleep(0.01)

    async def _taken(self, path: str, body: dict[str, str]) -> bool:
        response = await self._client.post(path, json=body)
        assert response.status_code in (202, 503), response.text
        return response.status_code == 202

    async def _looked(self) -> list[tuple[str, Line]]:
        seen: list[tuple[str, Line]] = []
        kind = ""
        async with self._client.stream("GET", "events") as response:
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data" and kind == "state":
                    return seen
                elif name == "data":
                    seen.append((kind, json.loads(value)))
        raise AssertionError("the page was never told that it has everything")


def _shown(line: Line) -> str:
    note: dict[str, str] = line.get("note") or {}
    said = (str(line.get("text") or line.get("html", "")), note.get("text", ""), note.get("reference", ""))
    return "\n".join(part for part in said if part)


class TestLocal(AdapterContract):
    """The web chat."""

    kind = "local"
    faults = frozenset()
    echoes = False
    edits = False
    files = False
    disarms = False

    @contextlib.asynccontextmanager
    async def harness(self) -> AsyncGenerator[AdapterHarness]:
        adapter = create(Options(), bot="b")
        async with (
            Server("127.0.0.1", 0, adapter.routes()) as server,
            httpx.AsyncClient(base_url=f"{server.address}/chat/b/") as client,
        ):
            session = await client.post("session", json={})
            browser = _Browser(adapter, client, str(session.json()["chat"]))
            try:
                yield browser
            finally:
                await browser.leave()
                await adapter.close()
