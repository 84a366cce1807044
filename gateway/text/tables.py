"""A table as lines of text: aligned when it is narrow enough for a phone, else row by row."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import regex

from gateway.text.pen import Pen
from gateway.text.spans import Rich, inline_plain

__all__ = ["table", "width"]

_WIDE = 64  # columns of characters; wider lines wrap on a phone and the alignment is lost
_RULE = "-+-"
_FENCE = " | "
_UNSEEN = frozenset({"Mn", "Me", "Cf", "Cc"})
_FLAG = range(0x1F1E6, 0x1F200)
_GRAPHEME = regex.compile(r"\X")


def table(rows: Sequence[Sequence[Rich]], aligns: Sequence[str]) -> Rich:
    """Lay a table out.

    Args:
        rows: Cells by row, the head first, all rows equally long.
        aligns: `left`, `right`, `center` or empty, one for each column.
    """
    cells = [[inline_plain(cell) for cell in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(*cells, strict=True)]
    if sum(widths) + len(_FENCE) * (len(widths) - 1) > _WIDE:
        return _records(rows)
    lines = [_line(row, widths, aligns) for row in cells]
    lines.insert(1, _RULE.join("-" * size for size in widths))
    pen = Pen()
    pen.open("pre")
    pen.write("\n".join(lines))
    pen.close()
    return pen.rich()


def width(text: str) -> int:
    """How many columns of a fixed-width font a text takes; East Asian wide characters and emoji take two."""
    if text.isascii():
        return len(text)
    return sum(_columns(grapheme) for grapheme in _GRAPHEME.findall(text))


def _columns(grapheme: str) -> int:
    if all(unicodedata.category(char) in _UNSEEN for char in grapheme):
        return 0
    wide = any(unicodedata.east_asian_width(char) in "WF" for char in grapheme)
    return 2 if wide or "\ufe0f" in grapheme or ord(grapheme[0]) in _FLAG else 1


def _line(cells: Sequence[str], widths: Sequence[int], aligns: Sequence[str]) -> str:
    padded = (_pad(*column) for column in zip(cells, widths, aligns, strict=True))
    return _FENCE.join(padded).rstrip()


def _pad(cell: str, size: int, align: str) -> str:
    spare = size - width(cell)
    before = {"right": spare, "center": spare // 2}.get(align, 0)
    return " " * before + cell + " " * (spare - before)


def _records(rows: Sequence[Sequence[Rich]]) -> Rich:
    """Each row as lines of head and cell, a blank line between rows; the head alone when it has no rows."""
    head, *body = rows
    pen = Pen()
    for row in body or [head]:
        if pen.length:
            pen.write("\n\n" if not pen.at_line_start else "\n")
        _record(pen, head if body else (), row)
    return pen.rich()


def _record(pen: Pen, head: Sequence[Rich], row: Sequence[Rich]) -> None:
    written = False
    for index, cell in enumerate(row):
        if not cell.text:
            continue
        if written:
            pen.write("\n")
        written = True
        if index < len(head) and head[index].text:
            pen.open("bold")
            pen.write(f"{head[index].text}:")
            pen.close()
            pen.write(" ")
        pen.add(cell)
