"""A table as lines of text: aligned when it is narrow enough for a phone, else row by row."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

import regex

from gateway.text.spans import Rich, Span, inline_plain, join

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
        return _records(rows) if _repeatable(cells) else _plain_rows(rows)
    lines = [_line(row, widths, aligns) for row in cells]
    lines.insert(1, _RULE.join("-" * size for size in widths))
    text = "\n".join(lines)
    return Rich(text, (Span(0, len(text), "pre"),))


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


def _repeatable(cells: Sequence[Sequence[str]]) -> bool:
    """Whether there are rows, and the head repeated in each of them would not drown what they say."""
    head, *body = (sum(map(len, row)) for row in cells)
    return 0 < head * len(body) <= 2 * sum(body)


def _plain_rows(rows: Sequence[Sequence[Rich]]) -> Rich:
    """One line for each row, nothing aligned."""
    return join("\n", *(join(_FENCE, *(cell for cell in row if cell.text)) for row in rows))


def _records(rows: Sequence[Sequence[Rich]]) -> Rich:
    """Each row as lines of head and cell, a blank line between rows; an empty column stands in the first."""
    head, *body = rows
    empty = {index for index in range(len(head)) if not any(row[index].text for row in body)}
    first, *others = body
    records = [_record(head, first, empty), *(_record(head, row, frozenset()) for row in others)]
    return join("\n\n", *(record for record in records if record.text))


def _record(head: Sequence[Rich], row: Sequence[Rich], empty: Collection[int]) -> Rich:
    return join(
        "\n",
        *(
            _labelled(head[index].text, cell)
            for index, cell in enumerate(row)
            if cell.text or (index in empty and head[index].text)
        ),
    )


def _labelled(label: str, cell: Rich) -> Rich:
    if not label:
        return cell
    name = Rich(f"{label}:", (Span(0, len(label) + 1, "bold"),))
    return join(" ", name, cell) if cell.text else name
