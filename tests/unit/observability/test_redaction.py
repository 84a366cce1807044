"""Masks hide what looks like a credential, and leave ordinary words alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.observability import redact, register_secret
from gateway.observability.redaction import is_secret_key

_TAIL = "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"123456789:{_TAIL}", "***"),
        (f"https://api.telegram.org/bot123456789:{_TAIL}/getMe", "https://api.telegram.org/bot***/getMe"),
        (f"bot123456789%3A{_TAIL}", "bot***"),
        ("xoxb-123-456-abcdef", "***"),
        ("xapp-1-A111-222-abc", "***"),
        ("sk-proj-abcdefgh12345678", "***"),
        ("gsk_abcdefgh12345678", "***"),
        ("AIzaSyA1234567890abcdefghij", "***"),
        ("ghp_abcdefghijklmnopqrst12", "***"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"),
        ("redis://user:pass@host:6379", "redis://***@host:6379"),
        ('{"api_key": "abcd1234"}', '{"api_key": "***"}'),
        ("api_key=abcd1234&x=1", "api_key=***&x=1"),
        ("access_token=abcd1234", "access_token=***"),
    ],
)
def test_credential_is_masked(text: str, masked: str) -> None:
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "the token is missing",
        "bots.support.token: is missing: add it",
        "it took 12:30 minutes",
        "ask-me-anything",
        "https://host:8080/path",
        "bots.yaml:12:5: store: is no store",
        "task_completed",
        "tokens=512",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert redact(text) == text


def test_short_value_is_not_registered() -> None:
    register_secret("hello")

    assert redact("hello") == "hello"


def test_longer_secret_is_masked_whole_when_one_is_part_of_another() -> None:
    register_secret("first-part-of-it")
    register_secret("first-part-of-it-and-the-rest")

    assert redact("<first-part-of-it-and-the-rest>") == "<***>"


@pytest.mark.parametrize("key", ["token", "bot_token", "API_KEY", "apikey", "Cookie", "client_secret"])
def test_key_that_names_a_secret_is_known(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize("key", ["tokens", "input_tokens", "token_count", "event", "bot", "keyword"])
def test_key_that_names_none_is_left_alone(key: str) -> None:
    assert not is_secret_key(key)


@given(st.text())
def test_masking_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(st.text(), st.text())
def test_registered_secret_is_masked_in_any_surroundings(before: str, after: str) -> None:
    register_secret("Ünïcode-sécret-9")

    assert "Ünïcode-sécret-9" not in redact(f"{before}Ünïcode-sécret-9{after}")
