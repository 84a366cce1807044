"""What one page is shown, where another process may keep a line late whose place is before others."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from gateway.testing.context import FakeAdapterContext
from gateway_adapters.local.chats import Chat, Chats
from gateway_adapters.local.stream import events

_CHAT, _DAY = "c0ffee", 86_400.0


async def _late(context: FakeAdapterContext, chat: Chat, before: int) -> None:
    """Another process keeps a line whose place it chose before this one's."""
    line = {"n": before - 5, "kind": "answer", "id": "late", "at": 1.0, "body": {"text": "late"}}
    await context.keep(f"chat/{_CHAT}/{before - 5:016d}", json.dumps(line).encode())
    await chat.transcript.refresh()
    chat.notify()


async def _ids(context: FakeAdapterContext, chats: Chats, chat: Chat, *, after: int) -> list[str]:
    """The lines that a page gets as it connects."""
    found: list[str] = []
    async with aclosing(_told(context, chats, chat, after=after)) as told:
        async for kind, data in told:
            if kind == "state":
                break
            found.append(str(data["id"]))
    return found


async def _told(
    context: FakeAdapterContext, chats: Chats, chat: Chat, *, after: int
) -> AsyncGenerator[tuple[str, dict[str, object]]]:
    stream = events(chat, chats, context.clock, chat_id=_CHAT, after=after)
    async for event in stream:
        fields = dict(line.split(": ", 1) for line in event.decode().splitlines() if ": " in line[1:])
        if "event" in fields:
            yield fields["event"], json.loads(fields["data"])


async def test_open_page_is_shown_a_line_that_was_kept_late() -> None:
    context, chats = FakeAdapterContext(shared=True), Chats(ttl=_DAY)
    async with chats.use(context, _CHAT) as chat:
        line = await chat.transcript.append("answer", "first", {"text": "first"})
        async with aclosing(_told(context, chats, chat, after=0)) as told:
            shown = [await anext(told), await anext(told)]
            await _late(context, chat, line.n)
            _, data = await anext(told)

    assert [kind for kind, _ in shown] == ["answer", "state"]
    assert data["id"] == "late"


@pytest.mark.parametrize(("shared", "expected"), [(True, ["late", "first"]), (False, [])])
async def test_page_that_comes_back_is_shown_what_was_kept_late(shared: bool, expected: list[str]) -> None:
    """A page knows lines by their ids, so one that it is shown again stands there once."""
    context, chats = FakeAdapterContext(shared=shared), Chats(ttl=_DAY)
    async with chats.use(context, _CHAT) as chat:
        line = await chat.transcript.append("answer", "first", {"text": "first"})
        if shared:
            await _late(context, chat, line.n)

        assert await _ids(context, chats, chat, after=line.n) == expected
