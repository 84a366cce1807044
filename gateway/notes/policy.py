"""Decide what a person is told of an ending; always asked, never raises."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, cast

from gateway.completion.model import TurnCompletion
from gateway.completion.registry import normalise, variant
from gateway.messages import ActionKind, Note
from gateway.notes.catalogue import Notebook

__all__ = ["Circumstances", "Decision", "NoteSettings", "decide"]

_REFERENCED = ("hiccup", "unavailable", "invalid", "error", "generic")
_DETAIL_LIMIT = 300  # characters of an agent's own note
_GENERIC = "⏳ This turn ended early — please try again."
# What an agent's own note must not carry into a chat: keys, addresses, paths, traces.
_INTERNAL = re.compile(
    r"https?://\S+|\b(?:sk|gsk|rk|pk|xox[a-z]|ghp|AIza)[-_]?[\w-]{8,}|\d{6,12}:[\w-]{30,}|\bBearer\s+\S+"
    r"|(?<![\w.])(?:/[\w.-]+){2,}|\b[A-Za-z]:\\\S+|Traceback \(most recent call last\).*",
    re.DOTALL,
)


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


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decides how an ending is told.

    Attributes:
        partial: Whether answer text is visible.
        visible: Whether anything at all was shown (text, a delivered question).
        told: Whether an owner alert was really delivered for this incident.
        when: More circumstance words of the registry, such as `expired` or `large`.
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
        group: The text group that was used; empty for none.
    """

    note: Note | None
    actions: tuple[ActionKind, ...]
    noted: str
    group: str = ""


def decide(
    completion: TurnCompletion | None,
    circumstances: Circumstances,
    settings: NoteSettings,
    notebook: Notebook,
) -> Decision:
    """What to tell of an ending."""
    try:
        return _decide(completion, circumstances, settings, notebook)
    except Exception:  # noqa: BLE001  # telling of a failure must not become a second one
        reason = completion.reason if completion is not None else ""
        return Decision(Note(_GENERIC, reason), ("retry",), "yes", "generic")


def _decide(
    completion: TurnCompletion | None, around: Circumstances, settings: NoteSettings, notebook: Notebook
) -> Decision:
    if completion is None:
        return _unclassified(around, settings, notebook)
    reason = normalise(completion.reason)
    if reason == "completed":
        if around.visible:
            return Decision(None, (), "clean")
        reason = "empty_response"
    told = variant(reason, when=_words(around, settings))
    if not told.group:
        return Decision(None, (), "clean")
    owed = not around.visible and around.addressed
    if not settings.surface and not (owed and settings.never_silent):
        key = "never_silent" if owed else "surface_completion_reason"
        return Decision(None, (), f"suppressed_by:{key}", told.group)
    note = _note(reason, told.group, told.icon, completion, around, settings, notebook)
    return Decision(note, cast("tuple[ActionKind, ...]", told.buttons), "yes", told.group)


def _unclassified(around: Circumstances, settings: NoteSettings, notebook: Notebook) -> Decision:
    if around.visible:
        return Decision(None, (), "unclassified")
    empty = TurnCompletion("empty_response", site="session.unclassified")
    decided = _decide(empty, around, settings, notebook)
    return Decision(decided.note, decided.actions, "unclassified", decided.group)


def _words(around: Circumstances, settings: NoteSettings) -> frozenset[str]:
    held = {
        "partial": around.partial,
        "empty": not around.partial,
        "visible": around.visible,
        "resumable": around.resumable,
        "told": around.told,
        "contact": bool(settings.contact),
        "wait": around.wait is not None,
    }
    return around.when | {word for word, holds in held.items() if holds}


def _note(
    reason: str,
    group: str,
    icon: str,
    completion: TurnCompletion,
    around: Circumstances,
    settings: NoteSettings,
    notebook: Notebook,
) -> Note:
    language = around.language
    if completion.detail and (own := _own_words(completion.detail)):
        text = own
    else:
        text = notebook.render(
            group,
            icon,
            language,
            reason=reason,
            wait=notebook.wait(around.wait, language) if around.wait is not None else "",
            contact=settings.contact,
            limit=around.limit,
        )
    wanted = settings.reference == "always" or (
        settings.reference == "faults" and group.partition(".")[0] in _REFERENCED
    )
    reference = notebook.reference(around.ref, language) if wanted and around.ref else ""
    return Note(text, reason, language, notebook.direction(language), reference)


def _own_words(detail: str) -> str:
    """An agent's own note, made safe: one line, bounded, nothing internal."""
    text = " ".join(_INTERNAL.sub(" ", detail).split())
    return text if len(text) <= _DETAIL_LIMIT else f"{text[: _DETAIL_LIMIT - 1].rstrip()}…"
