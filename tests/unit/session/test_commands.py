"""What people ask of the gateway itself, whatever their conversation is busy with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.abc.store import Claim, Commit
from gateway.access import Door, Verdict
from gateway.messages import Inbound, Person, Place
from gateway.notes import NoteSettings
from gateway.session import Deadlines, Lanes
from gateway.stores.working import Worker
from tests.unit.session.scene import ADA, BOB, Answering, Scene, reply

DONE = reply("done")


def _message(text: str, *, chat: str = "1", by: Person = ADA) -> Inbound:
    return Inbound("message", Place(chat), by, text)


def _command(name: str, *, by: Person = ADA, chat: str = "1") -> Inbound:
    return Inbound("command", Place(chat), by, command=name)


async def _hang(request: TurnRequest, context: TurnContext) -> TurnResult:
    if request.text != "hang":
        return TurnResult(f"re: {request.text}")
    await context.emit("half")
    await asyncio.Event().wait()
    raise AssertionError


@asynccontextmanager
async def _working(scene: Scene, *, limit: int = 8) -> AsyncGenerator[None]:
    """The pools of a gateway: `limit` conversations at once, and controls beside them."""
    handle = scene.manager.handle
    lanes = Worker(scene.store, Lanes(scene.store, "w", bots=lambda: ["bot"], handle=handle), limit=limit)
    controls = Worker(scene.store, Lanes(scene.store, "w", bots=lambda: ["bot!"], handle=handle), limit=4)
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(lanes.run()), tasks.create_task(controls.run())]
        yield
        for task in running:
            task.cancel()


async def _until(check: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(5):
        while not await check():
            await asyncio.sleep(0.005)


async def _notes(scene: Scene, count: int) -> list[tuple[str, str]]:
    """Text and note of the next `count` answers."""
    found: list[tuple[str, str]] = []

    async def enough() -> bool:
        mails = await scene.mail()
        found.extend((mail.answer.text, mail.answer.note.text if mail.answer.note else "") for mail in mails)
        return len(found) >= count

    await _until(enough)
    return found


async def _under_way(scene: Scene, count: int = 1) -> None:
    async def so() -> bool:
        return len(scene.running) == count and all(scene.running.at(f"bot/{n + 1}") for n in range(count))

    await _until(so)


async def test_stop_ends_the_turn_and_its_note_is_the_answer() -> None:
    scene = Scene(Answering(_hang))
    async with _working(scene):
        await scene.put(_message("hang"))
        await _under_way(scene)
        await asyncio.sleep(0.01)

        await scene.put(_command("stop"))

        ((text, note),) = await _notes(scene, 1)
    assert text == "half"
    assert note.startswith("🛑")


async def test_stop_with_nothing_running_says_so() -> None:
    scene = Scene(Answering([]))

    await scene.command("stop")

    answer = await scene.answer()
    assert answer.note is not None
    assert answer.note.text == scene.bot.notebook.line("nothing_to_stop", "en")


async def test_stop_of_somebody_else_is_refused_unless_an_admin_says_it() -> None:
    scene = Scene(Answering(_hang), admins=("root",))
    async with _working(scene):
        await scene.put(_message("hang"))
        await _under_way(scene)

        await scene.put(_command("stop", by=BOB))
        ((_, refusal),) = await _notes(scene, 1)
        await scene.put(_command("stop", by=Person("root")))
        ((_, stopped),) = await _notes(scene, 1)

    assert refusal == scene.bot.notebook.line("not_your_button", "en")
    assert stopped.startswith("🛑")


async def test_stop_is_too_late_while_the_ending_is_being_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer that is ready goes out, and nobody is told that it was stopped."""
    scene = Scene(Answering([DONE]))
    await scene.put(_message("hello"))
    claim = await scene.claim()
    real = scene.store.commit

    async def slow(claim: Claim, commit: Commit) -> None:
        monkeypatch.setattr(scene.store, "commit", real)
        await scene.command("stop")
        await real(claim, commit)

    monkeypatch.setattr(scene.store, "commit", slow)

    await scene.manager.handle(claim)

    told = {mail.answer.text: mail.answer.note for mail in await scene.mail()}
    assert told["done"] is None
    assert told[""] is not None
    assert told[""].text == scene.bot.notebook.line("nothing_to_stop", "en")


