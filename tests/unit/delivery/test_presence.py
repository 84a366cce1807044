"""What a person sees while a turn runs never disturbs the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from gateway.abc.adapter import Features
from gateway.abc.clock import SystemClock
from gateway.delivery import UNKNOWN, Presence
from gateway.errors import RateLimited, StoreError, Uncertain, Unreachable
from gateway.messages import Place
from tests.unit.delivery.scene import HERE, Touchy

ALIVE = Features(typing=True, preview="message", preview_interval=0.0)


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pauses a tenth and less of what they are."""
    for name, value in {"_QUIET": 0.02, "_STEP": 0.01, "_TYPING_EVERY": 0.03, "_CALL": 0.15}.items():
        monkeypatch.setattr(f"gateway.delivery.presence.{name}", value)


class _Stage(Touchy):
    """Remembers typing and previews; the next of `breaks` is raised, `None` for none."""

    def __init__(self, *breaks: Exception | None, features: Features = ALIVE, slow: float = 0.0) -> None:
        super().__init__(features=features)
        self.typed = 0
        self.previews: list[tuple[str, str]] = []
        self.typing_break: Exception | None = None
        self.began = asyncio.Event()
        self._breaks = list(breaks)
        self._slow = slow

    async def typing(self, place: Place) -> None:
        """Count."""
        del place
        self.typed += 1
        if self.typing_break is not None:
            raise self.typing_break

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show it, slowly or not at all."""
        del place, turn
        self.began.set()
        self.previews.append((text, handle))
        fault = self._breaks.pop(0) if self._breaks else None
        if fault is not None:
            raise fault
        await asyncio.sleep(self._slow)
        return handle or "p1"


class _Show:
    """A presence, the text it shows, and what it saved."""

    def __init__(self, stage: _Stage, *, handle: str = "", fault: Exception | None = None) -> None:
        self.text = ""
        self.saved: list[str] = []
        self._fault = fault
        self.clear = True
        self.presence = Presence(
            stage,
            HERE,
            turn="t1",
            text=lambda: self.text,
            save=self._save,
            clear=self._clear,
            clock=SystemClock(),
            handle=handle,
        )
        self.presence.start()

    async def _save(self, handle: str) -> None:
        if self._fault is not None:
            raise self._fault
        self.saved.append(handle)

    async def _clear(self) -> bool:
        return self.clear


async def _until(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(2):
        while not check():
            await asyncio.sleep(0.002)


async def test_text_grows_only_once_everything_before_it_stands() -> None:
    stage = _Stage()
    show = _Show(stage)
    show.clear = False
    show.text = "one"
    await _until(lambda: stage.typed > 1)
    assert (stage.previews, show.saved) == ([], [])

    show.clear = True
    await _until(lambda: bool(stage.previews))

    assert await show.presence.stop() == "p1"


async def test_preview_that_may_stand_is_not_forgotten_while_the_turn_goes_on() -> None:
    """What a process that dies now leaves must say that a message may stand there."""
    stage = _Stage(Uncertain("?"))
    show = _Show(stage)
    show.text = "one"

    await _until(lambda: len(show.saved) >= 2)

    assert show.saved == [UNKNOWN, UNKNOWN]
    await show.presence.stop()


async def test_fast_turn_shows_nothing() -> None:
    stage = _Stage()
    show = _Show(stage)
    show.text = "quick"

    handle = await show.presence.stop()
    await asyncio.sleep(0.05)

    assert (handle, stage.typed, stage.previews, show.saved) == ("", 0, [], [])


async def test_typing_is_repeated_until_the_end() -> None:
    stage = _Stage()
    show = _Show(stage)

    await _until(lambda: stage.typed >= 3)
    await show.presence.stop()
    typed = stage.typed
    await asyncio.sleep(0.05)

    assert stage.typed == typed


async def test_platform_without_typing_or_previews_is_left_alone() -> None:
    stage = _Stage(features=Features())
    show = _Show(stage)
    show.text = "text"

    await asyncio.sleep(0.06)
    await show.presence.stop()

    assert (stage.typed, stage.previews) == (0, [])


async def test_preview_grows_in_one_message_whose_intent_is_saved_before_its_id() -> None:
    stage = _Stage()
    show = _Show(stage)
    show.text = "one"
    await _until(lambda: len(stage.previews) == 1)
    show.text = "one two"
    await _until(lambda: len(stage.previews) == 2)

    handle = await show.presence.stop()

    assert stage.previews == [("one", ""), ("one two", "p1")]
    assert show.saved[:2] == [UNKNOWN, "p1"]
    assert handle == "p1"


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_preview_waits_for_something_to_see(text: str) -> None:
    stage = _Stage()
    show = _Show(stage)
    show.text = text

    await asyncio.sleep(0.06)
    await show.presence.stop()

    assert stage.previews == []


async def test_previews_keep_the_interval_of_the_platform() -> None:
    stage = _Stage(features=Features(preview="message", preview_interval=0.1))
    show = _Show(stage)
    loop = asyncio.get_running_loop()
    until = loop.time() + 0.25
    while loop.time() < until:
        show.text += "x"
        await asyncio.sleep(0.005)

    await show.presence.stop()

    assert 2 <= len(stage.previews) <= 3


async def test_preview_of_an_earlier_attempt_is_edited() -> None:
    stage = _Stage()
    show = _Show(stage, handle="p0")
    show.text = "again"

    await _until(lambda: bool(stage.previews))

    assert await show.presence.stop() == "p0"
    assert stage.previews == [("again", "p0")]
    assert UNKNOWN not in show.saved


async def test_stop_waits_for_the_preview_in_flight_so_that_its_message_is_known() -> None:
    """Else the answer would be posted beside a preview that nobody can remove."""
    stage = _Stage(slow=0.05)
    show = _Show(stage)
    show.text = "one"
    await stage.began.wait()

    assert await show.presence.stop() == "p1"


async def test_stop_gives_up_on_a_preview_that_hangs_and_says_that_its_message_is_unknown() -> None:
    stage = _Stage(slow=30.0)
    show = _Show(stage)
    show.text = "one"
    await stage.began.wait()

    assert await show.presence.stop() == UNKNOWN


async def test_stop_does_not_wait_for_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.delivery.presence._STEP", 0.5)
    stage = _Stage()
    show = _Show(stage)
    await _until(lambda: stage.typed > 0)
    loop = asyncio.get_running_loop()
    began = loop.time()

    await show.presence.stop()

    assert loop.time() - began < 0.25


async def test_rate_limit_pauses_the_previews() -> None:
    stage = _Stage(RateLimited("slowly", retry_after=0.15))
    show = _Show(stage)
    show.text = "one"
    await _until(lambda: len(stage.previews) == 1)
    loop = asyncio.get_running_loop()
    began = loop.time()

    await _until(lambda: len(stage.previews) == 2)
    handle = await show.presence.stop()

    assert loop.time() - began >= 0.13
    assert handle == "p1"


async def test_preview_that_was_refused_left_no_message() -> None:
    stage = _Stage(Unreachable("no"))
    show = _Show(stage)
    show.text = "one"
    await _until(lambda: len(stage.previews) == 1)

    assert await show.presence.stop() == ""


async def test_preview_of_which_nobody_knows_whether_it_was_posted_is_told_so() -> None:
    stage = _Stage(Uncertain("?"))
    show = _Show(stage)
    show.text = "one"
    await _until(lambda: len(stage.previews) == 1)

    assert await show.presence.stop() == UNKNOWN


@pytest.mark.parametrize("fault", [ValueError("odd"), KeyError("odd"), RuntimeError("odd")])
async def test_adapter_that_breaks_oddly_stops_neither_typing_nor_the_turn(fault: Exception) -> None:
    stage = _Stage(fault)
    stage.typing_break = fault
    show = _Show(stage)
    show.text = "one"

    await _until(lambda: stage.typed >= 3)
    await show.presence.stop()

    assert stage.previews


async def test_nothing_is_posted_while_its_intent_cannot_be_saved() -> None:
    stage = _Stage()
    show = _Show(stage, fault=StoreError("disk full"))
    show.text = "one"

    await _until(lambda: stage.typed >= 2)

    assert await show.presence.stop() == ""
    assert stage.previews == []
