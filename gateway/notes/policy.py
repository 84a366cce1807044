"""Decide what a person is told of an ending; always asked, never raises."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

from gateway.completion.model import TurnCompletion
from gateway.completion.registry import normalise, variant
from gateway.completion.shape import Variant
from gateway.messages import ActionKind, Note
from gateway.notes.catalogue import Notebook
from gateway.notes.detail import presentable
from gateway.notes.filling import direction_of

__all__ = ["Circumstances", "Decision", "NoteSettings", "decide"]

_REFERENCED = frozenset({"hiccup", "unavailable", "invalid", "error", "generic"})
_GENERIC = TurnCompletion("unknown").note()


@dataclass(frozen=True, slots=True)
class NoteSettings:
    """What one bot's operator chose.

    Attributes:
        surface: Whether endings are told at all.
        never_silent: Whether an addressed person whose turn showed nothing is told even so.
        contact: Whom to turn to when something is wrong on our side.
        reference: When the short reference stands after a note.
    """

    surface: bool = False
    never_silent: bool = True
    contact: str = ""
    reference: Literal["always", "faults", "never"] = "faults"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What decides how an ending is told.

    Attributes:
        partial: Whether answer text is visible.
        visible: Whether anything at all was shown (text, a delivered question).
        addressed: Whether the bot was meant.
        resumable: Whether there is something to carry on with, and the agent can.
        told: Whether an owner alert was really delivered for this incident.
        when: More circumstance words of the registry, such as `expired` or `large`.
        limit: The greatest size that is taken, in words.
        ref: The turn's short reference.
        wait: Seconds until trying again makes sense; `None` when unknown.
    """

    language: str = "en"
    partial: bool = False
    visible: bool = False
    addressed: bool = True
    resumable: bool = False
    told: bool = False
    when: frozenset[str] = field(default_factory=frozenset[str])
    limit: str = ""
    ref: str = ""
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What is told, and what the record says about it.

    Attributes:
        noted: `yes`, `clean`, `suppressed_by:<key>` or `unclassified`.
        group: The text group that was, or would have been, used; empty for none.
    """

    note: Note | None
    actions: tuple[ActionKind, ...]
    noted: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class _Case:
    """One ending to be told, and how."""

    completion: TurnCompletion
    around: Circumstances
    settings: NoteSettings
    notebook: Notebook


def decide(
    completion: TurnCompletion | None,
    circumstances: Circumstances,
    settings: NoteSettings,
    notebook: Notebook,
) -> Decision:
    """What to tell of an ending."""
    try:
        if completion is None:
            return _unclassified(circumstances, settings, notebook)
        return _decide(_Case(completion, circumstances, settings, notebook))
    except Exception:  # noqa: BLE001  # telling of a failure must not become a second one
        return _generic(completion, circumstances, settings)


def _decide(case: _Case) -> Decision:
    around = case.around
    reason = normalise(case.completion.reason)
    if reason == "completed" and not around.visible:
        reason = "empty_response"
    chosen = variant(reason, when=_words(case))
    asked = reason == "suspended" and around.visible  # the question that was shown says it all
    if not chosen.group or asked:
        return Decision(None, (), "clean")
    key = _suppressor(reason, around, case.settings)
    if key:
        return Decision(None, (), f"suppressed_by:{key}", chosen.group)
    return Decision(_note(reason, chosen, case), chosen.buttons, "yes", chosen.group)


def _unclassified(around: Circumstances, settings: NoteSettings, notebook: Notebook) -> Decision:
    """Nobody said how the turn ended: a defect of ours, told only where silence would be the outcome."""
    if around.visible:
        return Decision(None, (), "unclassified")
    decided = _decide(_Case(TurnCompletion("empty_response"), around, settings, notebook))
    return decided if decided.note is None else replace(decided, noted="unclassified")


def _generic(completion: TurnCompletion | None, around: Circumstances, settings: NoteSettings) -> Decision:
    key = _suppressor("", around, settings)
    if key:
        return Decision(None, (), f"suppressed_by:{key}", "generic")
    reason = normalise(completion.reason) if completion is not None else "error"
    return Decision(Note(_GENERIC, reason), ("retry",), "yes", "generic")


def _suppressor(reason: str, around: Circumstances, settings: NoteSettings) -> str:
    """The configuration key that keeps an ending from being told; empty for none."""
    if not settings.surface:
        owed = around.addressed and not around.visible
        if not owed:
            return "surface_completion_reason"
        return "" if settings.never_silent else "never_silent"
    # An agent that listens to a whole group may have nothing to say to words that were not for it.
    return "access.groups" if reason == "empty_response" and not around.addressed else ""


def _words(case: _Case) -> frozenset[str]:
    around = case.around
    held = {
        "partial": around.partial,
        "empty": not around.partial,
        "visible": around.visible,
        "resumable": around.resumable,
        "told": around.told,
        "contact": bool(case.settings.contact),
        "wait": around.wait is not None and math.isfinite(around.wait) and around.wait > 0,
    }
    return around.when | {word for word, holds in held.items() if holds}


def _note(reason: str, chosen: Variant, case: _Case) -> Note:
    around, settings, notebook = case.around, case.settings, case.notebook
    language = around.language
    text, direction = presentable(case.completion.detail), notebook.direction(language)
    if text:
        direction = direction_of(text)
    else:
        text = notebook.render(
            chosen.group,
            chosen.icon,
            language,
            reason=reason,
            wait=notebook.wait(around.wait, language),
            contact=settings.contact,
            limit=around.limit,
        )
    return Note(text, reason, language, direction, _reference(chosen.group, case))


def _reference(group: str, case: _Case) -> str:
    wanted = case.settings.reference
    fault = group.partition(".")[0] in _REFERENCED
    if not case.around.ref or wanted == "never" or (wanted == "faults" and not fault):
        return ""
    return case.notebook.reference(case.around.ref, case.around.language)
