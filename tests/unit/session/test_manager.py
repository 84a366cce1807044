"""Every claimed entry ends, and ends once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import cast

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.abc.store import Claim, Store
from gateway.access import Verdict
from gateway.errors import LeaseLost, StoreError
from gateway.messages import Attachment, Inbound, Place
from gateway.notes import Decision, NoteSettings
from gateway.session.record import open_record, row
from tests.unit.session.scene import ADA, Answering, Scene, reply

DONE = reply("done")
HELLO = Inbound("message", Place("1"), ADA, "hello")


class _Breaking:
    """A store some of whose methods break for a while."""

    def __init__(self, store: Store, method: str, *problems: Exception) -> None:
        self._store = store
        self._method = method
        self._problems = list(problems)

    def __getattr__(self, name: str) -> object:
        real = cast("Callable[..., Awaitable[object]]", getattr(self._store, name))
        if name != self._method:
            return real

        async def broken(*args: object, **kwargs: object) -> object:
            if self._problems:
                raise self._problems.pop(0)
            return await real(*args, **kwargs)

        return broken


def _break(scene: Scene, method: str, *problems: Exception) -> None:
    scene.connect(cast("Store", _Breaking(scene.store, method, *problems)))


async def _attempts(scene: Scene, *, most: int = 20) -> int:
    """Claim and handle the one entry until it is over; how often that took."""
    for number in range(1, most + 1):
        claim = await scene.claim()
        try:
            await scene.manager.handle(claim)
        except Exception:  # noqa: BLE001  # as the worker does: back into its lane
            await scene.store.retry(claim, delay=0)
        if not (await scene.store.counts())["inbox"]:
            return number
    raise AssertionError("it never ends")


async def _died(scene: Scene, *, actions: tuple[str, ...] = (), partial: str = "", times: int = 1) -> None:
    """Claim the entry as processes do that die under way, their record half written."""
    for _ in range(times):
        claim = await scene.claim()
        record = open_record(claim, HELLO, bot="bot")
        record.actions, record.partial = list(actions), partial
        await scene.store.record(claim, row(record))
        await scene.store.retry(claim, delay=0)


async def test_commit_that_stumbles_is_tried_again_without_the_agent() -> None:
    """A finished answer is not thrown away, nor made twice, because the disk hiccuped."""
    agent = Answering([DONE, DONE])
    scene = Scene(agent)
    await scene.put(HELLO)
    _break(scene, "commit", StoreError("disk full"))

    attempts = await _attempts(scene)

    assert attempts == 1
    assert (await scene.answer()).text == "done"


async def test_lease_that_was_lost_writes_no_second_outcome() -> None:
    """Two processes hold the same entry; the one whose lease ran out writes nothing."""
    scene = Scene(Answering([reply("late"), reply("in time")]))
    await scene.put(HELLO)
    late = await scene.claim()
    await scene.store.retry(late, delay=0)
    current = await scene.claim()

    with pytest.raises(LeaseLost):
        await scene.manager.handle(late)
    await scene.manager.handle(current)

    assert (await scene.answer()).text == "in time"


async def test_entry_that_breaks_its_handler_every_time_ends_as_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(Answering([]))
    await scene.put(HELLO)

    async def broken(_: object, __: object) -> None:
        raise RuntimeError("api_key=sk-abcdefghijklmnop1234")

    monkeypatch.setattr("gateway.session.turns.TurnRunner.run", broken)
    monkeypatch.setattr("gateway.access.Door.decide", broken)

    assert await _attempts(scene) == 4
    answer = await scene.answer()
    assert answer.note is not None
    assert answer.note.reason == "error"
    (turn,) = await scene.store.turns()
    assert turn.code == "error@session.poison"
    assert b"sk-abcdef" not in turn.body


async def test_entry_nobody_can_even_be_told_about_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Giving up breaks as well: the lane goes on, and the counter that must stay 0 says so."""
    scene = Scene(Answering([DONE]))
    await scene.put(HELLO)

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr("gateway.access.Door.decide", broken)
    monkeypatch.setattr("gateway.session.closing.Closing.ended", broken)

    assert await _attempts(scene) == 4
    assert scene.silent() == 1


