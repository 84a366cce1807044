"""What is written into the outbox comes out of it as it was."""

from __future__ import annotations

import msgspec
import pytest

from gateway.delivery import Mail, encode, fold, unfold
from gateway.messages import Action, Answer, Note, Place


def test_mail_comes_back_as_it_was() -> None:
    mail = Mail(
        Place("1", "topic", private=False),
        Answer("text", Note("n", "max_steps", "ar", "rtl", "Ref X"), (Action("retry", "t.1.0", "Retry"),)),
        "p1",
    )

    assert unfold(fold(mail)) == mail


@pytest.mark.parametrize(
    ("text", "kept"),
    [("\ud83d\ude00", "😀"), ("a\ud83d", "a\ufffd"), ("\udc00b", "\ufffdb"), ("\x00", "\x00")],
)
def test_halves_of_characters_are_joined_or_replaced(text: str, kept: str) -> None:
    assert unfold(fold(Mail(Place("1"), Answer(text)))).answer.text == kept
    assert msgspec.json.decode(encode({text: [text]})) == {kept: [kept]}


def test_mail_that_cannot_be_read_says_so() -> None:
    with pytest.raises(msgspec.MsgspecError):
        unfold(b'{"place": 3}')
