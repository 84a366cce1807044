"""What the page posts, and what it means."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gateway.messages import Event, Inbound
from gateway_adapters.local.inbound import (
    TEXT_LIMIT,
    Unacceptable,
    echo,
    read_action,
    read_message,
    read_stop,
)

ID = "0123456789abcdef"


def _body(**values: object) -> bytes:
    return json.dumps({"id": ID, "language": "de-AT", **values}).encode()


def _inbound(event: Event) -> Inbound:
    assert event.inbound is not None
    return event.inbound


def test_message_carries_text_person_place_and_time() -> None:
    body = _body(text="  Hallo\nWelt  ")

    event = read_message(body, person="p1", at=12.5)

    inbound = _inbound(event)
    assert (inbound.kind, inbound.text, inbound.message_id, inbound.at) == (
        "message",
        "Hallo\nWelt",
        ID,
        12.5,
    )
    assert (inbound.sender.id, inbound.sender.language) == ("p1", "de-AT")
    assert (inbound.place.chat, inbound.place.private, inbound.addressed) == ("p1", True, True)
    assert event.raw == body


def test_event_is_known_by_chat_and_id() -> None:
    """Two visitors may by chance choose the same id."""
    ours = read_message(_body(text="a"), person="p1", at=0)
    theirs = read_message(_body(text="a"), person="p2", at=0)

    assert ours.dedupe == (f"p1/{ID}",)
    assert set(ours.dedupe).isdisjoint(theirs.dedupe)


@pytest.mark.parametrize(
    ("typed", "command", "rest"),
    [
        ("/stop", "stop", ""),
        ("/New", "new", ""),
        ("/language  de ", "language", "de"),
        ("/start a\nb", "start", "a\nb"),
    ],
)
def test_typed_command_is_a_command(typed: str, command: str, rest: str) -> None:
    inbound = _inbound(read_message(_body(text=typed), person="p", at=0))

    assert (inbound.kind, inbound.command, inbound.text) == ("command", command, rest)


@pytest.mark.parametrize("typed", ["/", "/usr/bin", "//x", "a /stop", "/1", "/ünlü", "/stop-it"])
def test_other_slashes_are_messages(typed: str) -> None:
    inbound = _inbound(read_message(_body(text=typed), person="p", at=0))

    assert (inbound.kind, inbound.command, inbound.text) == ("message", "", typed)


@pytest.mark.parametrize("text", ["", "  \n", "\x00"])
def test_blank_message_is_refused(text: str) -> None:
    with pytest.raises(Unacceptable) as caught:
        read_message(_body(text=text), person="p", at=0)

    assert caught.value.why == "empty"


def test_message_is_taken_up_to_the_limit() -> None:
    longest = "😀" * TEXT_LIMIT

    assert _inbound(read_message(_body(text=longest), person="p", at=0)).text == longest
    with pytest.raises(Unacceptable) as caught:
        read_message(_body(text=longest + "x"), person="p", at=0)
    assert caught.value.why == "too_long"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"id": "0123456789"}',
        b'{"id": "0123456789", "text": 1}',
        b'{"id": "short", "text": "a"}',
        b'{"id": "0123456789/../x", "text": "a"}',
        b'{"id": "0123456789\\n", "text": "a"}',
        b'{"id": "0123456789", "text": "a", "extra": 1}',
        b'{"id": "0123456789", "text": "\\ud800"}',
        b'{"id": "0123456789", "text": "\xff"}',
    ],
)
def test_malformed_message_is_refused(body: bytes) -> None:
    with pytest.raises(Unacceptable) as caught:
        read_message(body, person="p", at=0)

    assert caught.value.why == "malformed"


@pytest.mark.parametrize("language", ["", "not a tag", "x" * 40, "<b>", "de_AT\n"])
def test_odd_language_is_no_hint(language: str) -> None:
    inbound = _inbound(read_message(_body(text="a", language=language), person="p", at=0))

    assert inbound.sender.language == ""


def test_action_carries_its_token_and_its_press() -> None:
    inbound = _inbound(read_action(_body(token="turn.1.0"), person="p", at=3.0))

    assert (inbound.kind, inbound.action, inbound.press, inbound.place.chat) == (
        "action",
        "turn.1.0",
        ID,
        "p",
    )


@pytest.mark.parametrize("token", ["", "x" * 49, "a b", "é", "a\n"])
def test_odd_token_is_refused(token: str) -> None:
    with pytest.raises(Unacceptable):
        read_action(_body(token=token), person="p", at=0)


def test_stop_button_says_what_the_command_says() -> None:
    inbound = _inbound(read_stop(_body(), person="p", at=0))

    assert (inbound.kind, inbound.command, inbound.message_id) == ("command", "stop", ID)


@pytest.mark.parametrize(
    ("read", "values", "shown"),
    [
        (read_message, {"text": "hi"}, {"text": "hi"}),
        (read_message, {"text": "/Language de"}, {"text": "/language de"}),
        (read_message, {"text": "/stop"}, {"text": "/stop"}),
        (read_action, {"token": "t"}, {"token": "t"}),
    ],
)
def test_echo_shows_what_was_done(
    read: Callable[..., Event], values: dict[str, str], shown: dict[str, str]
) -> None:
    assert echo(_inbound(read(_body(**values), person="p", at=0))) == shown
