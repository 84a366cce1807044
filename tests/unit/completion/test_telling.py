"""Operators read facts, never placeholders."""

from __future__ import annotations

import pytest

from gateway.completion import ENDINGS, TurnCompletion, operator_text


@pytest.mark.parametrize("reason", sorted(ENDINGS))
def test_operator_text_shows_no_placeholder(reason: str) -> None:
    for variant in ENDINGS[reason].variants:
        text = operator_text(TurnCompletion(reason), when=variant.when)

        assert text
        assert "{" not in text
        assert "()" not in text


def test_operator_text_fills_what_is_known() -> None:
    assert "(25)" in operator_text(TurnCompletion("max_steps", steps=25))
    assert "(content_filter)" in operator_text(TurnCompletion("content_filtered", token="content_filter"))
    assert "for 30 s" in operator_text(TurnCompletion("rate_limited", retry_after=30.0), when=("wait",))


def test_operator_text_leaves_out_an_aside_nobody_can_fill() -> None:
    assert "(" not in operator_text(TurnCompletion("max_steps")).partition("Raise")[0]