async def _damaged(scene: Scene, body: bytes, *, attempts: int = 1) -> None:
    """Handle an entry that holds something else."""
    await scene.put(HELLO)
    claim = await scene.claim()
    await scene.manager.handle(
        Claim(claim.entry, claim.bot, claim.lane, claim.token, attempts, body, claim.at)
    )


@pytest.mark.parametrize("body", [b"\xff{", b"3", b"{}", b'{"inbound": {"place": {}}}'])
async def test_entry_of_which_nothing_can_be_read_is_kept_whole_among_the_dead(body: bytes) -> None:
    scene = Scene(Answering([DONE]))

    await _damaged(scene, body)

    assert await scene.mail() == []
    assert (await scene.store.counts())["inbox"] == 0
    assert [(one.id, one.body, state) for one, state in await scene.store.dead()] == [
        ("in.1", body, "dropped")
    ]
    assert scene.silent() == 0


@pytest.mark.parametrize(
    "body",
    [
        b'{"inbound": {"kind": "dance", "place": {"chat": "7"}, "sender": 3, "text": 4}}',
        b'{"version": 9, "inbound": {"kind": "message", "place": {"chat": "7"}, "sender": {"id": "ada"}}}',
    ],
)
async def test_entry_whose_place_can_be_read_is_told_of_there_and_kept(body: bytes) -> None:
    """A kind that a later version knows, or a whole entry of one."""
    scene = Scene(Answering([DONE]))

    await _damaged(scene, body)

    (mail,) = await scene.mail()
    assert mail.place.chat == "7"
    assert mail.answer.note is not None
    assert mail.answer.note.reason == "error"
    assert [one.body for one, _ in await scene.store.dead()] == [body]
    assert scene.agent.requests == []


async def test_unreadable_entry_of_somebody_who_is_not_let_in_is_kept_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(Answering([DONE]))

    async def shut(_: object, __: object) -> Verdict:
        return Verdict(allowed=False, rule="dm:off")

    monkeypatch.setattr("gateway.access.Door.decide", shut)
    await _damaged(scene, b'{"version": 9, "inbound": {"place": {"chat": "7"}}}')

    assert await scene.mail() == []
    assert (await scene.store.counts())["dead"] == 1


async def test_unreadable_entry_that_breaks_whatever_tells_of_it_does_not_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(Answering([DONE]))

    async def broken(_: object, __: object) -> Verdict:
        raise RuntimeError("no")

    monkeypatch.setattr("gateway.access.Door.decide", broken)
    body = b'{"version": 9, "inbound": {"place": {"chat": "7"}}}'
    with pytest.raises(RuntimeError):
        await _damaged(scene, body)
    scene = Scene(Answering([DONE]))

    await _damaged(scene, body, attempts=5)

    assert await scene.mail() == []
    assert (await scene.store.counts())["dead"] == 1


async def test_record_that_cannot_be_read_does_not_hold_the_lane() -> None:
    scene = Scene(Answering([DONE]))
    await scene.put(HELLO)
    claim = await scene.claim()
    whole = row(open_record(claim, HELLO, bot="bot"))
    await scene.store.record(claim, replace(whole, body=b"not ours"))
    await scene.store.retry(claim, delay=0)

    await scene.manager.handle(await scene.claim())

    assert (await scene.answer()).text == "done"


async def test_turn_that_finished_without_a_word_to_read_is_told() -> None:
    scene = Scene(Answering([reply("\u200b \n")]))

    record = await scene.say("hello")

    answer = await scene.answer()
    assert answer.text == ""
    assert answer.note is not None
    assert answer.note.reason == "empty_response"
    assert record.completion["reason"] == "empty_response"


async def test_unknown_word_is_kept_and_told_generically() -> None:
    scene = Scene(Answering([reply("half", "Moon-Phase")]))

    record = await scene.say("hello")

    answer = await scene.answer()
    assert record.completion["reason"] == "Moon-Phase"
    assert answer.note is not None
    assert "Moon" not in answer.note.text


