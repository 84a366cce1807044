"""An answer as the text of a file; pure.

What the gateway says itself stands in lines that begin with a bar. An agent cannot write that bar, so nothing
it writes reads as a note or as a button.
"""

from __future__ import annotations

from gateway.messages import Action, Answer, Note, Part

__all__ = ["BUTTON", "MARK", "growing", "render"]

MARK = "▌ "
BUTTON = f"{MARK}→ "


def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
    """The one file that carries an answer, since a file takes any length; none for an empty answer.

    There is no plainer form than text, so `Part.plain` stays empty.
    """
    text = _theirs(answer.text)
    blocks = [
        _ours(answer.lead),
        text if text.strip() else "",
        _note(answer.note) if answer.note else "",
        "\n".join(map(_button, answer.actions)),
    ]
    whole = "\n\n".join(filter(None, blocks))
    if not whole:
        return ()
    return (Part(f"{key}.0", {"text": whole}, role="text" if text.strip() else "note"),)


def growing(text: str) -> str:
    """The answer as it stands, with a sign that more will follow."""
    return f"{_theirs(text)}\n\n{MARK}…"


def _theirs(text: str) -> str:
    """The agent's words without the bar, and without halves of characters, which no file takes."""
    return text.encode("utf-8", "replace").decode("utf-8").replace(MARK.strip(), "|")


def _ours(text: str) -> str:
    return "\n".join(f"{MARK}{line}" for line in text.splitlines())


def _note(note: Note) -> str:
    return _ours(f"{note.text}\n{note.reference}".rstrip())


def _button(action: Action) -> str:
    return f"{BUTTON}{action.label}: {action.token}"
