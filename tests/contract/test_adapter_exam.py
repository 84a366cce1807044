"""The exam for adapters fails those that break a promise: Telegram's, spoilt in one way each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from gateway.errors import AdapterError, StoreError, Uncertain
from gateway.messages import Answer, Attachment, Event, Part, Place, Receipt
from gateway.testing.adapters import AdapterContract, AdapterHarness
from gateway.testing.context import FakeAdapterContext
from tests.contract import test_telegram_adapter as telegram
from tests.emulators.telegram import TOKEN

_FAILED = (AssertionError, pytest.fail.Exception)
_left: list[asyncio.Task[Any]] = []
_Spoil = Callable[[Any, pytest.MonkeyPatch], None]


def _render(change: Callable[[Answer], Answer]) -> _Spoil:
    """Render something else than what was said."""

    def spoil(adapter: Any, patch: pytest.MonkeyPatch) -> None:
        real = adapter.render

        def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
            parts: tuple[Part, ...] = real(change(answer), key=key)
            return parts

        patch.setattr(adapter, "render", render)

    return spoil


def _fresh_ids(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    real, numbers = adapter.render, count()

    def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
        return tuple(replace(part, id=str(next(numbers))) for part in real(answer, key=key))

    patch.setattr(adapter, "render", render)


def _send(handle: Callable[[AdapterError], Receipt]) -> _Spoil:
    """Make something else of a fault."""

    def spoil(adapter: Any, patch: pytest.MonkeyPatch) -> None:
        real = adapter.send

        async def send(place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
            try:
                receipt: Receipt = await real(place, part, replaces=replaces, plain=plain)
            except AdapterError as exc:
                return handle(exc)
            return receipt

        patch.setattr(adapter, "send", send)

    return spoil


def _swallowed(_: AdapterError) -> Receipt:
    return Receipt("1", 1.0)


def _blurred(_: AdapterError) -> Receipt:
    raise Uncertain("something went wrong")


def _chained(exc: AdapterError) -> Receipt:
    raise type(exc)(str(exc), **vars(exc)) from ValueError(f"POST /bot{TOKEN}/sendMessage")


def _preview_that_stays(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    async def preview(place: Place, text: str, *, turn: str, handle: str = "") -> str:
        await adapter.send(place, Part(turn, {"text": text}))
        return handle

    patch.setattr(adapter, "preview", preview)


def _typing_by_message(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    async def typing(place: Place) -> None:
        await adapter.send(place, Part("t", {"text": "…"}))

    patch.setattr(adapter, "typing", typing)


def _run(around: Callable[[Any, FakeAdapterContext], Awaitable[None]]) -> _Spoil:
    """Receive in another way."""

    def spoil(adapter: Any, patch: pytest.MonkeyPatch) -> None:
        real = adapter.run

        async def run(context: FakeAdapterContext) -> None:
            await around(real, context)

        patch.setattr(adapter, "run", run)

    return spoil


async def _without_heeding_the_store(run: Any, context: FakeAdapterContext) -> None:
    real = context.accept

    async def accept(events: Sequence[Event]) -> tuple[bool, ...]:
        try:
            return await real(events)
        except StoreError:
            return (True,) * len(events)

    await run(_Other(context, accept))


async def _with_keys_of_the_moment(run: Any, context: FakeAdapterContext) -> None:
    numbers = count()

    async def accept(events: Sequence[Event]) -> tuple[bool, ...]:
        return await context.accept([replace(event, dedupe=(str(next(numbers)),)) for event in events])

    await run(_Other(context, accept))


async def _leaving_a_task(run: Any, context: FakeAdapterContext) -> None:
    _left.append(asyncio.create_task(asyncio.Event().wait()))
    await run(context)


async def _slow_to_end(run: Any, context: FakeAdapterContext) -> None:
    try:
        await run(context)
    finally:
        await asyncio.sleep(1.2)


class _Other:
    """A context that accepts in another way."""

    def __init__(self, context: FakeAdapterContext, accept: Any) -> None:
        self._context = context
        self.accept = accept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


async def _nothing() -> dict[str, str]:
    return {}


def _silent_probe(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adapter, "probe", _nothing)


def _buttons_that_stay(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    async def disarm(place: Place, message_id: str) -> None:
        del place, message_id

    patch.setattr(adapter, "disarm", disarm)


def _files_of_any_size(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    real = adapter.fetch

    async def fetch(attachment: Attachment, *, limit: int) -> bytes:
        content: bytes = await real(attachment, limit=limit * 10)
        return content

    patch.setattr(adapter, "fetch", fetch)


def _files_cut_short(adapter: Any, patch: pytest.MonkeyPatch) -> None:
    real = adapter.fetch

    async def fetch(attachment: Attachment, *, limit: int) -> bytes:
        content: bytes = await real(attachment, limit=limit)
        return content[:-1]

    patch.setattr(adapter, "fetch", fetch)


async def _with_edits_as_messages(run: Any, context: FakeAdapterContext) -> None:
    async def accept(events: Sequence[Event]) -> tuple[bool, ...]:
        return await context.accept([_unedited(event) for event in events])

    await run(_Other(context, accept))


def _unedited(event: Event) -> Event:
    if event.inbound is None:
        return event
    return replace(event, inbound=replace(event.inbound, kind="message"))


_SPOILT: dict[str, tuple[_Spoil, str, tuple[Any, ...]]] = {
    "ids of the moment": (_fresh_ids, "test_render_is_pure_and_its_ids_are_unique", ()),
    "no note": (_render(lambda a: replace(a, note=None)), "test_note_is_visible_and_last", ()),
    "note first": (_render(lambda a: replace(a, note=None, lead="⏳")), "test_note_is_visible_and_last", ()),
    "text as a note": (_render(lambda _: Answer("all the same")), "test_text_cannot_pose_as_a_note", ()),
    "end cut off": (
        _render(lambda a: replace(a, text=a.text[:4096])),
        "test_text_over_the_limit_is_split_and_nothing_lost",
        (),
    ),
    "fault swallowed": (_send(_swallowed), "test_fault_becomes_our_error", ("dead_target",)),
    "fault blurred": (_send(_blurred), "test_fault_becomes_our_error", ("rate_limit",)),
    "preview left": (_preview_that_stays, "test_preview_becomes_the_answer", ()),
    "preview kept": (_preview_that_stays, "test_preview_that_is_retracted_is_gone", ()),
    "typing by message": (_typing_by_message, "test_typing_leaves_nothing_behind", ()),
    "keys of the moment": (_run(_with_keys_of_the_moment), "test_repeated_event_keeps_its_keys", ()),
    "task left": (_run(_leaving_a_task), "test_run_ends_within_a_second_when_it_is_cancelled", ()),
    "slow to end": (_run(_slow_to_end), "test_run_ends_within_a_second_when_it_is_cancelled", ()),
    "edit as a message": (
        _run(_with_edits_as_messages),
        "test_edit_is_told_as_one_of_the_same_message",
        (),
    ),
    "buttons left": (
        _buttons_that_stay,
        "test_buttons_that_are_taken_off_are_gone_and_the_words_stay",
        (),
    ),
    "files of any size": (
        _files_of_any_size,
        "test_file_is_fetched_whole_and_no_more_than_is_taken",
        (),
    ),
    "files cut short": (_files_cut_short, "test_file_is_fetched_whole_and_no_more_than_is_taken", ()),
    "silent probe": (_silent_probe, "test_probe_tells_something", ()),
}


class _Exam(telegram.TestTelegram):
    """Telegram's exam, with the adapter spoilt."""

    def __init__(self, spoil: _Spoil, patch: pytest.MonkeyPatch) -> None:
        self._spoil = spoil
        self._patch = patch

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        return self._spoilt(super().harness())

    @asynccontextmanager
    async def _spoilt(
        self, harness: AbstractAsyncContextManager[AdapterHarness]
    ) -> AsyncGenerator[AdapterHarness]:
        async with harness as platform:
            self._spoil(platform.adapter, self._patch)
            yield platform


@pytest.mark.parametrize("name", _SPOILT)
async def test_broken_promise_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeAdapterContext.until, "__kwdefaults__", {"seconds": 0.5})
    spoil, test, arguments = _SPOILT[name]

    with pytest.raises(_FAILED):
        await getattr(_Exam(spoil, monkeypatch), test)(*arguments)
    while _left:
        _left.pop().cancel()


async def test_store_that_is_not_heeded_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once by the acknowledgement, or soon by the message that never comes."""
    monkeypatch.setattr(FakeAdapterContext.until, "__kwdefaults__", {"seconds": 0.5})
    exam = _Exam(_run(_without_heeding_the_store), monkeypatch)

    with pytest.raises((AssertionError, TimeoutError)):
        await exam.test_message_is_acknowledged_only_when_it_is_kept()


async def test_token_behind_an_error_is_found(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    exam: AdapterContract = _Exam(_send(_chained), monkeypatch)

    with pytest.raises(AssertionError):
        await exam.test_secret_stands_in_no_error_and_no_log("dead_target", caplog)
