"""Letters of a lane in order, lanes apart, and an end for each."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gateway.abc.store import PartRow
from gateway.delivery import Mail, fold, forget_gone
from gateway.errors import DeadTarget, LeaseLost, RateLimited, Rejected, StoreError, Unreachable
from gateway.messages import Answer, Place
from tests.unit.delivery.scene import HERE, Post, Touchy, encoded, text_and_note


async def test_letters_of_a_lane_wait_for_the_first_and_other_lanes_do_not() -> None:
    post = Post(Touchy(Unreachable("no")))
    await post.owe(Answer("first"), lane="bot/1", name="t1")
    await post.owe(Answer("second"), lane="bot/1", name="t2")
    await post.owe(Answer("elsewhere"), lane="bot/2", name="t3")

    await post.deliver()
    before = list(post.adapter.shown)
    await post.deliver_all()

    assert before == ["elsewhere"]
    assert post.adapter.shown == ["elsewhere", "first", "second"]


async def test_letter_behind_one_that_cannot_be_delivered_goes() -> None:
    post = Post(Touchy(Rejected("no"), Rejected("no")))
    await post.owe(Answer("first"), name="t1")
    await post.owe(Answer("second"), name="t2")

    await post.deliver_all()

    assert post.adapter.shown == ["second"]


async def test_place_where_nobody_is_any_more_is_asked_once() -> None:
    """Neither the letters behind nor those of a process after this one are tried there; other places are."""
    post = Post(Touchy(DeadTarget("gone", status="403")))
    for name in ("t1", "t2", "t3"):
        await post.owe(Answer(name), name=name)
    await post.owe(Answer("elsewhere"), name="t4", lane="bot/2", place=Place("2"))

    await post.deliver_all()
    post.restart()
    await post.owe(Answer("t5"), name="t5")
    await post.deliver_all()

    assert [sent.text for sent in post.adapter.sends] == ["t1", "elsewhere"]
    states = {turn: (state, result.status, result.gone) for turn, state, result in post.ends}
    before = ("undeliverable", "gone before", True)
    assert states == {
        "t1": ("undeliverable", "403", True),
        "t2": before,
        "t3": before,
        "t4": ("delivered", "", False),
        "t5": before,
    }


async def test_whoever_is_heard_after_their_place_died_is_answered_and_so_is_all_else_then() -> None:
    post = Post(Touchy(DeadTarget("gone")))
    await post.owe(Answer("lost"), name="t1")
    await post.deliver_all()
    post.clock.advance(60)
    await post.owe(Answer("unasked"), name="t2")
    await post.owe(Answer("answer"), name="t3", heard=post.clock.time())
    await post.owe(Answer("unasked again"), name="t4")

    await post.deliver_all()

    assert post.adapter.shown == ["answer", "unasked again"]
    assert await post.store.scan("gone/") == ()


async def test_place_that_another_gateway_found_dead_is_known_within_a_minute() -> None:
    post = Post(Touchy())
    await post.owe(Answer("first"), name="t1")
    await post.deliver_all()
    await post.store.set("gone/bot/1:", repr(post.clock.time()).encode())
    post.clock.advance(61)
    await post.owe(Answer("second"), name="t2")

    await post.deliver_all()

    assert post.adapter.shown == ["first"]


async def test_dead_place_is_tried_again_once_that_is_forgotten() -> None:
    post = Post(Touchy(DeadTarget("gone")))
    await post.owe(Answer("lost"), name="t1")
    await post.deliver_all()

    await forget_gone(post.store, "bot", HERE)
    await forget_gone(post.store, "bot", HERE)
    await post.owe(Answer("unasked"), name="t2")
    await post.deliver_all()

    assert post.adapter.shown == ["unasked"]


async def test_wait_that_is_longer_than_the_time_left_ends_with_it() -> None:
    post = Post(Touchy(RateLimited("slow", retry_after=7200.0)), ttl=600.0)
    await post.owe(text_and_note())
    await post.deliver()

    post.clock.advance(601)
    await post.deliver()

    assert len(post.adapter.sends) == 1
    assert post.last[0] == "expired"


async def test_letter_of_a_later_version_is_kept_and_not_guessed_at() -> None:
    post = Post(Touchy())
    later = fold(replace(Mail(HERE, Answer("hello")), version=2))
    await post.owe(later, name="t1")

    await post.deliver_all()

    assert post.adapter.sends == []
    assert [(one.body, state) for one, state in await post.store.dead()] == [(later, "dropped")]


@pytest.mark.parametrize("part", [PartRow("pending", b"not ours"), PartRow("lent", b"{}")])  # type: ignore[arg-type]  # of a later version
async def test_part_that_cannot_be_read_ends_its_letter_and_no_other(part: PartRow) -> None:
    post = Post(Touchy())
    await post.owe(text_and_note(), name="t1")
    await post.owe(Answer("next"), name="t2")
    claim = await post.claim()
    assert claim is not None
    await post.store.plan(claim, (encoded("one"), part, encoded("three")))
    await post.store.retry_letter(claim, delay=0)

    await post.deliver_all()

    assert post.adapter.shown == ["one", "next"]
    assert [(turn, state) for turn, state, _ in post.ends] == [("t1", "dropped"), ("t2", "delivered")]
    dead = await post.store.dead_letter("t1")
    assert dead is not None
    assert [row.state for row in dead.parts] == ["sent", part.state, "pending"]


async def test_revived_letter_sends_what_was_not_sent_and_is_no_duplicate() -> None:
    post = Post(Touchy(None, DeadTarget("gone")))
    await post.owe(text_and_note())
    await post.deliver()

    await forget_gone(post.store, "bot", HERE)
    assert await post.store.revive("t1", post.clock.time())
    await post.deliver_all()

    assert post.adapter.shown == ["one", "two", "the note"]
    assert [sent.text for sent in post.adapter.sends] == ["one", "two", "two", "the note"]
    assert not post.last[1].duplicate


async def test_letter_that_waited_too_long_expires_unsent() -> None:
    post = Post(Touchy(), ttl=60.0)
    await post.owe(text_and_note())

    post.clock.advance(61)
    await post.deliver()

    assert post.adapter.sends == []
    assert post.last[0] == "expired"
    assert [state for _, state in await post.store.dead()] == ["expired"]


async def test_letter_that_is_tried_in_vain_expires_in_the_end() -> None:
    post = Post(Touchy(*[Unreachable("no")] * 100), ttl=600.0)
    await post.owe(text_and_note())

    await post.deliver_all()

    assert post.last[0] == "expired"
    assert 3 < len(post.adapter.sends) < 20


async def test_letter_that_cannot_be_read_is_dropped() -> None:
    post = Post(Touchy())
    await post.owe(b"not ours", name="t1")
    await post.owe(Answer("next"), name="t2")

    await post.deliver_all()

    assert post.ends[0][:2] == ("t1", "dropped")
    assert post.adapter.shown == ["next"]


async def test_letter_of_a_bot_that_is_gone_waits_for_it() -> None:
    post = Post(Touchy())
    await post.owe(Answer("hello"))
    claim = await post.claim()
    assert claim is not None
    post.known = False

    await post.sender.do(claim)
    post.known = True
    await post.deliver_all()

    assert post.adapter.shown == ["hello"]


async def test_sender_whose_lease_ended_sends_nothing_more() -> None:
    post = Post(Touchy())
    await post.owe(text_and_note())
    old = await post.claim()
    assert old is not None
    post.clock.advance(61)
    current = await post.claim()
    assert current is not None

    with pytest.raises(LeaseLost):
        await post.sender.do(old)
    await post.sender.do(current)

    assert post.adapter.shown == ["one", "two", "the note"]


async def test_store_that_fails_at_the_end_costs_at_most_one_repeated_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    post = Post(Touchy())
    await post.owe(text_and_note())
    claim = await post.claim()
    assert claim is not None

    async def full(*_: object, **__: object) -> None:
        raise StoreError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(post.store, "settle", full)
        with pytest.raises(StoreError):
            await post.sender.do(claim)
    await post.sender.give_back(claim, 0.0)
    await post.deliver_all()

    assert post.adapter.shown == ["one", "two", "the note", "the note"]
    assert post.last[1].duplicate


async def test_backoff_grows_and_is_bounded() -> None:
    post = Post(Touchy(*[Unreachable("no")] * 12))
    await post.owe(Answer("hello"))
    waits: list[float] = []
    for _ in range(12):
        await post.deliver()
        began = post.clock.time()
        while not (claim := await post.claim()):
            post.clock.advance(0.25)
        await post.sender.give_back(claim, 0.0)
        waits.append(post.clock.time() - began)

    assert waits[0] <= 1.5
    assert 40 <= waits[-1] <= 76
    assert waits[4] > waits[0]
