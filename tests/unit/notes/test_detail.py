"""An agent's own note reaches a chat only as a sentence for people."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.notes.detail import presentable


@pytest.mark.parametrize(
    "detail",
    [
        "The shop closes at 18:00, please come back tomorrow.",
        "Ich brauche noch die Rechnungsnummer (z. B. 2024/17).",
        "Fortsetzung folgt: Kapitel 3/12 und/oder 4, 20 km/h.",
        "اكتب رقم الطلب من فضلك.",
        "注文番号を教えてください。",
        "👩‍👩‍👧 family sign-up is paused until 3 p.m.",
        "Send /stop to end it.",
        "I made an error in step 2; please check it.",
        "There was an error: one day is missing.",
        "By default: no sugar.",
        "Skateboarding ghosts are eyJolly.",
    ],
)
def test_sentence_for_people_passes_unchanged(detail: str) -> None:
    assert presentable(detail) == detail


def test_several_lines_become_one() -> None:
    assert presentable("  Almost done.\n\n\tOne step\r\nis left.  ") == "Almost done. One step is left."


def test_long_text_ends_within_three_hundred_characters() -> None:
    text = presentable("word " * 1000)

    assert len(text) <= 300
    assert text.endswith("word…")


def test_text_of_the_greatest_length_stays_whole() -> None:
    assert presentable("a" + "b" * 4 + " b" * 147 + "c") == "a" + "b" * 4 + " b" * 147 + "c"


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop",
        "sk_live_abcdefghijkl",
        "xoxb-123456789012-abcdefghij",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AIzaSyA1234567890abcdefghijklmnopq",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi",
        "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
        "Bearer abc.def",
        "api_key=hunter2",
        "password: hunter2",
        "token = abc",
        "https://api.example.com/v1/chat?key=1",
        "postgres://user:pw@db.internal/x",
        "www.example.com/private",
        "10.0.0.12:8080",
        "localhost:11434",
        "/home/bot/app/secrets.env",
        "~/.config/bot.toml",
        r"C:\Users\bot\app.py",
        r"\\files\share\x",
        "0123456789abcdef0123456789abcdef",
        "a1b2c3d4e5f6g7h8i9j0k1l2m3",
        "-----BEGIN PRIVATE KEY----- abc",
    ],
)
def test_what_only_machines_need_is_masked(secret: str) -> None:
    text = presentable(f"I could not get on with {secret} for now")

    assert text.startswith("I could not get on with ")
    assert "…" in text or "***" in text
    longest = max(secret.replace(":", " ").replace("=", " ").replace("/", " ").split(), key=len)
    assert longest not in text


@pytest.mark.parametrize(
    "dump",
    [
        "Traceback (most recent call last): boom",
        'File "app.py", line 12, in run',
        "ValueError: invalid literal for int()",
        "openai.RateLimitError('slow down')",
        "raised httpx.ConnectTimeout: all attempts failed",
        "It broke with KeyError",
        "{'error': {'message': 'bad key', 'code': 401}}",
        '{"error": "x"}',
        "<html><body>502 Bad Gateway</body></html>",
        "Error code: 429 - slow down",
        "status code 503",
        "HTTP/1.1 500 Internal",
        "[Errno 111] Connection refused",
        "at java.lang.Thread.run(Thread.java:748)",
        "object at 0x7f3a2b",
        "panic: runtime",
        "",
        "  \n ",
        "…",
        "https://only.an/address",
        "12345",
    ],
)
def test_what_was_not_written_for_people_is_left_out(dump: str) -> None:
    assert presentable(dump) == ""


def test_marks_that_can_hide_or_turn_text_are_dropped() -> None:
    assert presentable("pay\u202e now\u2066 or\x00 never\x1b[31m") == "pay now or never[31m"
    assert presentable("s\u200bk-abcdefghijkl is here") == "*** is here"


def test_key_cut_in_two_by_the_length_is_not_shown() -> None:
    shrinking = "https://a.example/" + "x" * 900
    text = presentable(f"{shrinking} {shrinking} and then {'k' * 300}sk-abcdefghijklmnop")

    assert "kkk" not in text


def test_very_long_text_is_quick() -> None:
    began = time.perf_counter()

    presentable("a/" * 500_000)
    presentable("[" * 500_000)
    presentable("1." * 500_000)

    assert time.perf_counter() - began < 5.0  # tenths are usual; what grows with the square takes hours


@given(st.text(max_size=400))
def test_presentable_is_bounded_on_one_line_and_stays_so(detail: str) -> None:
    text = presentable(detail)

    assert len(text) <= 300
    assert "\n" not in text
    assert text == " ".join(text.split())
