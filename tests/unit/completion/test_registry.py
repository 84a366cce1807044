"""The registry holds every row of the vocabulary, and what follows from a word."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.completion import CIRCUMSTANCES, ENDINGS, SITES, advice, ending, normalise, variant

# reason, aliases, retry as is, remedy, told, exit code, status
_TABLE = [
    ("completed", "|stop|end_turn", False, "", False, 0, "ok"),
    ("max_steps", "recursion_limit|max_turn_requests|max_iterations", False, "resume", True, 3, "truncated"),
    ("length_truncated", "output_truncated|length|max_tokens", False, "resume", True, 3, "length_truncated"),
    ("cancelled", None, True, "", True, 130, "failed"),
    ("refused", "content_refusal|refusal", False, "change-request", True, 4, "refused"),
    (
        "content_filtered",
        "content_filter|guardrail|blocked_by_policy",
        False,
        "change-request",
        True,
        4,
        "content_filtered",
    ),
    ("empty_response", "empty", True, "change-model", True, 1, "failed"),
    ("stream_cut", "incomplete", True, "back-off", True, 75, "failed"),
    ("context_overflow", "context_length_exceeded", False, "reduce-context", True, 1, "failed"),
    ("rate_limited", None, False, "back-off", True, 75, "failed"),
    ("quota_exhausted", "quota_exceeded", False, "fix-credentials", True, 78, "failed"),
    ("budget_exhausted", "budget_exceeded", False, "back-off", True, 75, "failed"),
    ("auth_failed", None, False, "fix-credentials", True, 78, "failed"),
    ("model_not_found", None, False, "change-model", True, 78, "failed"),
    ("invalid_request", None, False, "", True, 1, "failed"),
    ("provider_error", "overloaded|server_error", True, "back-off", True, 75, "failed"),
    ("network_error", None, True, "back-off", True, 75, "failed"),
    ("timeout", "hard_timeout", True, "back-off", True, 75, "failed"),
    ("tool_error", None, False, "change-request", True, 1, "failed"),
    ("tool_error_budget", None, False, "change-request", True, 3, "truncated"),
    ("tool_loop_guard", "tool_loop", False, "change-request", True, 3, "truncated"),
    ("approval_stop", "approval_denied", False, "", True, 4, "failed"),
    ("interrupt_drain_guard", None, False, "change-request", True, 3, "truncated"),
    ("suspended", "paused|pause_turn|input_required", False, "resume", True, 3, "truncated"),
    ("abandoned", None, False, "", True, 130, "failed"),
    ("aborted", "shutdown|drained", True, "resume", True, 75, "failed"),
    ("superseded", None, False, "", False, 1, "failed"),
    ("busy", "queue_full|admission_rejected", True, "back-off", True, 75, "failed"),
    ("input_unreadable", None, True, "change-request", True, 1, "failed"),
    ("error", "failed|unknown", True, "", True, 1, "failed"),
]


def test_registry_holds_these_reasons_and_no_others() -> None:
    assert list(ENDINGS) == [row for row in ENDINGS if row in {one[0] for one in _TABLE}]
    assert len(ENDINGS) == len(_TABLE)


@pytest.mark.parametrize("row", _TABLE, ids=lambda row: str(row[0]))
def test_row_has_the_columns_of_the_vocabulary(
    row: tuple[str, str | None, bool, str, bool, int, str],
) -> None:
    reason, aliases, retry, remedy, told, code, status = row
    found = ENDINGS[reason]

    assert found.aliases == (() if aliases is None else tuple(aliases.split("|")))
    assert (found.retry_as_is, found.remedy, found.told, found.exit_code, found.status) == (
        retry,
        remedy,
        told,
        code,
        status,
    )
    assert found.meaning


def test_remedy_is_named_exactly_when_it_helps() -> None:
    assert {row.reason for row in ENDINGS.values() if row.after_remedy != bool(row.remedy)} == set()


# reason, circumstances, group, icon, buttons
_TOLD = [
    ("completed", "", "", "", ""),
    ("max_steps", "", "max_steps", "⏳", "continue"),
    ("length_truncated", "partial", "length", "⏳", "continue"),
    ("length_truncated", "empty", "length.empty", "⏳", "retry"),
    ("cancelled", "", "cancelled", "🛑", "retry"),
    ("refused", "empty", "refused", "🛑", ""),
    ("refused", "partial", "refused.partial", "🛑", ""),
    ("content_filtered", "empty", "filtered", "🛑", ""),
    ("content_filtered", "partial", "filtered.partial", "🛑", ""),
    ("empty_response", "empty", "empty", "⚠️", "retry"),
    ("stream_cut", "partial", "hiccup.partial", "⚠️", "retry"),
    ("stream_cut", "empty", "hiccup", "⚠️", "retry"),
    ("network_error", "partial", "hiccup.partial", "⚠️", "retry"),
    ("network_error", "empty", "hiccup", "⚠️", "retry"),
    ("provider_error", "partial", "hiccup.partial", "⚠️", "retry"),
    ("provider_error", "empty", "hiccup", "⚠️", "retry"),
    ("timeout", "empty", "timeout", "⏳", "retry"),
    ("timeout", "partial", "timeout.partial", "⏳", "retry"),
    ("rate_limited", "", "crowded", "⏳", "retry"),
    ("rate_limited", "wait", "crowded.wait", "⏳", "retry"),
    ("busy", "", "busy", "⏳", ""),
    ("quota_exhausted", "", "unavailable", "⚠️", ""),
    ("auth_failed", "", "unavailable", "⚠️", ""),
    ("model_not_found", "", "unavailable", "⚠️", ""),
    ("quota_exhausted", "told", "unavailable.told", "⚠️", ""),
    ("auth_failed", "contact", "unavailable.contact", "⚠️", ""),
    ("model_not_found", "told contact", "unavailable.contact", "⚠️", ""),
    ("budget_exhausted", "", "budget", "⏳", ""),
    ("budget_exhausted", "bot", "budget.bot", "⏳", ""),
    ("invalid_request", "", "invalid", "⚠️", "new"),
    ("context_overflow", "", "overflow", "⏳", "new"),
    ("context_overflow", "message", "overflow.message", "⏳", ""),
    ("tool_error", "", "helper", "⚠️", "retry"),
    ("tool_error_budget", "", "stuck", "⚠️", ""),
    ("tool_loop_guard", "", "stuck", "⚠️", ""),
    ("approval_stop", "denied", "denied", "🛑", ""),
    ("approval_stop", "expired", "denied.expired", "⏳", "retry"),
    ("interrupt_drain_guard", "", "stuck", "⚠️", ""),
    ("suspended", "", "waiting", "⏳", ""),
    ("abandoned", "", "cancelled", "🛑", "retry"),
    ("aborted", "", "restarted", "⏳", "retry"),
    ("aborted", "resumable", "restarted.resume", "⏳", "continue retry"),
    ("superseded", "", "", "", ""),
    ("superseded", "visible", "replaced", "🛑", ""),
    ("input_unreadable", "large", "file.large", "⚠️", ""),
    ("input_unreadable", "kind", "file.kind", "⚠️", ""),
    ("input_unreadable", "fetch", "file.fetch", "⚠️", "retry"),
    ("input_unreadable", "voice", "file.voice", "⚠️", ""),
    ("input_unreadable", "other", "file.message", "⚠️", ""),
    ("error", "", "error", "⚠️", "retry"),
    ("no_such_word", "partial", "generic", "⏳", "retry"),
]


@pytest.mark.parametrize(("reason", "when", "group", "icon", "buttons"), _TOLD)
def test_variant_is_chosen_by_circumstance(
    reason: str, when: str, group: str, icon: str, buttons: str
) -> None:
    found = variant(reason, when=frozenset(when.split()))

    assert (found.group, found.icon, " ".join(found.buttons)) == (group, icon, buttons)
    assert found.operator.endswith(".")


def test_every_circumstance_of_a_row_is_one_that_may_be_asked_for() -> None:
    assert {word for row in ENDINGS.values() for one in row.variants for word in one.when} <= CIRCUMSTANCES


def test_default_stands_last_and_only_there() -> None:
    for row in (*ENDINGS.values(), ending("?")):
        assert [bool(one.when) for one in row.variants] == [True] * (len(row.variants) - 1) + [False]
        last = row.variants[-1]
        assert (row.group, row.icon, row.buttons, row.operator) == (
            last.group,
            last.icon,
            last.buttons,
            last.operator,
        )


def test_everybody_told_has_a_text_and_at_most_two_buttons() -> None:
    for row in ENDINGS.values():
        assert bool(row.group) == row.told, row.reason
        assert all(len(one.buttons) <= 2 for one in row.variants)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("", "completed"),
        ("Stop", "completed"),
        ("END-TURN", "completed"),
        ("endTurn", "completed"),
        ("max tokens", "length_truncated"),
        ("Tool Loop", "tool_loop_guard"),
        ("unknown", "error"),
        ("-", "-"),
        (" ", " "),
        ("Stopp", "Stopp"),
        (None, "error"),
        (3, "error"),
    ],
)
def test_word_is_normalised(word: object, reason: str) -> None:
    assert normalise(word) == reason


class _Word(Enum):
    LENGTH = "length"


def test_member_of_an_enumeration_is_normalised_by_its_text() -> None:
    assert normalise(_Word.LENGTH) == "length_truncated"


_SPELLINGS = [(word, row.reason) for row in ENDINGS.values() for word in (row.reason, *row.aliases) if word]


@given(
    st.sampled_from(_SPELLINGS),
    st.sampled_from(["", "-", "_", " "]),
    st.lists(st.booleans(), min_size=40, max_size=40),
)
def test_every_spelling_of_a_word_is_the_same_word(
    row: tuple[str, str], joint: str, flips: list[bool]
) -> None:
    marks = zip(joint.join(row[0].split("_")), flips, strict=False)
    spelt = "".join(mark.upper() if upper else mark for mark, upper in marks)

    assert normalise(spelt) == row[1]


@given(st.text(min_size=1))
def test_unknown_word_is_kept_and_never_reads_as_completed(word: str) -> None:
    found = normalise(word)

    assert found == word or word.lower().replace("-", "").replace("_", "").replace(" ", "") in {
        spelling.replace("_", "") for spelling, _ in _SPELLINGS
    }
    if found == word and word not in ENDINGS:
        row = ending(word)
        assert (row.reason, row.group, row.exit_code, row.status, row.told) == (
            word,
            "generic",
            1,
            "failed",
            True,
        )


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("completed", ""),
        ("timeout", "retry as is"),
        ("aborted", "retry as is"),
        ("auth_failed", "fix-credentials"),
        ("max_steps", "resume"),
        ("invalid_request", "sending the same again will not help"),
        ("superseded", "sending the same again will not help"),
        ("who knows", "retry as is"),
    ],
)
def test_advice_names_the_cheapest_thing_that_helps(reason: str, said: str) -> None:
    assert advice(reason) == said


def test_rows_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ENDINGS["error"].told = False  # type: ignore[misc]  # that it cannot be set is the point


def test_sites_name_known_reasons_and_every_reason_has_a_site() -> None:
    named = {reason for reasons in SITES.values() for reason in reasons}

    assert named - {"*"} <= set(ENDINGS)
    for reason, row in ENDINGS.items():
        own = [site for site in row.sites if SITES[site] != ("*",)]
        assert own, reason
        assert all(reason in SITES[site] for site in own)


def _literal_sites() -> Iterator[tuple[str, str]]:
    for folder in ("gateway", "agents"):
        for path in sorted((Path(__file__).parents[3] / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.keyword)
                    and node.arg == "site"
                    and isinstance(node.value, ast.Constant)
                ):
                    yield path.name, str(node.value.value)


def test_every_site_in_the_sources_is_a_known_one() -> None:
    assert [(name, site) for name, site in _literal_sites() if site and site not in SITES] == []
