"""An answer in two pieces reads as one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway_agents.builtin.seam import joined, tail_of


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("One two three", "One two three four", "One two three four"),
        (
            "The first steps of the imple",
            "of the implementation are",
            "The first steps of the implementation are",
        ),
        ("One two", "three", "One two three"),
        ("One two ", "three", "One two three"),
        ("One two", " three", "One two three"),
        ("One two.", "Three", "One two. Three"),
        ("One two", ", three", "One two, three"),
        ("One two three", "... two three four", "One two three four"),
        ("One two three", '"one two three four', 'One two three "one two three four'),
        ("波は静か", "です", "波は静かです"),
        ("```python\na = 1\nb", "```python\n = 2\n```", "```python\na = 1\nb = 2\n```"),
        ("```python\na = 1\n", "a = 1\nb = 2\n```", "```python\na = 1\nb = 2\n```"),
        ("Done.", "", "Done."),
    ],
)
def test_pieces_join_without_a_seam(first: str, second: str, whole: str) -> None:
    assert joined(first, second) == whole


def test_piece_that_repeats_a_letter_by_chance_is_kept_whole() -> None:
    assert joined("It was a", "apple") == "It was a apple"


@given(st.text(max_size=400), st.text(max_size=400))
def test_joining_only_adds(first: str, second: str) -> None:
    assert joined(first, second).startswith(first)


@given(st.text(min_size=20, max_size=400), st.integers(min_value=8, max_value=200), st.text(max_size=50))
def test_what_the_model_took_up_again_stands_once(first: str, length: int, more: str) -> None:
    tail = tail_of(first)[-length:]
    bare = tail.lstrip(" \t\n\"'“”„«»….")
    whole = joined(first, tail + more)
    assert whole.startswith(first)
    if len(bare) >= 8 and bare == tail:
        assert len(whole) <= len(first) + len(more)
