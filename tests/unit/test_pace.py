"""Never more than so many in so long, and never a needless wait."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gateway.pace import Chats, Window

SECONDS = 10.0


@given(st.integers(1, 5), st.lists(st.floats(0, 4), max_size=40))
def test_window_holds_in_every_stretch_and_waits_no_longer_than_needed(
    limit: int, pauses: list[float]
) -> None:
    window, now, went = Window(limit, SECONDS), 0.0, list[float]()
    for pause in pauses:
        now += pause
        at = window.free_at(now)
        recent = [one for one in went if one > at - SECONDS + 1e-6]
        assert len(recent) < limit
        if at > now:
            assert len([one for one in went if one > at - SECONDS - 1e-6]) >= limit
        window.take(at)
        went.append(at)
        now = at


def test_window_leaves_the_rest_of_a_share_free() -> None:
    window = Window(10, SECONDS)
    for _ in range(6):
        assert window.has_room(0.0, 0.6)
        window.take(0.0)

    assert not window.has_room(0.0, 0.6)
    assert window.has_room(0.0, 1.0)
    assert window.has_room(SECONDS + 0.1, 0.6)


def test_window_without_a_limit_counts_nothing() -> None:
    window = Window(0, SECONDS)
    for _ in range(100):
        window.take(0.0)

    assert window.free_at(0.0) == 0.0
    assert window.has_room(0.0, 0.1)
    assert window.is_idle(0.0)


def test_window_that_is_bound_anew_counts_what_went() -> None:
    window = Window(10, SECONDS)
    for _ in range(4):
        window.take(0.0)
    window.bound(3, SECONDS)

    assert window.free_at(1.0) == SECONDS


def test_chats_that_are_busy_or_held_back_are_remembered() -> None:
    chats = Chats(2, lambda _: Window(1, SECONDS))
    chats.get("held", 0.0).hold(0.0, 100.0, "final")
    chats.get("busy", 0.0).meter.take(0.0)
    for number in range(5):
        chats.get(str(number), 1.0)
    assert len(chats) == 7
    assert chats.get("held", 50.0).until == {"final": 100.0}

    chats.get("new", 200.0)

    assert len(chats) == 2
