"""Two processes of one web chat, their word to each other through one store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from gateway.testing.context import FakeAdapterContext
from gateway_adapters.local.chats import Chats
from gateway_adapters.local.relay import Relay
from gateway_adapters.local.transcript import Transcript

DAY = 86_400.0
CHAT = "c0ffee"


class _Side:
    """One process's chats and its word."""

    def __init__(self, context: FakeAdapterContext) -> None:
        self.context = context
        self.chats = Chats(ttl=DAY)
        self.relay = Relay(context, self.chats)

    async def look(self, seconds: float = 0.05) -> None:
        """Listen for a moment; the clock hurries."""
        task = asyncio.create_task(self.relay.listen())
        await asyncio.sleep(seconds)
        task.cancel()
        await asyncio.wait({task})


@asynccontextmanager
async def _sides(*, shared: bool = True) -> AsyncGenerator[tuple[_Side, _Side]]:
    context = FakeAdapterContext(shared=shared)
    yield _Side(context), _Side(context)


async def test_preview_is_shown_by_the_other_and_goes_with_its_end() -> None:
    async with (
        _sides() as (owner, other),
        owner.chats.use(owner.context, CHAT) as theirs,
        other.chats.use(other.context, CHAT) as ours,
    ):
        ours.listeners = 1
        theirs.grow("t1", "<p>one</p>", owner.context.clock.monotonic())
        await owner.relay.tell(CHAT, theirs)
        await other.look()
        shown = {turn: preview.html for turn, preview in ours.previews.items()}
        theirs.finish("t1")
        await owner.relay.tell(CHAT, theirs)
        await other.look()

        assert shown == {"t1": "<p>one</p>"}
        assert ours.previews == {}


async def test_word_on_a_button_is_shown_once() -> None:
    async with (
        _sides() as (owner, other),
        owner.chats.use(owner.context, CHAT) as theirs,
        other.chats.use(other.context, CHAT) as ours,
    ):
        ours.listeners = 1
        theirs.notice("not your button")
        await owner.relay.tell(CHAT, theirs)
        await other.look()
        await owner.relay.tell(CHAT, theirs)
        await other.look()

        assert ours.notices == {1: "not your button"}


async def test_line_of_the_other_is_read() -> None:
    async with (
        _sides() as (owner, other),
        owner.chats.use(owner.context, CHAT) as theirs,
        other.chats.use(other.context, CHAT) as ours,
    ):
        ours.listeners = 1
        await ours.transcript.load()
        await theirs.transcript.append("answer", "a1", {"text": "hello"})
        await owner.relay.tell(CHAT, theirs)
        await other.look()

        assert [line.id for line in ours.transcript.since(0)] == ["a1"]


async def test_nothing_is_told_where_no_other_process_may_be() -> None:
    async with _sides(shared=False) as (owner, _), owner.chats.use(owner.context, CHAT) as theirs:
        theirs.type(owner.context.clock.monotonic())
        await owner.relay.tell(CHAT, theirs)

        assert owner.context.facts == {}


async def test_line_comes_after_those_of_a_process_whose_clock_is_ahead() -> None:
    context = FakeAdapterContext(shared=True)
    one, other = (Transcript(context, CHAT, ttl=DAY) for _ in range(2))
    first = await one.append("message", "m1", {"text": "hi"})
    ahead = await one.append("message", "m2", {"text": "hi"})
    answer = await other.append("answer", "a1", {"text": "hello"})

    assert first.n < ahead.n < answer.n


async def test_question_stands_before_an_answer_that_is_written_while_it_is_kept() -> None:
    """The owner may answer between the commit of a message and the line of it."""
    context = FakeAdapterContext(shared=True)
    one, owner = (Transcript(context, CHAT, ttl=DAY) for _ in range(2))

    async def answered() -> None:
        await asyncio.sleep(0.005)
        await owner.append("answer", "a1", {"text": "hello"})

    question = await one.append("message", "m1", {"text": "hi"}, first=answered)
    await one.refresh()

    assert [line.id for line in one.since(0)] == ["m1", "a1"]
    assert question.id == "m1"
