"""Letters of a lane in order, lanes apart, and an end for each."""

from __future__ import annotations

import pytest

from gateway.errors import DeadTarget, LeaseLost, StoreError, Unreachable
from gateway.messages import Answer
from tests.unit.delivery.scene import Post, Touchy, text_and_note


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
    post = Post(Touchy(DeadTarget("gone")))
    await post.owe(Answer("first"), name="t1")
    await post.owe(Answer("second"), name="t2")

    await post.deliver_all()

    assert post.adapter.shown == ["second"]


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
