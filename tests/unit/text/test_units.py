"""UTF-16 code units of texts and offsets."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text import utf16_length, utf16_offsets


def test_length_counts_a_character_beyond_the_first_plane_twice() -> None:
    assert utf16_length("") == 0
    assert utf16_length("abc") == 3
    assert utf16_length("äß漢") == 3
    assert utf16_length("a👍b") == 4


def test_length_counts_half_a_character_once() -> None:
    assert utf16_length("a\ud83d") == 2


@settings(deadline=None)
@given(st.text(), st.data())
def test_offsets_are_the_lengths_of_what_is_before(text: str, data: st.DataObject) -> None:
    offsets = data.draw(st.lists(st.integers(0, len(text))))

    units = utf16_offsets(text, offsets)

    assert units == {offset: utf16_length(text[:offset]) for offset in offsets}
