"""Parts in order, each once as far as the platform allows, whatever it answers."""

from __future__ import annotations

import pytest

from gateway.abc.adapter import Features
from gateway.errors import (
    AdapterError,
    DeadTarget,
    Moved,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway.messages import Answer
from tests.unit.delivery.scene import Post, Sent, Touchy, text_and_note

ALL = ["one", "two", "the note"]


async def test_parts_go_in_order_and_the_note_last() -> None:
    post = Post(Touchy())
    await post.owe(text_and_note())

    await post.deliver()

    assert post.adapter.shown == ALL
    assert post.last[0] == "delivered"


@pytest.mark.parametrize(
    "fault", [Unreachable("no"), RateLimited("slowly", retry_after=3.0), Unauthorised("who?")]
)
async def test_posting_goes_on_at_the_part_that_was_not_sent(fault: AdapterError) -> None:
    post = Post(Touchy(None, fault))
    await post.owe(text_and_note())

    await post.deliver_all()

    assert post.adapter.shown == ALL
    assert not post.last[1].duplicate
    assert post.postponements == 1


@pytest.mark.parametrize("fault", [Uncertain("?"), TimeoutError(), ValueError("odd"), KeyError("odd")])
async def test_unknown_result_is_sent_again_and_marked_a_possible_duplicate(fault: Exception) -> None:
    post = Post(Touchy(fault))
    await post.owe(text_and_note())

    await post.deliver_all()

    assert post.adapter.shown == ALL
    assert post.last[1].duplicate


async def test_first_part_that_is_sent_again_says_that_it_may_be_seen_twice() -> None:
    post = Post(Touchy(Uncertain("?")))
    post.twice_line = "maybe twice"
    await post.owe(text_and_note())

    await post.deliver_all()

    assert post.adapter.shown == ["maybe twice\none", "two", "the note"]


@pytest.mark.parametrize("faults", [(None, Uncertain("?")), (None, Uncertain("?"), Rejected("no line"))])
async def test_later_part_that_is_sent_again_has_the_line_before_it(
    faults: tuple[AdapterError | None, ...],
) -> None:
    """Parts are never cut anew, so the line is a message of its own; that it is refused holds nothing up."""
    post = Post(Touchy(*faults))
    post.twice_line = "maybe twice"
    await post.owe(text_and_note())

    await post.deliver_all()

    line = [] if len(faults) > 2 else ["maybe twice"]
    assert post.adapter.shown == ["one", *line, "two", "the note"]
    assert post.last[0] == "delivered"


async def test_first_part_that_says_it_is_late_has_the_other_line_before_it() -> None:
    post = Post(Touchy(Uncertain("?")))
    post.late_line, post.twice_line = "late", "maybe twice"
    await post.owe(text_and_note("one", ""))

    await post.deliver_all()

    assert post.adapter.shown == ["maybe twice", "late\none"]


async def test_edit_made_twice_shows_nothing_twice_and_says_nothing() -> None:
    post = Post(Touchy(Uncertain("?")))
    post.twice_line = "maybe twice"
    await post.owe(text_and_note("one", ""), preview="p1")

    await post.deliver_all()

    assert post.adapter.shown == ["one"]


async def test_part_whose_result_stays_unknown_is_given_up_and_the_rest_goes() -> None:
    """A chat that may have it already is not filled with copies."""
    post = Post(Touchy(*(Uncertain("?") for _ in range(3))))
    await post.owe(text_and_note())

    await post.deliver_all()

    assert post.adapter.shown == ALL[1:]
    assert [sent.text for sent in post.adapter.sends[:4]] == [ALL[0]] * 3 + [ALL[1]]
    assert (post.last[1].duplicate, post.last[1].skipped) == (True, 1)


async def test_unknown_result_is_remembered_over_a_rate_limit() -> None:
    post = Post(Touchy(Uncertain("?"), RateLimited("slow", retry_after=5.0)))
    await post.owe(text_and_note())

    await post.deliver_all()

    assert post.adapter.shown == ALL
    assert post.last[1].duplicate


async def test_unknown_result_is_no_duplicate_where_the_platform_reconciles() -> None:
    post = Post(Touchy(Uncertain("?"), features=Features(reconcile=True)))
    await post.owe(text_and_note())

    await post.deliver_all()

    assert not post.last[1].duplicate


async def test_process_that_dies_while_it_sends_leaves_a_possible_duplicate() -> None:
    post = Post(Touchy(KeyboardInterrupt()))
    await post.owe(text_and_note())
    claim = await post.claim()
    assert claim is not None
    with pytest.raises(KeyboardInterrupt):
        await post.sender.do(claim)

    post.clock.advance(61)
    await post.deliver_all()

    assert post.adapter.shown == ALL
    assert post.last[1].duplicate


@pytest.mark.parametrize("refusal", [RateLimited("slow", retry_after=5.0), Unreachable("no")])
async def test_send_that_a_process_died_in_is_remembered_over_a_certain_refusal(refusal: Exception) -> None:
    post = Post(Touchy(KeyboardInterrupt(), refusal))
    await post.owe(text_and_note())
    claim = await post.claim()
    assert claim is not None
    with pytest.raises(KeyboardInterrupt):
        await post.sender.do(claim)

    post.clock.advance(61)
    await post.deliver_all()

    assert post.adapter.shown == ALL
    assert post.last[1].duplicate


async def test_process_that_dies_between_parts_repeats_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second part is marked in the same write that holds the first one's receipt."""
    post = Post(Touchy())
    await post.owe(text_and_note())
    real = post.store.advance
    marks = 0

    async def dying(*args: object) -> None:
        nonlocal marks
        marks += 1
        await real(*args)  # type: ignore[arg-type]  # passed through
        if marks == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(post.store, "advance", dying)
    claim = await post.claim()
    assert claim is not None
    with pytest.raises(KeyboardInterrupt):
        await post.sender.do(claim)

    post.clock.advance(61)
    await post.deliver_all()

    assert post.adapter.shown == ALL


async def test_refused_part_goes_plain_once() -> None:
    post = Post(Touchy(Rejected("bad markup")))
    await post.owe(text_and_note("one", ""))

    await post.deliver()

    assert post.adapter.sends == [Sent("1", "one"), Sent("1", "one", plain=True)]
    assert post.last[0] == "delivered"
    assert post.last[1].skipped == 0


async def test_part_that_is_refused_plain_too_is_skipped_and_the_note_still_goes() -> None:
    post = Post(Touchy(Rejected("no"), Rejected("no", status="400"), None, None))
    await post.owe(text_and_note())

    await post.deliver()

    state, result = post.last
    assert post.adapter.shown == ["two", "the note"]
    assert (state, result.skipped, result.status) == ("delivered", 1, "400")


async def test_answer_of_which_nothing_was_taken_is_not_called_delivered() -> None:
    post = Post(Touchy(*[Rejected("no", status="400")] * 6))
    await post.owe(text_and_note())

    await post.deliver()

    state, result = post.last
    assert post.adapter.shown == []
    assert (state, result.skipped, result.status) == ("undeliverable", 3, "400")


async def test_plain_retry_that_cannot_be_sent_now_is_tried_again() -> None:
    post = Post(Touchy(Rejected("no"), RateLimited("slowly", retry_after=1.0)))
    await post.owe(text_and_note("one", ""))

    await post.deliver_all()

    assert post.adapter.shown == ["one"]
    assert post.last[0] == "delivered"


async def test_moved_chat_is_followed_and_the_rest_goes_there() -> None:
    post = Post(Touchy(Moved("moved", chat="-100")))
    await post.owe(text_and_note())

    await post.deliver()

    assert [sent.chat for sent in post.adapter.sends] == ["1", "-100", "-100", "-100"]
    assert post.adapter.shown == ALL


async def test_chat_that_moves_in_circles_does_not_spin() -> None:
    post = Post(Touchy(Moved("a", chat="2"), Moved("b", chat="1")))
    await post.owe(text_and_note("one", ""))

    await post.deliver()

    assert len(post.adapter.sends) == 2
    assert post.postponements == 1


async def test_nobody_to_tell_ends_the_letter() -> None:
    post = Post(Touchy(None, DeadTarget("blocked", status="403")))
    await post.owe(text_and_note())

    await post.deliver()

    state, result = post.last
    assert (state, result.status) == ("undeliverable", "403")
    assert not await post.deliver()


async def test_rate_limit_waits_as_long_as_it_says() -> None:
    post = Post(Touchy(RateLimited("slowly", retry_after=30.0)))
    await post.owe(text_and_note())
    await post.deliver()

    post.clock.advance(29.5)
    early = await post.deliver()
    post.clock.advance(1.0)
    due = await post.deliver()

    assert (early, due) == (False, True)
    assert post.adapter.shown == ALL


async def test_first_part_replaces_the_preview_and_no_other() -> None:
    post = Post(Touchy())
    await post.owe(text_and_note(), preview="p7")

    await post.deliver()

    assert [sent.replaces for sent in post.adapter.sends] == ["p7", "", ""]


async def test_preview_whose_id_was_lost_marks_a_possible_duplicate() -> None:
    post = Post(Touchy())
    await post.owe(text_and_note(), orphan=True)

    await post.deliver()

    assert post.last[1].duplicate


async def test_markup_that_breaks_the_renderer_goes_as_plain_text() -> None:
    post = Post(Touchy())
    post.adapter.render_faults = [IndexError("renderer")]
    await post.owe(text_and_note())

    await post.deliver()

    assert post.adapter.shown == ALL


async def test_markup_that_renders_to_nothing_goes_as_plain_text() -> None:
    post = Post(Touchy())
    post.adapter.mute = True
    await post.owe(Answer("[](x)"))

    await post.deliver()

    assert post.adapter.shown == ["[](x)"]


async def test_renderer_that_always_breaks_does_not_hold_the_letters_behind() -> None:
    post = Post(Touchy())
    post.adapter.render_faults = [IndexError("renderer"), IndexError("renderer")]
    await post.owe(text_and_note(), name="t1", preview="p1")
    await post.owe(text_and_note(), name="t2")

    await post.deliver()
    await post.deliver()

    assert [(turn, state) for turn, state, _ in post.ends] == [("t1", "undeliverable"), ("t2", "delivered")]
    assert post.adapter.retracted == ["p1"]
