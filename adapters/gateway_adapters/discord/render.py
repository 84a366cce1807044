"""An answer as Discord messages.

What the gateway says itself (the line before an answer, the note after it) is subtext, and nothing else is:
what an agent writes like that is shown with its marks. So whatever an agent writes reads as the agent's, also
where it is the wording of a note to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.messages import Action, Answer, Direction, Note, Part
from gateway.text import Rich, direction, inline_plain, parse, split, utf16_length
from gateway_adapters.discord.markup import cost, escaped, written

__all__ = ["preview", "render"]

_LIMIT = 2000  # characters a message takes; UTF-16 code units are as many or more
_LABEL = 80  # characters on a button
_NO_PICTURES = 1 << 2  # flag: links bring no preview of what they lead to
_BUTTONS, _BUTTON, _MAIN, _OTHER = 1, 2, 1, 2  # kinds of components, and looks of buttons
_SUBTEXT = "-# "
_MARKS: dict[Direction, str] = {"ltr": "\u200e", "rtl": "\u200f"}
_MARKUP = "[]*_`~<&\\|!\n"  # what Markdown costs time by
_MOST = 10_000  # of those, read in a tenth of a second
_GROWING = 6000  # characters at the end of a text that grows, of which the last message is shown
_UNSEEN = re.compile(  # a message of these alone is refused as empty, or shows nothing
    r"[\s\x00-\x1f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufffc\U000e0000-\U000e0fff]*"
)


@dataclass(slots=True)
class _Message:
    """What one message says, formatted and as plainly as can be."""

    content: str
    plain: str
    ours: bool = False

    def takes(self, other: _Message, *, before: bool = False) -> bool:
        """Put something after it, or before it, if there is room for the whole of it; whether there was."""
        content, plain = (
            f"{new}\n{old}" if before else f"{old}\n{new}"
            for old, new in ((self.content, other.content), (self.plain, other.plain))
        )
        if max(utf16_length(content), utf16_length(plain)) > _LIMIT:
            return False
        self.content, self.plain = content, plain
        return True


def render(answer: Answer, *, key: str) -> tuple[Part, ...]:
    """The messages that carry an answer; none for one of which nothing can be seen.

    Args:
        answer: The answer.
        key: What the ids of the parts begin with.
    """
    messages = list(_said(answer))
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
                body={"content": message.content, **around},
                plain={"content": message.plain, **around},
                role="note" if alone else "text",
            )
        )
    return tuple(parts)


def preview(text: str) -> dict[str, Any]:
    """The end of a text that grows, as one message; empty where nothing can be seen.

    Args:
        text: The whole text so far, as Markdown that may be cut anywhere.
    """
    said = list(_said(Answer(text[-_GROWING:])))
    if not said:
        return {}
    cut = len(said) > 1 or len(text) > _GROWING
    content = said[-1].content
    if cut and utf16_length(content) < _LIMIT:
        content = f"…\n{content}" if content.startswith("```") else f"…{content}"
    return {"content": content[:_LIMIT], **_around(Answer(), first=False, last=False)}


def _said(answer: Answer) -> Iterator[_Message]:
    """The agent's text in pieces that each fit into a message.

    One with more markup than any answer needs is written as it is: nobody else can be served meanwhile.
    """
    text = _encodable(answer.text)
    if _UNSEEN.fullmatch(text):
        return
    plain = answer.plain or sum(map(text.count, _MARKUP)) > _MOST
    for piece in _pieces(Rich(text) if plain else parse(text), _LIMIT):
        yield _Message(written(piece), _plainest(piece))


def _pieces(rich: Rich, limit: int) -> Iterator[Rich]:
    """Cut a text so that each piece has room for the marks it needs."""
    for piece in split(rich, limit=limit, measure=cost):
        if _UNSEEN.fullmatch(piece.text):
            continue
        size = utf16_length(written(piece))
        if size > _LIMIT:
            fitting = cost(piece.text) * _LIMIT // size
            yield from _pieces(piece, max(2, fitting - fitting // 8))
        else:
            yield piece


def _plainest(piece: Rich) -> str:
    """The text without formatting; with the targets of links where there is room for them."""
    fitting = (
        text for text in (escaped(inline_plain(piece)), escaped(piece.text)) if utf16_length(text) <= _LIMIT
    )
    return next(fitting, piece.text)


def _lead(messages: list[_Message], text: str) -> None:
    lines = _voice(_encodable(text))
    if not (messages and len(lines) == 1 and messages[0].takes(lines[0], before=True)):
        messages[:0] = lines


def _note(messages: list[_Message], note: Note) -> int:
    """Put the note at the end, whole; how many messages at the end hold it."""
    text = f"{_encodable(note.text).strip()}\n{_encodable(note.reference)}".strip()
    blocks = _voice("\n".join(_facing(line, note.direction) for line in text.split("\n")))
    if messages and len(blocks) == 1 and messages[-1].takes(blocks[0]):
        return 1
    messages += blocks
    return len(blocks)


def _voice(text: str) -> Sequence[_Message]:
    """What the gateway says: each line as subtext."""
    room = _LIMIT - (len(_SUBTEXT) + 1) * (text.count("\n") + 2)
    found: list[_Message] = []
    for block in split(Rich(text), limit=max(2, room), measure=lambda said: 2 * utf16_length(said)):
        lines = [line for line in block.text.split("\n") if line.strip()]
        content = "\n".join(f"{_SUBTEXT}{escaped(line)}" for line in lines)
        found.append(_Message(content, content, ours=True))
    return found


def _facing(line: str, wanted: Direction) -> str:
    """A line that a display runs in the wanted direction, whatever it begins with."""
    return line if not line or direction(line) == wanted else f"{_MARKS[wanted]}{line}"


def _encodable(text: str) -> str:
    """The text with what Discord takes for no character replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd")


def _around(answer: Answer, *, first: bool, last: bool) -> dict[str, Any]:
    """What goes with a message: that it pings nobody, the reply on the first, the buttons on the last."""
    actions = answer.actions if last else ()
    buttons = [_button(action, main=index == 0) for index, action in enumerate(actions)]
    around: dict[str, Any] = {
        "allowed_mentions": {"parse": []},
        "flags": _NO_PICTURES,
        "components": [{"type": _BUTTONS, "components": buttons}] if buttons else [],
    }
    if first and answer.reply_to.isdecimal():
        around["message_reference"] = {"message_id": answer.reply_to, "fail_if_not_exists": False}
    return around


def _button(action: Action, *, main: bool) -> dict[str, Any]:
    label = action.label if len(action.label) <= _LABEL else f"{action.label[: _LABEL - 1]}…"
    return {
        "type": _BUTTON,
        "style": _MAIN if main else _OTHER,
        "label": label,
        "custom_id": action.token,
    }
