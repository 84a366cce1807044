"""What is taken into a turn is never lost by it: crashes, files, strangers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.access import Door
from gateway.errors import StoreError
from gateway.messages import Attachment, Inbound, Place
from gateway.session.bots import MidTurn, Reset
from gateway.session.record import Attempt, open_record, row
from gateway.settings import AccessSettings
from gateway.testing.clock import ManualClock
from tests.unit.session.scene import ADA, BOB, Answering, Scene, reply

_GROUP = Place("-1", private=False)


def _said(text: str, number: int, **more: object) -> Inbound:
    inbound = Inbound("message", Place("1"), ADA, text, message_id=f"m{number}")
    return replace(inbound, **more)  # type: ignore[arg-type]  # fields by name


def _scene(agent: Answering, mode: MidTurn, *, on_restart: str = "explain") -> Scene:
    scene = Scene(agent, on_restart=on_restart)
    _mode(scene, mode)
    return scene


def _mode(scene: Scene, mode: MidTurn) -> None:
    scene.bot = replace(scene.bot, mid_turn=mode, debounce=0.0)


@pytest.mark.parametrize("mode", ["collect", "interrupt"])
async def test_waiting_message_is_not_taken_into_a_turn_that_a_crash_ended(mode: MidTurn) -> None:
    scene = _scene(Answering([]), mode)
    await scene.put(_said("pay", 1))
    claim = await scene.claim()
    record = open_record(claim, _said("pay", 1), bot="bot")
    record.asked, record.actions = "pay", ["pay"]
    record.attempts = [Attempt(number=1, at=scene.clock.time())]
    await scene.store.record(claim, row(record))
    await scene.store.retry(claim, delay=0.0)
    await scene.put(_said("and now?", 2))

    await scene.manager.handle(await scene.claim())

    assert [b"and now?" in one.body for one in await scene.store.waiting(claim.lane)] == [True]


async def test_message_with_a_file_is_not_taken_into_a_running_turn() -> None:
    taken: list[str] = []
    photo = Attachment("f1", "image", name="cat.jpg", mime="image/jpeg", size=10)

    async def steered(_: TurnRequest, context: TurnContext) -> TurnResult:
        await scene.put(_said("words", 2))
        await scene.put(_said("look", 3, attachments=(photo,)))
        await scene.put(_said("after", 4))
        await scene.put(_said("", 5, unreadable="voice"))
        taken.extend(await context.newer())
        return reply("done")

    scene = _scene(Answering(steered), "steer")
    await scene.say("begin")

    assert taken == ["words"]
    assert len(await scene.store.waiting("bot/1")) == 3


async def test_edit_of_a_message_that_is_taken_in_is_read() -> None:
    taken: list[str] = []

    async def steered(_: TurnRequest, context: TurnContext) -> TurnResult:
        await scene.put(_said("wrods", 2))
        await scene.put(replace(_said("words", 2), kind="edit"))
        taken.extend(await context.newer())
        return reply("done")

    scene = _scene(Answering(steered), "steer")
    await scene.say("begin")

    assert taken == ["words"]
    assert await scene.store.waiting("bot/1") == ()


async def test_turn_that_runs_again_is_asked_what_was_taken_in_before_the_crash() -> None:
    first: list[str] = []

    async def steered(request: TurnRequest, context: TurnContext) -> TurnResult:
        if not first:
            first.append(request.text)
            await scene.put(_said("and this", 2))
            await context.newer()
            await context.before_action("pay")
            raise KeyError("dies here")
        return reply(f"heard {request.text}")

    scene = _scene(Answering(steered), "steer", on_restart="rerun")
    await scene.put(_said("begin", 1))
    claim = await scene.claim()

    original = scene.store.commit
    scene.store.commit = _broken  # type: ignore[assignment,method-assign]  # the process dies before the end is kept
    with pytest.raises(StoreError):
        await scene.manager.handle(claim)
    scene.store.commit = original  # type: ignore[method-assign]
    await scene.store.retry(claim, delay=0.0)
    await scene.manager.handle(await scene.claim())

    assert (await scene.answer()).text == "heard begin\nand this"


async def _broken(*_: object) -> None:
    raise StoreError("no disk")


@pytest.mark.parametrize("mode", ["collect", "interrupt", "steer"])
async def test_stranger_of_a_group_is_not_let_in_by_being_answered_together(mode: MidTurn) -> None:
    heard: list[str] = []

    async def listens(request: TurnRequest, context: TurnContext) -> TurnResult:
        heard.append(request.text)
        heard.extend(await context.newer())
        return reply("done")

    scene = _scene(Answering(listens), mode)
    rules = AccessSettings.model_validate({"dm": "allowlist", "allow": ["ada"], "groups": "all"})
    scene.bot = replace(scene.bot, door=Door(rules, scene.store, scene.clock, "bot"), groups="all")
    mine = Inbound("message", _GROUP, ADA, "mine", message_id="1", addressed=True)
    await scene.put(mine)
    await scene.put(replace(mine, sender=BOB, text="evil", message_id="2"))
    await scene.put(replace(mine, text="more", message_id="3"))

    await scene.manager.handle(await scene.claim())

    assert "evil" not in "".join(heard)
    assert "more" in "".join(heard)


async def test_whoever_goes_on_with_an_answer_means_its_conversation() -> None:
    clock = ManualClock()
    agent = Answering([reply("One two", "length_truncated"), reply("three.")])
    scene = Scene(agent, clock=clock)
    scene.bot = replace(scene.bot, reset=Reset(idle=60.0))
    await scene.say("count")
    token = scene.token(await scene.answer(), "continue")

    clock.advance(120.0)
    await scene.press(token)

    assert [line.text for line in agent.requests[1].history] == ["count", "One two"]
