"""An answer as what the page shows: one part, the note apart from the agent's text."""

from __future__ import annotations

from typing import Any

from gateway.messages import Answer, Note, Part
from gateway_adapters.local.markdown import plain_html, to_html

__all__ = ["render"]


def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
    """The one part that carries an answer; none for an answer with nothing in it."""
    text = answer.text if answer.text.strip() else ""
    if not (text or answer.note or answer.lead or answer.actions):
        return ()
    around = _around(answer)
    html = plain_html(text) if answer.plain else to_html(text)
    return (
        Part(
            f"{key}.0",
            body={"text": text, "html": html, **around},
            plain={"text": text, **around},
            role="text" if text else "note",
        ),
    )


def _around(answer: Answer) -> dict[str, Any]:
    """Everything that stands around the agent's text, each in a field of its own."""
    around: dict[str, Any] = {}
    if answer.lead:
        around["lead"] = answer.lead
    if answer.note is not None:
        around["note"] = _note(answer.note)
    if answer.actions:
        around["actions"] = [
            {"kind": action.kind, "token": action.token, "label": action.label} for action in answer.actions
        ]
    return around


def _note(note: Note) -> dict[str, str]:
    return {
        "text": note.text,
        "language": note.language,
        "direction": note.direction,
        "reference": note.reference,
        "reason": note.reason,
    }
