"""The web chat sits the exam every adapter sits, and keeps some promises of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

import httpx
import pytest

from gateway.abc.adapter import Adapter
from gateway.errors import DeliveryError, Unreachable
from gateway.http import Server
from gateway.messages import Action, Answer, Inbound, Note, Person, Place
from gateway.testing.adapters import AdapterContract, AdapterHarness
from gateway_adapters.local.adapter import create
from gateway_adapters.local.options import Options
from tests.integration.local.scene import Context
from tests.integration.webchat import Line, Visitor

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


class _WebChat:
    limit = 0
    secrets = ()
    faults = ()

    def __init__(self, adapter: Adapter, visitor: Visitor) -> None:
        self.adapter = adapter
        self.place = Place(visitor.chat)
        self._visitor = visitor

    async def say(self, text: str) -> None:
        await self._visitor.say(text)

    async def repeat(self) -> None:
        await self._visitor.repeat()

    async def garble(self) -> None:
        async with httpx.AsyncClient() as client:
            address = f"{self._visitor.address}/chat/b/message"
            for body in (b"{", b"[]", b'{"id": 1}', b"\xff"):
                await client.post(address, content=body, headers={"content-type": "application/json"})

    async def echo_own(self) -> None:
        """A page only posts what its person does."""

    async def seen(self) -> list[str]:
        await asyncio.sleep(0.3)  # the page hears of it by its event stream
        return [_shown(answer) for answer in self._visitor.answers]

    def provoke(self, fault: type[DeliveryError]) -> None:
        raise AssertionError(f"a web chat has no {fault}")


def _shown(answer: Line) -> str:
    note: dict[str, str] = answer.get("note") or {}
    labels: list[str] = [action["label"] for action in answer.get("actions", ())]
    lines = [str(answer["text"]), note.get("text", ""), note.get("reference", ""), *labels]
    return "\n".join(line for line in lines if line)


class TestLocalAdapter(AdapterContract):
    @contextlib.asynccontextmanager
    async def harness(self) -> AsyncGenerator[AdapterHarness]:
        adapter = create(Options(), bot="b")
        async with Server("127.0.0.1", 0, adapter.routes()) as server:
            async with Visitor(server.address, "/chat/b") as visitor:
                yield _WebChat(adapter, visitor)
            await adapter.close()
