"""The durable lines of one chat."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import StoreError
from gateway_adapters.local import transcript as transcripts
from gateway_adapters.local.chats import Chats
from gateway_adapters.local.transcript import Transcript
from tests.integration.local.scene import Context


def _open(context: Context) -> Transcript:
    return Transcript(context, "c1", ttl=60.0)


def _shown(transcript: Transcript) -> list[str]:
    return [line.id for line in transcript.since(0)]


async def test_lines_come_back_in_order() -> None:
    context = Context()
    first = _open(context)
    for name in ("a", "b", "c"):
        await first.append("answer", name, {"text": name})

    second = _open(context)
    await second.load()

    assert _shown(second) == ["a", "b", "c"]
    assert second.since(0) == first.since(0)


async def test_line_with_a_known_id_is_the_first_again() -> None:
    context = Context()
    line = await _open(context).append("answer", "a", {"text": "1"})

    again = await _open(context).append("answer", "a", {"text": "2"})

    assert again == line
    assert len(context.facts) == 1


async def test_kinds_have_ids_of_their_own() -> None:
    transcript = _open(Context())

    await transcript.append("message", "a", {})
    await transcript.append("pressed", "a", {})

    assert len(transcript.since(0)) == 2


async def test_place_grows_though_the_clock_goes_back() -> None:
    context = Context()
    await context.keep(
        "chat/c1/9000000000000000",
        b'{"n":9000000000000000,"kind":"answer","id":"future","at":1.0,"body":{}}',
    )
    transcript = _open(context)

    line = await transcript.append("answer", "now", {})

    assert line.n == 9000000000000001
    assert _shown(transcript) == ["future", "now"]


async def test_chats_do_not_see_each_other() -> None:
    context = Context()
    await Transcript(context, "c10", ttl=60.0).append("answer", "other", {})
    transcript = _open(context)

    await transcript.load()

    assert _shown(transcript) == []


async def test_nothing_comes_between_what_is_done_first_and_its_line() -> None:
    """An answer that a message sets off stands after the message, however fast it is."""
    transcript = _open(Context())
    answering: list[asyncio.Task[object]] = []

    async def accept() -> None:
        answering.append(asyncio.create_task(transcript.append("answer", "reply", {})))
        await asyncio.sleep(0.01)

    await transcript.append("message", "question", {}, first=accept)
    await asyncio.gather(*answering)

    assert _shown(transcript) == ["question", "reply"]


async def test_line_is_not_there_when_the_store_refused_it() -> None:
    context = Context()
    transcript = _open(context)
    await transcript.load()
    context.broken = True

    with pytest.raises(StoreError):
        await transcript.append("answer", "a", {})

    assert _shown(transcript) == []


async def test_line_is_not_written_when_what_comes_first_fails() -> None:
    context = Context()
    transcript = _open(context)

    async def refuse() -> None:
        raise StoreError("no")

    with pytest.raises(StoreError):
        await transcript.append("message", "a", {}, first=refuse)

    assert context.facts == {}


async def test_write_that_was_repeated_after_an_unknown_result_shows_once() -> None:
    context = Context()
    for n in (5, 7):
        await context.keep(
            f"chat/c1/{n:016d}", b'{"n":%d,"kind":"answer","id":"twice","at":1.0,"body":{}}' % n
        )
    transcript = _open(context)

    await transcript.load()

    assert [line.n for line in transcript.since(0)] == [5]


async def test_line_of_a_newer_version_is_passed_over() -> None:
    context = Context()
    await context.keep("chat/c1/0000000000000001", b'{"n":1,"kind":"hologram","id":"x","at":1.0,"body":{}}')
    transcript = _open(context)

    await transcript.append("answer", "a", {})

    assert _shown(transcript) == ["a"]


async def test_refresh_finds_what_another_process_wrote() -> None:
    context = Context()
    here, there = _open(context), _open(context)
    await here.append("answer", "mine", {})
    await there.append("answer", "theirs", {})

    assert await here.refresh()
    assert not await here.refresh()
    assert _shown(here) == ["mine", "theirs"]


async def test_only_the_newest_lines_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "_SHOWN", 3)
    transcript = _open(Context())

    for name in "abcde":
        await transcript.append("answer", name, {})

    assert _shown(transcript) == ["c", "d", "e"]


async def test_chats_that_nobody_looks_at_leave_memory_and_come_back() -> None:
    context = Context()
    chats = Chats(ttl=60.0)
    async with chats.use(context, "kept") as held:
        for number in range(100):
            async with chats.use(context, f"visitor-{number}") as chat:
                await chat.transcript.append("answer", "a", {})
        async with chats.use(context, "kept") as same:
            assert same is held

    async with chats.use(context, "visitor-0") as chat:
        assert chat.transcript.since(0) == []
        await chat.transcript.load()
        assert _shown(chat.transcript) == ["a"]
