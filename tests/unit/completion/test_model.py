"""The public record behaves exactly as agents written for it expect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.completion import AgentReply, TurnCompletion, append_completion_note, extract_completion

_NOTES = {
    "completed": "",
    "": "",
    "max_steps": '⏳ I stopped after reaching the step limit — reply "continue" to carry on.',
    "cancelled": "🛑 This turn was interrupted before it finished — send it again to retry.",
    "error": "⚠️ This turn ended early due to an error — please try again.",
    "refused": "⏳ This turn ended early — please try again.",
    "no such word": "⏳ This turn ended early — please try again.",
}


@pytest.mark.parametrize(("reason", "note"), _NOTES.items())
def test_note_is_the_contract_text(reason: str, note: str) -> None:
    completion = TurnCompletion(reason)

    assert completion.note() == note
    assert completion.truncated == bool(note)


def test_note_is_the_detail_word_for_word_except_for_a_clean_end() -> None:
    assert TurnCompletion("error", "  Own <words> ").note() == "  Own <words> "
    assert TurnCompletion("completed", "ignored").note() == ""


def test_code_always_has_both_halves() -> None:
    assert TurnCompletion("", site="").code == "completed@unknown"
    assert TurnCompletion("timeout", site="session.idle").code == "timeout@session.idle"


def test_dict_leaves_out_what_is_unset_and_keeps_what_is_false() -> None:
    assert TurnCompletion().to_dict() == {"reason": "completed"}
    assert TurnCompletion("error", actions_ran=False, steps=0, retry_after=0.0).to_dict() == {
        "reason": "error",
        "retry_after": 0.0,
        "steps": 0,
        "actions_ran": False,
    }


_COMPLETIONS = st.builds(
    TurnCompletion,
    reason=st.text(),
    detail=st.text(),
    site=st.text(),
    source=st.sampled_from(["", "metadata", "exception", "control", "delivery"]),
    provider=st.text(),
    token=st.none() | st.text(min_size=1),
    retry_after=st.none() | st.floats(allow_nan=False),
    steps=st.none() | st.integers(),
    actions_ran=st.none() | st.booleans(),
)


@given(_COMPLETIONS, st.text())
def test_dict_reads_back_as_the_same(completion: TurnCompletion, text: str) -> None:
    assert TurnCompletion.from_dict({**completion.to_dict(), "unknown": object()}) == completion
    reply = AgentReply(text, completion)
    assert AgentReply.from_dict(reply.to_dict()) == reply


def test_reply_leaves_out_what_is_absent() -> None:
    assert AgentReply().to_dict() == {}
    assert AgentReply("x").to_dict() == {"text": "x"}
    assert AgentReply.from_dict({"text": 5, "completion": "x"}) == AgentReply()


@pytest.mark.parametrize(
    "data", [None, 5, "x", [], {"detail": 5}, {"source": "odd", "steps": True, "retry_after": 10**400}]
)
def test_odd_data_reads_as_a_clean_record(data: object) -> None:
    assert TurnCompletion.from_dict(data) == TurnCompletion()
    assert AgentReply.from_dict(data) == AgentReply()


def test_completion_is_extracted_in_the_order_of_the_contract() -> None:
    own, agent = TurnCompletion("refused"), TurnCompletion("max_steps")

    assert extract_completion(AgentReply("x", own)) is own
    assert extract_completion({"completion": own}) is own
    assert extract_completion({"completion": {"reason": "refused"}}) == own
    assert extract_completion(SimpleNamespace(completion=own, last_stop_reason="max_steps")) is own
    assert extract_completion(SimpleNamespace(completion=None, last_stop_reason="max_steps")) == agent


@pytest.mark.parametrize(
    "result", [None, "x", {}, {"completion": "x"}, AgentReply("x"), SimpleNamespace(last_stop_reason=5), 7]
)
def test_nothing_is_extracted_where_nothing_is_said(result: object) -> None:
    assert extract_completion(result) is None


class _Raises(Mapping[str, object]):
    def __getitem__(self, key: str) -> object:
        raise ZeroDivisionError(key)

    def __iter__(self) -> Iterator[str]:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class _Property:
    @property
    def completion(self) -> object:
        raise ZeroDivisionError

    last_stop_reason = "max_steps"


def test_result_that_raises_is_survived() -> None:
    assert extract_completion(_Raises()) is None
    assert extract_completion(_Property()) == TurnCompletion("max_steps")


@pytest.mark.parametrize(
    ("text", "completion", "enabled", "told"),
    [
        (" x \n", TurnCompletion("error"), False, " x \n"),
        (" x \n", None, True, " x \n"),
        (" x \n", TurnCompletion(), True, " x \n"),
        ("x", TurnCompletion("error", "Note"), True, "x\n\nNote"),
        ("", TurnCompletion("error", "Note"), True, "Note"),
    ],
)
def test_note_is_appended_only_when_asked_and_due(
    text: str, completion: TurnCompletion | None, enabled: bool, told: str
) -> None:
    assert append_completion_note(text, completion, enabled=enabled) == told
