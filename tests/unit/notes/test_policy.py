"""What people are told follows the ending, the circumstances and the operator's settings, and never fails."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.completion import CIRCUMSTANCES, ENDINGS, classify_exception
from gateway.completion.model import TurnCompletion
from gateway.messages import ActionKind
from gateway.notes import SHIPPED, Circumstances, Decision, Notebook, NoteSettings, decide

_ON = NoteSettings(surface=True)
_OFF = NoteSettings(surface=False)
_MUTE = NoteSettings(surface=False, never_silent=False)
_NOTEBOOK = Notebook()


def _decided(
    reason: str,
    settings: NoteSettings = _ON,
    *,
    detail: str = "",
    **around: Any,  # the fields of Circumstances, of several types
) -> Decision:
    return decide(TurnCompletion(reason, detail), Circumstances(**around), settings, _NOTEBOOK)


def _text(decision: Decision) -> str:
    assert decision.note is not None
    return decision.note.text


def test_fixed_sentence_is_told_with_its_button() -> None:
    decision = _decided("max_steps", partial=True, visible=True)

    assert _text(decision) == '⏳ I stopped after reaching the step limit — reply "continue" to carry on.'
    assert decision == Decision(decision.note, ("continue",), "yes", "max_steps")


def test_note_speaks_the_language_of_the_circumstances() -> None:
    note = _decided("error", language="ar").note

    assert note is not None
    assert (note.language, note.direction, note.reason) == ("ar", "rtl", "error")
    assert note.text == "⚠️ انتهت هذه الإجابة مبكرًا بسبب خطأ. يُرجى المحاولة مرة أخرى."


def test_alias_is_told_as_its_reason() -> None:
    note = _decided("recursion-limit").note

    assert note is not None
    assert note.reason == "max_steps"


def test_unknown_word_is_kept_and_told_generically() -> None:
    decision = _decided("eaten_by_a_grue")

    assert decision.note is not None
    assert decision.note.reason == "eaten_by_a_grue"
    assert decision.group == "generic"


@pytest.mark.parametrize("reason", ["completed", "", "stop"])
@pytest.mark.parametrize("settings", [_ON, _OFF, _MUTE])
def test_clean_end_with_something_to_see_says_nothing(reason: str, settings: NoteSettings) -> None:
    assert _decided(reason, settings, partial=True, visible=True) == Decision(None, (), "clean")


@pytest.mark.parametrize("settings", [_ON, _OFF])
def test_clean_end_with_nothing_to_see_is_an_empty_response(settings: NoteSettings) -> None:
    decision = _decided("completed", settings)

    assert _text(decision).startswith("⚠️ I finished without anything to show you")
    assert decision.note is not None
    assert decision.note.reason == "empty_response"
    assert (decision.noted, decision.group, decision.actions) == ("yes", "empty", ("retry",))


def test_agent_may_stay_silent_at_words_that_were_not_for_it() -> None:
    for reason in ("completed", "empty_response"):
        assert _decided(reason, addressed=False) == Decision(None, (), "suppressed_by:access.groups", "empty")


@pytest.mark.parametrize("reason", [one for one, row in ENDINGS.items() if row.told])
def test_off_means_off_where_something_was_shown(reason: str) -> None:
    decision = _decided(reason, _OFF, partial=True, visible=True)

    assert decision.note is None
    assert decision.actions == ()
    assert decision.noted == ("clean" if reason == "suspended" else "suppressed_by:surface_completion_reason")


@pytest.mark.parametrize("reason", [one for one, row in ENDINGS.items() if row.told])
def test_nobody_is_left_with_silence_even_when_off(reason: str) -> None:
    assert _decided(reason, _OFF) == _decided(reason, _ON)
    assert _decided(reason, _OFF).note is not None


def test_silence_may_be_chosen_and_names_its_key() -> None:
    assert _decided("error", _MUTE) == Decision(None, (), "suppressed_by:never_silent", "error")


def test_off_owes_nothing_to_whoever_did_not_ask() -> None:
    assert _decided("error", _OFF, addressed=False).noted == "suppressed_by:surface_completion_reason"


def test_on_tells_of_faults_whoever_asked() -> None:
    assert _decided("error", addressed=False).noted == "yes"


def test_superseded_is_told_only_where_its_text_was_visible() -> None:
    assert _decided("superseded") == Decision(None, (), "clean")
    assert _text(_decided("superseded", visible=True, partial=True)) == (
        "🛑 Your newer message replaced this one — my answer follows below."
    )


def test_suspended_is_told_only_where_its_question_was_not() -> None:
    assert _decided("suspended", visible=True) == Decision(None, (), "clean")
    assert _decided("suspended").group == "waiting"


def test_unclassified_with_something_to_see_is_left_alone() -> None:
    assert decide(None, Circumstances(visible=True), _ON, _NOTEBOOK) == Decision(None, (), "unclassified")


@pytest.mark.parametrize("settings", [_ON, _OFF])
def test_unclassified_with_nothing_to_see_is_told_as_empty(settings: NoteSettings) -> None:
    decision = decide(None, Circumstances(), settings, _NOTEBOOK)

    assert (decision.noted, decision.group, decision.actions) == ("unclassified", "empty", ("retry",))
    assert decision.note is not None


def test_unclassified_in_silence_names_the_key() -> None:
    assert decide(None, Circumstances(), _MUTE, _NOTEBOOK).noted == "suppressed_by:never_silent"


@pytest.mark.parametrize(
    ("reason", "around", "group", "actions"),
    [
        ("length_truncated", {"partial": True, "visible": True}, "length", ("continue",)),
        ("length_truncated", {}, "length.empty", ("retry",)),
        ("refused", {"partial": True, "visible": True}, "refused.partial", ()),
        ("refused", {}, "refused", ()),
        ("network_error", {"partial": True, "visible": True}, "hiccup.partial", ("retry",)),
        ("timeout", {}, "timeout", ("retry",)),
        ("rate_limited", {"wait": 30.0}, "crowded.wait", ("retry",)),
        ("rate_limited", {"wait": None}, "crowded", ("retry",)),
        ("rate_limited", {"wait": 0.0}, "crowded", ("retry",)),
        ("rate_limited", {"wait": float("nan")}, "crowded", ("retry",)),
        ("rate_limited", {"wait": float("inf")}, "crowded", ("retry",)),
        ("auth_failed", {}, "unavailable", ()),
        ("auth_failed", {"told": True}, "unavailable.told", ()),
        ("budget_exhausted", {"when": frozenset({"bot"})}, "budget.bot", ()),
        ("context_overflow", {"when": frozenset({"message"})}, "overflow.message", ()),
        ("approval_stop", {"when": frozenset({"expired"})}, "denied.expired", ("retry",)),
        ("aborted", {"resumable": True}, "restarted.resume", ("continue", "retry")),
        ("aborted", {}, "restarted", ("retry",)),
        ("input_unreadable", {"when": frozenset({"large"})}, "file.large", ()),
        ("input_unreadable", {"when": frozenset({"nonsense"})}, "file.message", ()),
    ],
)
def test_circumstances_choose_the_text_and_the_buttons(
    reason: str, around: dict[str, Any], group: str, actions: tuple[ActionKind, ...]
) -> None:
    decision = _decided(reason, **around)

    assert (decision.group, decision.actions) == (group, actions)


def test_contact_of_the_operator_wins_over_having_been_told() -> None:
    settings = NoteSettings(surface=True, contact="help@firm.example")

    assert _text(_decided("quota_exhausted", settings, told=True)).endswith("contact help@firm.example.")


def test_values_of_the_circumstances_are_filled_in() -> None:
    assert _text(_decided("rate_limited", wait=90)).endswith("please try again in 90 seconds.")
    assert _text(_decided("budget_exhausted")).endswith("you can go on in a while.")
    large = _decided("input_unreadable", when=frozenset({"large"}), limit="20 MB")
    assert "than I can take (20 MB)" in _text(large)


def test_operators_text_for_a_reason_is_told() -> None:
    notebook = Notebook({"en": {"network_error": {"what": "The line is down"}}})
    decision = decide(TurnCompletion("network_error"), Circumstances(), _ON, notebook)

    assert _text(decision) == "⚠️ The line is down — please try again in a moment."


@pytest.mark.parametrize(
    ("reference", "reason", "shown"),
    [
        ("faults", "network_error", True),
        ("faults", "auth_failed", True),
        ("faults", "invalid_request", True),
        ("faults", "error", True),
        ("faults", "eaten_by_a_grue", True),
        ("faults", "max_steps", False),
        ("always", "max_steps", True),
        ("never", "error", False),
    ],
)
def test_reference_stands_where_the_operator_wants_it(
    reference: Literal["always", "faults", "never"], reason: str, shown: bool
) -> None:
    note = _decided(reason, NoteSettings(surface=True, reference=reference), ref="K7Q2M").note

    assert note is not None
    assert note.reference == ("Ref K7Q2M" if shown else "")


def test_note_without_a_reference_shows_no_line_for_it() -> None:
    note = _decided("error").note

    assert note is not None
    assert note.reference == ""


def test_detail_of_the_agent_replaces_the_text_and_keeps_the_rest() -> None:
    decision = _decided("tool_error", detail="The shop is closed.\nCome back at nine.", language="ar")

    assert decision.note is not None
    assert decision.note.text == "The shop is closed. Come back at nine."
    assert decision.note.direction == "ltr"
    assert (decision.group, decision.actions) == ("helper", ("retry",))


def test_detail_with_a_secret_is_masked() -> None:
    assert _text(_decided("error", detail="No luck with sk-abcdefghijklmnop today.")) == (
        "No luck with *** today."
    )


def test_detail_that_was_not_written_for_people_gives_way_to_our_text() -> None:
    detail = "openai.RateLimitError: Error code: 429"

    assert _decided("rate_limited", detail=detail) == _decided("rate_limited")


def test_detail_keeps_quiet_where_notes_are_off() -> None:
    assert _decided("error", _OFF, detail="Sorry.", visible=True, partial=True).note is None


class _Broken(Notebook):
    def render(self, *_: object, **__: object) -> str:
        raise RuntimeError("hostile ZZSECRETZZ")


def test_trouble_while_deciding_ends_in_the_generic_note() -> None:
    decision = decide(TurnCompletion("error"), Circumstances(), _ON, _Broken())

    assert _text(decision) == "⏳ This turn ended early — please try again."
    assert decision == Decision(decision.note, ("retry",), "yes", "generic")
    assert decision.note is not None
    assert decision.note.reason == "error"


def test_trouble_while_deciding_about_nothing_ends_in_the_generic_note() -> None:
    decision = decide(None, Circumstances(), _ON, _Broken())

    assert decision.note is not None
    assert decision.note.reason == "error"


@pytest.mark.parametrize(
    ("settings", "visible", "noted"),
    [
        (_OFF, True, "suppressed_by:surface_completion_reason"),
        (_OFF, False, "yes"),
        (_MUTE, False, "suppressed_by:never_silent"),
    ],
)
def test_trouble_while_deciding_respects_the_settings(
    settings: NoteSettings, visible: bool, noted: str
) -> None:
    around = Circumstances(visible=visible, when=cast("frozenset[str]", None))

    assert decide(TurnCompletion("error"), around, settings, _NOTEBOOK).noted == noted


@given(
    reason=st.one_of(st.sampled_from(sorted(ENDINGS)), st.text(max_size=20)),
    around=st.builds(
        Circumstances,
        language=st.one_of(st.sampled_from(SHIPPED), st.text(max_size=8)),
        partial=st.booleans(),
        visible=st.booleans(),
        addressed=st.booleans(),
        resumable=st.booleans(),
        told=st.booleans(),
        when=st.frozensets(st.sampled_from(sorted(CIRCUMSTANCES))),
        limit=st.text(max_size=8),
        ref=st.text(max_size=8),
        wait=st.none() | st.floats(),
    ),
    settings=st.builds(
        NoteSettings,
        surface=st.booleans(),
        never_silent=st.booleans(),
        contact=st.text(max_size=8),
        reference=st.sampled_from(["always", "faults", "never"]),
    ),
)
def test_every_ending_has_exactly_one_outcome(
    reason: str, around: Circumstances, settings: NoteSettings
) -> None:
    decision = decide(TurnCompletion(reason), around, settings, _NOTEBOOK)

    assert (decision.note is not None) == (decision.noted == "yes")
    assert decision.noted in ("yes", "clean") or decision.noted.startswith("suppressed_by:")
    assert decision.note is not None or decision.actions == ()
    assert set(decision.actions) <= set(get_args(ActionKind))
    owed = around.addressed and not around.visible
    if owed and settings.never_silent and reason != "superseded":
        assert decision.note is not None
    if not settings.surface and around.visible:
        assert decision.note is None


_MARK = "ZZ9SECRET9ZZ"
_HOSTILE = st.sampled_from(
    [
        f"Error code: 429 - {{'error': {{'code': 'insufficient_quota', 'message': '{_MARK}'}}}}",
        f"401 Incorrect API key provided: sk-{_MARK}",
        f"model `{_MARK}` not found",
        f"This model's maximum context length is 8192 tokens, {_MARK}",
        f"Recursion limit of 25 reached {_MARK}",
        f"content_filter triggered by {_MARK}",
        f"Connection refused by {_MARK}:443",
        f"Request timed out after {_MARK}",
        f"/home/{_MARK}/app.py",
        f"{_MARK}",
        f"please retry in {_MARK} seconds",
        "{contact} {0.__class__} " + _MARK,
    ]
)
_KINDS: tuple[type[Exception], ...] = (
    *(RuntimeError, ValueError, TimeoutError, ConnectionError, PermissionError, RecursionError, KeyError),
    type(f"Hostile{_MARK}Error", (Exception,), {"status_code": 429, "code": _MARK, "body": {"error": _MARK}}),
)


def _raised(kind: type[Exception], message: str, cause: str) -> Exception:
    problem = kind(message)
    problem.__cause__ = RuntimeError(cause)
    problem.add_note(cause)
    return problem


@given(
    problem=st.builds(_raised, st.sampled_from(_KINDS), _HOSTILE, _HOSTILE),
    language=st.sampled_from(SHIPPED),
    partial=st.booleans(),
)
def test_texts_of_exceptions_never_reach_a_note(problem: Exception, language: str, partial: bool) -> None:
    """Not the message, not the cause's, not the class's name, not a field of it."""
    around = Circumstances(language=language, partial=partial, visible=partial, ref="K7Q2M")

    note = decide(classify_exception(problem), around, _ON, _NOTEBOOK).note

    assert note is not None
    assert _MARK.lower() not in f"{note.text} {note.reference} {note.reason}".lower()


@given(
    problem=st.builds(_raised, st.sampled_from(_KINDS), _HOSTILE, _HOSTILE),
    reason=st.sampled_from(sorted(ENDINGS)),
)
def test_raw_words_beside_the_reason_never_reach_a_note(problem: Exception, reason: str) -> None:
    raw = repr(problem)
    completion = TurnCompletion(reason, site=raw, provider=raw, token=raw)

    note = decide(completion, Circumstances(), _ON, _NOTEBOOK).note

    assert note is None or _MARK not in f"{note.text} {note.reference}"
