"""An answer as Telegram messages: text with entities, never markup that can fail to parse.

What the gateway says itself (the line before an answer, the note after it) stands in a block quotation, and
nothing else does: a quotation of the agent's is written with `> ` before its lines. So whatever an agent
writes reads as the agent's, also where it is the wording of a note to the letter. Only a message without
entities, sent once after Telegram refused it with them, can't tell the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gateway.messages import Action, Answer, Direction, Note, Part
from gateway.text import Rich, Span, direction, inline_plain, join, parse, split, utf16_length
from gateway_adapters.telegram.entities import entities, tame, unpinged, with_contacts

__all__ = ["render"]

_LIMIT = 4096  # UTF-16 code units a message takes
_ENTITIES = 90  # of the 100 that Telegram keeps; the others are for what the gateway says
_MARKS: dict[Direction, str] = {"ltr": "\u200e", "rtl": "\u200f"}
_MARKUP = "[]*_`~<&\\|!\n"  # what Markdown costs time by
_MOST = 10_000  # of those, read in a tenth of a second; ten long answers hold fewer
_FULL_WIDTH_AT = "\uff20"
_UNSEEN = re.compile(  # a message of these alone is refused as empty, or shows nothing
    r"[\s\x00-\x1f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufffc\U000e0000-\U000e0fff]*"
)


class _Message:
    """What one message says: blocks of the agent's and of the gateway's, in order."""

    def __init__(self, block: Rich, *, ours: bool) -> None:
        self.blocks = [block]
        self.ours = ours

    def takes(self, block: Rich, at: int) -> bool:
        """Put a block at a place if there is room for the whole of it; whether there was."""
        grown = [*self.blocks]
        grown.insert(at, block)
        if utf16_length(_together(grown).text) > _LIMIT:
            return False
        self.blocks = grown
        return True

    def body(self) -> dict[str, Any]:
        """The text with its entities."""
        rich = _together(self.blocks)
        return {"text": rich.text, "entities": entities(rich)} if rich.spans else {"text": rich.text}

    def plain(self) -> dict[str, Any]:
        """The text alone, with the targets of links where there is room for all of them."""
        text = unpinged(_together([Rich(inline_plain(block)) for block in self.blocks]).text)
        if utf16_length(text) > _LIMIT:
            text = unpinged(_together(self.blocks).text, at=_FULL_WIDTH_AT)
        return {"text": text}


def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
    """The messages that carry an answer; none for one of which nothing can be seen.

    Args:
        answer: The answer.
        key: What the ids of the parts begin with.
    """
    messages = [_Message(piece, ours=False) for piece in _said(answer)]
    if answer.lead:
        _lead(messages, answer.lead)
    noted = _note(messages, answer.note) if answer.note else 0
    parts: list[Part] = []
    for index, message in enumerate(messages):
        around = _around(answer, first=index == 0, last=index == len(messages) - 1)
        alone = message.ours and index >= len(messages) - noted
        parts.append(
            Part(
                f"{key}.{index}",
                body={**message.body(), **around},
                plain={**message.plain(), **around},
                role="note" if alone else "text",
            )
        )
    return tuple(parts)


def _said(answer: Answer) -> Iterator[Rich]:
    """The agent's text in pieces that each fit into a message.

    One with more markup than any answer needs is written as it is: nobody else can be served meanwhile.
    """
    text = _encodable(answer.text)
    if _UNSEEN.fullmatch(text):
        return
    plain = answer.plain or sum(map(text.count, _MARKUP)) > _MOST
    rich = tame(Rich(text) if plain else parse(text))
    for piece in _pieces(rich, _LIMIT):
        if not _UNSEEN.fullmatch(piece.text):
            yield piece


def _pieces(rich: Rich, limit: int) -> Iterator[Rich]:
    """Cut a text so that each piece has room for the entities it needs; looks beyond that are left out."""
    for piece in split(rich, limit=limit, measure=utf16_length):
        if len(piece.spans) <= _ENTITIES:
            yield piece
            continue
        needed = [span for span in piece.spans if _is_needed(span, piece.text)]
        if len(needed) > _ENTITIES:
            yield from _pieces(piece, max(2, utf16_length(piece.text) // 2))
        else:
            yield Rich(piece.text, _foremost(piece.spans, frozenset(needed)))


def _is_needed(span: Span, text: str) -> bool:
    """Whether something is lost without the span: a target, the lines of code, the calm of a name in code."""
    return span.kind in {"pre", "link"} or (span.kind == "code" and "@" in text[span.start : span.end])


def _foremost(spans: Sequence[Span], needed: frozenset[Span]) -> tuple[Span, ...]:
    """The needed spans and as many of the others as there is room for, code before looks."""
    others = sorted((span for span in spans if span not in needed), key=lambda span: span.kind != "code")
    kept = needed.union(others[: _ENTITIES - len(needed)])
    return tuple(span for span in spans if span in kept)


def _lead(messages: list[_Message], text: str) -> None:
    lines = split(_voice(_encodable(text)), limit=_LIMIT, measure=utf16_length)
    if not (messages and len(lines) == 1 and messages[0].takes(lines[0], 0)):
        messages[:0] = [_Message(line, ours=True) for line in lines]


def _note(messages: list[_Message], note: Note) -> int:
    """Put the note at the end, whole; how many messages at the end hold it."""
    text = "\n".join(_facing(line, note.direction) for line in _encodable(note.text).strip().split("\n"))
    reference = _facing(_encodable(note.reference), note.direction)
    blocks = split(_voice(text, reference), limit=_LIMIT, measure=utf16_length)
    if messages and len(blocks) == 1 and messages[-1].takes(blocks[0], len(messages[-1].blocks)):
        return 1
    messages += (_Message(block, ours=True) for block in blocks)
    return len(blocks)


def _voice(text: str, reference: str = "") -> Rich:
    """What the gateway says: a block quotation in italics, a reference below it as code."""
    said = with_contacts(text)
    length = len(said.text)
    spans = [Span(0, length, "italic"), *said.spans]
    whole = said.text
    if reference:
        whole = f"{whole}\n{reference}"
        spans.append(Span(length + 1, len(whole), "code"))
    return Rich(whole, (Span(0, len(whole), "quote"), *spans))


def _facing(line: str, wanted: Direction) -> str:
    """A line that a display runs in the wanted direction, whatever it begins with."""
    return line if not line or direction(line) == wanted else f"{_MARKS[wanted]}{line}"


def _together(blocks: Sequence[Rich]) -> Rich:
    """Blocks with a blank line between them; white space that the agent ended with counts towards it."""
    whole = blocks[0]
    for block in blocks[1:]:
        newlines = len(whole.text) - len(whole.text.rstrip("\n"))
        whole = join("\n\n"[newlines:], whole, block)
    return whole


def _encodable(text: str) -> str:
    """The text with each half of a character that stands alone replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _around(answer: Answer, *, first: bool, last: bool) -> dict[str, Any]:
    """What goes with a message: the reply on the first, the buttons on the last."""
    around: dict[str, Any] = {"link_preview_options": {"is_disabled": True}}
    if first and answer.reply_to.isdecimal():
        around["reply_parameters"] = {
            "message_id": int(answer.reply_to),
            "allow_sending_without_reply": True,
        }
    if last and answer.actions:
        around["reply_markup"] = {"inline_keyboard": [[_button(action) for action in answer.actions]]}
    return around


def _button(action: Action) -> dict[str, str]:
    return {"text": action.label, "callback_data": action.token}