async def test_suppressed_turn_names_its_key_and_is_not_counted_as_silent() -> None:
    scene = Scene(
        Answering([reply("", "network_error")]), notes=NoteSettings(surface=False, never_silent=False)
    )

    record = await scene.say("hello")

    assert await scene.mail() == []
    assert (record.state, record.suppressed) == ("suppressed", "never_silent")
    assert scene.silent() == 0


async def test_end_with_nothing_sent_and_no_reason_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter counts: a policy that says `clean` where nothing was shown is a defect of ours."""

    def quiet(*_: object) -> Decision:
        return Decision(None, (), "clean")

    monkeypatch.setattr("gateway.session.closing.decide", quiet)
    scene = Scene(Answering([reply("", "network_error")]))

    record = await scene.say("hello")

    assert record.state == "suppressed"
    assert scene.silent() == 1


async def test_message_with_a_file_ends_before_the_agent() -> None:
    scene = Scene(Answering([DONE]))
    file = Attachment("f1", "voice")

    record = await scene.do(Inbound("message", Place("1"), ADA, "", attachments=(file,)))

    assert scene.agent.requests == []
    assert record.completion["reason"] == "input_unreadable"


class TestRestart:
    """What becomes of a turn that was under way when its process died."""

    async def test_turn_that_had_not_acted_runs_again(self) -> None:
        scene = Scene(Answering([DONE]))
        await scene.put(HELLO)
        await _died(scene, partial="hal")

        await scene.manager.handle(await scene.claim())

        assert (await scene.answer()).text == "done"

    async def test_turn_that_had_acted_is_told_and_not_repeated(self) -> None:
        scene = Scene(Answering([DONE]))
        await scene.put(HELLO)
        await _died(scene, actions=("pay",), partial="hal")

        claim = await scene.claim()
        await scene.manager.handle(claim)

        record = await scene.record(claim)
        answer = await scene.answer()
        assert scene.agent.requests == []
        assert record.completion["reason"] == "aborted"
        assert record.completion["actions_ran"] is True
        assert answer.text == "hal"
        assert answer.note is not None

    async def test_agent_that_does_not_report_actions_may_have_acted(self) -> None:
        scene = Scene(Answering([DONE], reports_actions=False))
        await scene.put(HELLO)
        await _died(scene)

        claim = await scene.claim()
        await scene.manager.handle(claim)

        assert scene.agent.requests == []
        assert (await scene.record(claim)).completion["reason"] == "aborted"

    async def test_operator_may_have_it_run_again_all_the_same(self) -> None:
        scene = Scene(Answering([DONE], reports_actions=False), on_restart="rerun")
        await scene.put(HELLO)
        await _died(scene, actions=("pay",))

        await scene.manager.handle(await scene.claim())

        assert (await scene.answer()).text == "done"

    async def test_message_that_kills_the_process_each_time_ends_as_an_error(self) -> None:
        scene = Scene(Answering([DONE]), on_restart="rerun")
        await scene.put(HELLO)
        await _died(scene, times=4)

        claim = await scene.claim()
        await scene.manager.handle(claim)

        assert claim.attempts == 5
        assert scene.agent.requests == []
        assert (await scene.record(claim)).completion["reason"] == "error"

    async def test_action_is_durable_before_the_tool_starts(self) -> None:
        seen: list[list[str]] = []

        async def acting(_: TurnRequest, context: TurnContext) -> TurnResult:
            await context.emit("sending")
            await context.before_action("send_mail")
            (turn,) = await scene.store.turns()
            seen.append([turn.state, turn.body.decode()])
            return TurnResult("sent")

        scene = Scene(Answering(acting))

        record = await scene.say("go")

        assert seen[0][0] == "running"
        assert "send_mail" in seen[0][1]
        assert "sending" in seen[0][1]
        assert record.completion["actions_ran"] is True
