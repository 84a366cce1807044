"""The checker catches what it is there for: every test but a few hands it one broken promise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.chaos.checker import TWICE, check
from tests.chaos.story import Chat, Ended, Story, Word

_ONE, _TWO = "mT1x1z", "mT1x2z"
_CUT = '⏳ My answer became too long and stops here — reply "continue" for the rest.'
_MARK = f"⏳ {TWICE} — you can ignore the second copy."


def _answer(marker: str, *numbers: int, of: int = 2) -> str:
    return "\n".join(f"{marker} {number} of {of} said" for number in numbers)


def _fine() -> Story:
    chat = Chat(
        "telegram 1",
        (Word(_ONE, "plain"), Word(_TWO, "length")),
        (_answer(_ONE, 1, 2), f"{_answer(_TWO, 1)}\n\n{_CUT}\nRef BBBBB"),
        reconciles=False,
    )
    ended = (
        Ended(_ONE, "AAAAA", 1, "delivered", "completed"),
        Ended(_TWO, "BBBBB", 2, "delivered", "length_truncated", "yes"),
    )
    return Story((chat,), ended, {"inbox": 0, "outbox": 0})


def _with(**changes: object) -> Story:
    """The fine story with a change to its chat."""
    fine = _fine()
    return replace(fine, chats=(replace(fine.chats[0], **changes),))  # type: ignore[arg-type]  # any field


def _kinds(story: Story) -> set[str]:
    return {violation.kind for violation in check(story)}


def test_checker_finds_nothing_where_every_promise_was_kept() -> None:
    assert check(_fine()) == []


def test_checker_catches_an_accepted_message_without_a_turn() -> None:
    fine = _fine()

    assert _kinds(replace(fine, ended=fine.ended[:1])) == {"lost"}


def test_checker_lets_a_message_go_that_was_never_accepted() -> None:
    fine = _fine()
    words = (Word(_ONE, "plain"), Word(_TWO, "length", accepted=None))
    chat = replace(fine.chats[0], words=words, seen=fine.chats[0].seen[:1])

    assert check(replace(fine, chats=(chat,), ended=fine.ended[:1])) == []


def test_checker_catches_an_answer_that_is_recorded_and_not_shown() -> None:
    assert _kinds(_with(seen=(_fine().chats[0].seen[1],))) == {"lost"}


def test_checker_catches_a_line_that_is_missing() -> None:
    assert _kinds(_with(seen=(_answer(_ONE, 1), _fine().chats[0].seen[1]))) == {"incomplete"}


def test_checker_catches_a_note_that_is_missing() -> None:
    assert _kinds(_with(seen=(_answer(_ONE, 1, 2), _answer(_TWO, 1)))) == {"incomplete"}


def test_checker_catches_answers_in_another_order() -> None:
    assert _kinds(_with(seen=_fine().chats[0].seen[::-1])) == {"reordered"}


def test_checker_lets_a_message_come_late_that_was_handed_over_late() -> None:
    fine = _fine()
    seen = fine.chats[0].seen[::-1]
    late, early = fine.chats[0].words

    assert check(_with(seen=seen, words=(replace(late, resent=True), early))) == []
    assert _kinds(_with(seen=seen, words=(late, replace(early, resent=True)))) == {"reordered"}


def test_checker_catches_turns_in_another_order() -> None:
    fine = _fine()
    ended = (replace(fine.ended[0], entry=3), fine.ended[1])

    assert _kinds(replace(fine, ended=ended)) == {"reordered"}


def test_checker_catches_lines_in_another_order() -> None:
    assert _kinds(_with(seen=(_answer(_ONE, 2, 1), _fine().chats[0].seen[1]))) == {"reordered"}


def test_checker_catches_a_copy_that_says_nothing() -> None:
    seen = _fine().chats[0].seen

    assert _kinds(_with(seen=(seen[0], *seen))) == {"twice"}


def test_checker_catches_a_copy_whose_record_knows_nothing_of_it() -> None:
    seen = _fine().chats[0].seen

    assert _kinds(_with(seen=(seen[0], f"{_MARK}\n\n{seen[0]}", seen[1]))) == {"twice"}


def _marked() -> Story:
    story = _with(
        seen=(_fine().chats[0].seen[0], f"{_MARK}\n\n{_answer(_ONE, 1, 2)}", _fine().chats[0].seen[1])
    )
    return replace(story, ended=(replace(story.ended[0], twice=True), story.ended[1]))


def test_checker_lets_a_copy_pass_that_says_so() -> None:
    assert check(_marked()) == []


def test_checker_lets_no_copy_pass_where_the_platform_knows_it_again() -> None:
    story = _marked()

    assert _kinds(replace(story, chats=(replace(story.chats[0], reconciles=True),))) == {"twice"}


def test_checker_catches_a_note_that_is_told_twice() -> None:
    seen = _fine().chats[0].seen

    assert _kinds(_with(seen=(*seen, f"{_CUT}\nRef BBBBB"))) == {"twice"}


def _left_growing() -> Story:
    seen = (_answer(_ONE, 1), *_fine().chats[0].seen)
    story = _with(seen=seen, reconciles=True)
    return replace(story, ended=(replace(story.ended[0], twice=True), story.ended[1]))


def test_checker_lets_a_growing_answer_be_left_where_the_record_says_so() -> None:
    story = _left_growing()

    assert check(story) == []
    assert _kinds(replace(story, ended=_fine().ended)) == {"twice"}
    assert _kinds(replace(story, chats=(replace(story.chats[0], reconciles=False),))) == {"twice"}


def test_checker_lets_a_lost_answer_be_told_of_under_its_reference() -> None:
    lost = "⚠️ I could not deliver an earlier answer — ask again if you still need it.\nRef BBBBB"

    assert check(_with(seen=(*_fine().chats[0].seen, lost))) == []


def test_checker_catches_a_message_that_became_two_turns() -> None:
    fine = _fine()

    assert _kinds(replace(fine, ended=(*fine.ended, replace(fine.ended[1], ref="CCCCC")))) == {"twice"}


@pytest.mark.parametrize(
    "words",
    [
        "RuntimeError: no",
        "Traceback (most recent call last)",
        "/srv/secret/agent.py",
        "sk-chaos-0123456789abcdef",
        "503 overloaded",
        "mD9x1z 1 of 2 said",
    ],
)
@pytest.mark.parametrize("where", ["seen", "glimpsed"])
def test_checker_catches_words_that_are_nobodys(words: str, where: str) -> None:
    chat = _fine().chats[0]
    seen = (f"{chat.seen[0]}\n{words}", chat.seen[1]) if where == "seen" else chat.seen
    glimpsed = (words,) if where == "glimpsed" else ()

    assert _kinds(_with(seen=seen, glimpsed=glimpsed)) == {"leaked"}


def test_checker_catches_an_answer_that_was_given_up_without_cause() -> None:
    fine = _fine()
    ended = (replace(fine.ended[0], state="undeliverable", failure="403"), fine.ended[1])
    story = replace(_with(seen=fine.chats[0].seen[1:]), ended=ended)

    assert _kinds(story) == {"unexcused"}
    assert check(replace(story, chats=(replace(story.chats[0], refused=1),))) == []


@pytest.mark.parametrize(("state", "reason"), [("running", ""), ("delivered", ""), ("finished", "completed")])
def test_checker_catches_a_turn_without_an_end(state: str, reason: str) -> None:
    fine = _fine()

    story = replace(fine, ended=(replace(fine.ended[0], state=state, reason=reason), fine.ended[1]))

    assert "unended" in _kinds(story)


def test_checker_catches_what_is_left_waiting() -> None:
    assert _kinds(replace(_fine(), left={"inbox": 1, "outbox": 0})) == {"left"}
    assert _kinds(replace(_fine(), silent=1.0)) == {"left"}
