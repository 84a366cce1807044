"""Text with the ranges that are set apart in it, free of any platform's markup."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

__all__ = ["Edit", "Kind", "Rich", "Span", "amend", "inline_plain", "join", "write_out"]

Kind = Literal["bold", "italic", "strike", "code", "pre", "link", "quote"]


@dataclass(frozen=True, slots=True)
class Span:
    """A range that is set apart.

    Attributes:
        start: Offset of its first character, in code points.
        end: Offset after its last one; greater than `start`.
        kind: How it is set apart.
        value: The language of a `pre`, the target of a `link`; empty otherwise.
    """

    start: int
    end: int
    kind: Kind
    value: str = ""


@dataclass(frozen=True, slots=True)
class Rich:
    """Text and its spans.

    Attributes:
        text: What is read.
        spans: By `start`, outer before inner; no `bold`, `italic` or `strike` inside its own kind.
    """

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """A range of a text to be replaced; an insertion where `start` equals `end`."""

    start: int
    end: int
    text: str


def amend(rich: Rich, edits: Sequence[Edit]) -> Rich:
    """The text with its ranges replaced, the spans moved along.

    What is inserted at the edge of a span stays outside of it.

    Args:
        rich: The text.
        edits: By position, none overlapping another.
    """
    if not edits:
        return rich
    pieces: list[str] = []
    read = 0
    for edit in edits:
        pieces += rich.text[read : edit.start], edit.text
        read = edit.end
    pieces.append(rich.text[read:])
    shift = _Shift(edits)
    moved = (Span(shift.start(s.start), shift.end(s.end), s.kind, s.value) for s in rich.spans)
    return Rich("".join(pieces), tuple(span for span in moved if span.start < span.end))


class _Shift:
    """Where offsets come to lie after edits; an edge inside a replaced range moves behind it."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.start for edit in edits]
        self._ends = [edit.end for edit in edits]
        grown = (len(edit.text) - (edit.end - edit.start) for edit in edits)
        self._moved = list(accumulate(grown, initial=0))

    def start(self, offset: int) -> int:
        past = bisect_right(self._ends, offset)
        if past < len(self._starts) and self._starts[past] < offset:
            return self._ends[past] + self._moved[past + 1]
        return offset + self._moved[past]

    def end(self, offset: int) -> int:
        begun = bisect_left(self._starts, offset)
        if begun and self._ends[begun - 1] > offset:
            return self._ends[begun - 1] + self._moved[begun]
        return offset + self._moved[begun]


def join(separator: str, *pieces: Rich) -> Rich:
    """The pieces one after another, with the separator between them."""
    spans: list[Span] = []
    offset = 0
    for piece in pieces:
        spans += (Span(s.start + offset, s.end + offset, s.kind, s.value) for s in piece.spans)
        offset += len(piece.text) + len(separator)
    return Rich(separator.join(piece.text for piece in pieces), tuple(spans))


def write_out(rich: Rich, *, keep: Callable[[Span], bool]) -> Rich:
    """The text with the target of each link after it, where the text does not show it, in place of the link.

    Args:
        rich: The text.
        keep: Which links stay links.
    """
    lost = [span for span in rich.spans if span.kind == "link" and not keep(span)]
    if not lost:
        return rich
    hidden = (span for span in lost if rich.text[span.start : span.end] not in _spellings(span.value))
    edits = [Edit(span.end, span.end, f" ({span.value})") for span in hidden]
    dropped = frozenset(lost)
    return amend(Rich(rich.text, tuple(span for span in rich.spans if span not in dropped)), edits)


def inline_plain(rich: Rich) -> str:
    """The text alone, with the target of each link after it where the text does not show it already."""
    return write_out(rich, keep=lambda _: False).text


def _spellings(target: str) -> tuple[str, ...]:
    bare = target.partition("://")[2] or target.removeprefix("mailto:")
    return target, bare, target.removesuffix("/"), bare.removesuffix("/")