@pytest.mark.parametrize("command", ["status", "help", "whoami", "start"])
async def test_control_is_answered_while_the_conversation_is_busy(command: str) -> None:
    scene = Scene(Answering(_hang))
    async with _working(scene):
        await scene.put(_message("hang"))
        await scene.put(_message("waits behind it"))
        await _under_way(scene)

        await scene.put(_command(command))

        ((_, note),) = await _notes(scene, 1)
        assert note
        assert len(scene.running) == 1


async def test_control_is_answered_while_the_pool_is_full() -> None:
    scene = Scene(Answering(_hang))
    async with _working(scene, limit=2):
        for chat in ("1", "2", "3", "4"):
            await scene.put(_message("hang", chat=chat))
        await _under_way(scene, 2)

        await scene.put(_command("status", chat="4"))
        await scene.put(_command("stop", chat="1"))

        said = await _notes(scene, 2)
    assert scene.bot.notebook.line("status.idle", "en") in {note for _, note in said}
    assert "half" in {text for text, _ in said}


async def test_lane_goes_on_behind_an_agent_that_ignores_its_cancellation() -> None:
    async def deaf(request: TurnRequest, _: TurnContext) -> TurnResult:
        if request.text != "deaf":
            return TurnResult("next")
        until = asyncio.get_running_loop().time() + 0.5
        while (left := until - asyncio.get_running_loop().time()) > 0:
            try:
                await asyncio.sleep(left)
            except asyncio.CancelledError:
                continue
        return TurnResult("too late")

    scene = Scene(Answering(deaf), deadlines=Deadlines(whole=0.03, idle=10, grace=0.03))
    async with _working(scene):
        await scene.put(_message("deaf"))
        await scene.put(_message("hello"))

        first, second = await _notes(scene, 2)
        left = scene.nursery.abandoned
        await scene.nursery.close()

    assert first[0] == ""
    assert first[1].startswith("⏳")
    assert second == ("next", "")
    assert left == 1


async def test_lane_goes_on_behind_a_message_that_breaks_its_handler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def decide(_: Door, inbound: Inbound) -> Verdict:
        if inbound.text == "poison":
            raise RuntimeError("poison")
        return Verdict(allowed=True, rule="dm:open")

    monkeypatch.setattr(Door, "decide", decide)
    monkeypatch.setattr("gateway.stores.working._BACKOFF", 0.01)
    scene = Scene(Answering(_hang))
    async with _working(scene):
        await scene.put(_message("poison"))
        await scene.put(_message("hello"))
        await scene.put(_message("other", chat="2"))

        said = await _notes(scene, 3)

    assert [text for text, _ in said] == ["re: other", "", "re: hello"]


async def test_language_that_was_chosen_stays_and_wins() -> None:
    scene = Scene(Answering([reply("", "network_error"), reply("", "network_error")]))
    french = Person("ada", "Ada", language="fr")
    await scene.say("hello", by=french)
    before = await scene.answer()

    await scene.command("language", "deutsch", by=french)
    confirmation = await scene.answer()
    scene.connect(scene.store)  # as after a restart
    await scene.say("hello", by=french)
    after = await scene.answer()

    assert before.note is not None
    assert before.note.language == "fr"
    assert confirmation.note is not None
    assert "Deutsch" in confirmation.note.text
    assert after.note is not None
    assert after.note.language == "de"


async def test_language_nobody_speaks_is_answered_with_those_that_are() -> None:
    scene = Scene(Answering([]))

    await scene.command("language", "klingon")

    answer = await scene.answer()
    assert answer.note is not None
    assert "English" in answer.note.text


async def test_language_of_one_person_changes_nobody_elses() -> None:
    scene = Scene(Answering([reply("", "network_error")]))
    await scene.command("language", "de", by=ADA)
    await scene.mail()

    await scene.say("hello", by=BOB)

    answer = await scene.answer()
    assert answer.note is not None
    assert answer.note.language == "en"


async def test_command_is_answered_though_notes_are_off() -> None:
    scene = Scene(Answering([]), notes=NoteSettings(surface=False, never_silent=False))

    await scene.command("status")

    assert (await scene.answer()).note is not None


async def test_command_that_is_not_ours_goes_to_the_agent() -> None:
    scene = Scene(Answering([DONE]))

    await scene.command("weather", "tomorrow")

    assert scene.agent.requests[0].text == "tomorrow"
