"""An answer as Slack messages: blocks that say what they are, and the same as plain words.

What the gateway says itself (the line before an answer, the note after it) stands in a context block, small
and grey, and nothing of the agent's ever does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gateway.messages import Action, Answer, Direction, Note, Part
from gateway.text import Rich, direction, inline_plain, parse, split
from gateway_adapters.slack.inbound import BUTTON
from gateway_adapters.slack.markup import blocks, escaped, measure, tame, weight

__all__ = ["LIMIT", "growing", "render"]

LIMIT = 3900
"""How long a text in one message may be, as `measure` counts; an edit takes 4,000."""

_HEAVIEST = 11_000  # characters of blocks; Slack refuses what is over about 13,000
_CONTEXT = 2400  # of a context block, of 3,000
_LABEL = 75  # characters on a button
_MARKS: dict[Direction, str] = {"ltr": "\u200e", "rtl": "\u200f"}
_MARKUP = "[]*_`~<&\\|!\n"  # what Markdown costs time by
_MOST = 10_000  # of those, read in a tenth of a second; ten long answers hold fewer
_UNSEEN = re.compile(  # a message of these alone shows nothing
    r"[\s\x00-\x1f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufffc\U000e0000-\U000e0fff]*"
)


class _Message:
    """What one message says, in order: blocks, and the same as plain words."""

    def __init__(self, made: list[dict[str, Any]], words: str, *, ours: bool) -> None:
        self.blocks = made
        self.words = [words]
        self.ours = ours

    def takes(self, made: dict[str, Any], words: str, *, first: bool = False) -> bool:
        """Put a context block at an end if there is room for the whole of it; whether there was."""
        if weight([*self.blocks, made]) > _HEAVIEST:
            return False
        at = 0 if first else len(self.blocks)
        self.blocks.insert(at, made)
        self.words.insert(0 if first else len(self.words), words)
        return True

    def plain(self) -> dict[str, Any]:
        """The words alone; of `*` and the like Slack makes nothing."""
        return {"text": escaped("\n\n".join(self.words)), "mrkdwn": False, **_CALM}

    def body(self) -> dict[str, Any]:
        """The blocks, and what a notification reads out, which an edit takes no more than 4,000 of."""
        words = Rich("\n\n".join(self.words))
        read = next(iter(split(words, limit=LIMIT, measure=measure)), words)
        return {"text": escaped(read.text), "blocks": self.blocks, **_CALM}


_CALM = {"unfurl_links": False, "unfurl_media": False}


def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
    """The messages that carry an answer; none for one of which nothing can be seen.

    Args:
        answer: The answer.
        key: What the ids of the parts begin with.
    """
    messages = [_Message(made, inline_plain(rich), ours=False) for rich, made in _said(answer)]
    if answer.lead:
        _lead(messages, answer.lead)
    noted = _note(messages, answer.note) if answer.note else 0
    if messages and answer.actions:
        messages[-1].blocks.append(_buttons(answer.actions))
    return tuple(
        Part(
            f"{key}.{index}",
            body=message.body(),
            plain=_with_buttons(message),
            role="note" if message.ours and index >= len(messages) - noted else "text",
        )
        for index, message in enumerate(messages)
    )


def growing(text: str) -> dict[str, Any]:
    """What is shown of an unfinished answer: its end, where it grows; empty when nothing can be seen."""
    end = _encodable(text).strip()
    for most in (LIMIT, LIMIT // 2, LIMIT // 8):
        shown = _tail(end, most)
        pieces = list(_said(Answer(shown if shown == end else f"…{shown}")))
        if len(pieces) == 1:
            rich, made = pieces[0]
            return {"text": escaped(inline_plain(rich))[:LIMIT], "blocks": made, **_CALM}
    return {}


def _tail(text: str, most: int) -> str:
    tail = text[-most:]
    while measure(tail) > most - 1:
        tail = tail[max(1, len(tail) // 16) :]
    return tail


def _said(answer: Answer) -> Iterator[tuple[Rich, list[dict[str, Any]]]]:
    """The agent's text in pieces that each fit into a message.

    One with more markup than any answer needs is written as it is: nobody else can be served meanwhile.
    """
    text = _encodable(answer.text)
    if _UNSEEN.fullmatch(text):
        return
    plain = answer.plain or sum(map(text.count, _MARKUP)) > _MOST
    rich = tame(Rich(text) if plain else parse(text))
    yield from _pieces(rich, LIMIT)


def _pieces(rich: Rich, limit: int) -> Iterator[tuple[Rich, list[dict[str, Any]]]]:
    """Cut a text so that no piece is too long or, for its looks, too heavy."""
    for piece in split(rich, limit=limit, measure=measure):
        if _UNSEEN.fullmatch(piece.text):
            continue
        made = blocks(piece)
        if weight(made) <= _HEAVIEST:
            yield piece, made
        elif measure(piece.text) > 400:
            yield from _pieces(piece, measure(piece.text) // 2)
        else:  # more looks than letters
            yield from _pieces(Rich(inline_plain(piece)), LIMIT)


def _lead(messages: list[_Message], text: str) -> None:
    lines = list(_contexts(_encodable(text)))
    if not (messages and len(lines) == 1 and messages[0].takes(*lines[0], first=True)):
        messages[:0] = [_Message([made], words, ours=True) for made, words in lines]


def _note(messages: list[_Message], note: Note) -> int:
    """Put the note at the end, whole; how many messages at the end hold it."""
    text = "\n".join(_facing(line, note.direction) for line in _encodable(note.text).strip().split("\n"))
    reference = _facing(_encodable(note.reference), note.direction)
    said = list(_contexts(text, reference))
    if messages and len(said) == 1 and messages[-1].takes(*said[0]):
        return 1
    messages += (_Message([made], words, ours=True) for made, words in said)
    return len(said)


def _contexts(text: str, reference: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """What the gateway says: a context block, with the same in plain words; a reference below it as code."""
    pieces = [piece.text for piece in split(Rich(text), limit=_CONTEXT, measure=measure)]
    for index, piece in enumerate(pieces):
        told, words = escaped(piece), piece
        if reference and index == len(pieces) - 1:
            told, words = f"{told}\n`{escaped(reference)}`", f"{words}\n{reference}"
        yield {"type": "context", "elements": [{"type": "mrkdwn", "text": told}]}, words


def _facing(line: str, wanted: Direction) -> str:
    """A line that a display runs in the wanted direction, whatever it begins with."""
    return line if not line or direction(line) == wanted else f"{_MARKS[wanted]}{line}"


def _encodable(text: str) -> str:
    """The text with each half of a character that stands alone replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _with_buttons(message: _Message) -> dict[str, Any]:
    """The plain form; what offers something keeps its buttons, below the words in the plainest block."""
    buttons = [block for block in message.blocks if block["type"] == "actions"]
    plain = message.plain()
    if not buttons:
        return plain
    words = [piece.text for piece in split(Rich("\n\n".join(message.words)), limit=_CONTEXT, measure=measure)]
    sections = [
        {"type": "section", "text": {"type": "plain_text", "text": one, "emoji": False}} for one in words
    ]
    return {**plain, "blocks": [*sections, *buttons]}


def _buttons(actions: Sequence[Action]) -> dict[str, Any]:
    return {"type": "actions", "elements": [_button(index, one) for index, one in enumerate(actions)]}


def _button(index: int, action: Action) -> dict[str, Any]:
    label = {"type": "plain_text", "text": action.label[:_LABEL], "emoji": False}
    return {"type": "button", "action_id": f"{BUTTON}{index}", "text": label, "value": action.token}
