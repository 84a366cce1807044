"""The blocks of a Markdown text: paragraphs, headings, lists, quotes, code and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from markdown_it.token import Token

from gateway.text.inline import inline, write_inline
from gateway.text.pen import Pen
from gateway.text.spans import Rich
from gateway.text.tables import table

__all__ = ["Blocks"]

_RULE = "———"
_BULLETS = "•◦▪"
_BOXES = {True: "☑ ", False: "☐ "}
_QUOTED = re.compile(r"^[\s>]*", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_ALIGN = re.compile(r"text-align:(\w+)")


class Blocks:
    """Writes block tokens: where a line begins, what stands before it, and the spans around blocks."""

    def __init__(self, source: str) -> None:
        self._source = source.split("\n")
        self._pen = Pen()
        self._line = 0  # the source line after the last block
        self._numbers: list[int | None] = []  # of each open list the number last used; None for bullets
        self._margins: list[str] = []  # what each open item puts before its further lines
        self._begun: list[str] = []  # items (their marker) and quotes (empty) that have no text yet
        self._items: list[Token] = []  # that are open
        self._write: dict[str, Callable[[Token], object]] = {
            "blockquote_open": lambda _: self._begun.append(""),
            "blockquote_close": lambda _: self._close_quote(),
            "bullet_list_open": lambda _: self._numbers.append(None),
            "bullet_list_close": lambda _: self._numbers.pop(),
            "ordered_list_open": lambda _: self._numbers.append(-1),
            "ordered_list_close": lambda _: self._numbers.pop(),
            "list_item_open": self._open_item,
            "list_item_close": lambda _: self._close_item(),
            "paragraph_open": self._begin,
            "heading_open": self._open_heading,
            "heading_close": lambda _: self._pen.close(),
            "inline": self._inline,
            "fence": self._fence,
            "code_block": self._code,
            "hr": self._rule,
        }

    def write(self, tokens: Sequence[Token]) -> Rich:
        """What the tokens say."""
        rest = iter(tokens)
        for token in rest:
            if token.type == "table_open":
                self._table(token, rest)
            elif write := self._write.get(token.type):
                write(token)
        return self._pen.rich()

    def _begin(self, token: Token) -> None:
        """Start a line for a block, a blank one before it where the source has one."""
        start, end = self._extent(token)
        if self._pen.length:
            self._pen.write("\n\n" if start > self._line else "\n")
        self._line = end
        known = len(self._margins) - sum(marker != "" for marker in self._begun)
        self._pen.write("".join(self._margins[:known]))
        for marker in self._begun:
            if marker:
                self._pen.write(marker)
            else:
                self._pen.open("quote")
        self._begun.clear()

    def _begin_apart(self, token: Token) -> None:
        """Start a block that needs its lines for itself."""
        margins, self._margins = self._margins, [""] * len(self._margins)
        self._begin(token)
        self._margins = margins
        if not self._pen.at_line_start:
            self._pen.write("\n")

    def _inline(self, token: Token) -> None:
        write_inline(self._pen, token.children or (), margin="".join(self._margins))

    def _open_heading(self, token: Token) -> None:
        self._begin(token)
        self._pen.open("bold")

    def _rule(self, token: Token) -> None:
        self._begin(token)
        self._pen.write(_RULE)

    def _close_quote(self) -> None:
        if "" in self._begun:  # the quote has no text, and nothing in it is still to be written
            self._begun.pop()
        else:
            self._pen.close()

    def _open_item(self, token: Token) -> None:
        self._items.append(token)
        marker = self._marker(token)
        self._margins.append(" " * len(marker))
        self._begun.append(marker)

    def _marker(self, token: Token) -> str:
        """The bullet, box or number of an item; numbers only ever rise, as `1. 1. 1.` means 1, 2, 3."""
        box = _BOXES[bool(token.meta["checked"])] if "checked" in token.meta else ""
        last = self._numbers[-1]
        if last is not None:
            self._numbers[-1] = max(int(token.info), last + 1)
            return f"{self._numbers[-1]}{token.markup} {box}"
        depth = self._numbers.count(None)
        return box or f"{_BULLETS[min(depth, len(_BULLETS)) - 1]} "

    def _close_item(self) -> None:
        item = self._items.pop()
        if any(self._begun):  # the item has no text
            self._begin(item)
        self._margins.pop()

    def _fence(self, token: Token) -> None:
        """Code; what its first line says beyond the language stands above it, or alone when no code came."""
        language, _, more = token.info.strip().partition(" ")
        if not token.content.strip():
            language, more = "", token.info.strip()
        if more:
            self._begin(token)
            self._pen.write(more.strip())
        self._pre(token, language, token.content)

    def _code(self, token: Token) -> None:
        self._pre(token, "", token.content)

    def _pre(self, token: Token, language: str, content: str) -> None:
        code = content.removesuffix("\n")
        if code.strip():
            self._begin_apart(token)
            self._pen.open("pre", language)
            self._pen.write(code)
            self._pen.close()
        else:
            self._line = self._extent(token)[1]

    def _table(self, opening: Token, rest: Iterator[Token]) -> None:
        rows: list[list[Rich]] = []
        aligns: list[str] = []
        whole = True
        for token in takewhile(lambda token: token.type != "table_close", rest):
            match token.type:
                case "tr_open":
                    rows.append([])
                    whole = whole and self._fits(token, aligns)
                case "th_open":
                    found = _ALIGN.fullmatch(str(token.attrGet("style") or ""))
                    aligns.append(found.group(1) if found else "")
                case "inline":
                    rows[-1].append(inline(token.children or ()))
                case _:
                    pass
        if whole:
            self._begin_apart(opening)
            self._pen.add(table(rows, aligns))
        else:
            self._pre(opening, "", _QUOTED.sub("", self._lines(opening)))

    def _extent(self, token: Token) -> tuple[int, int]:
        """The source lines of a token, which those that open something have."""
        start, end = token.map or (self._line, self._line)
        return start, end

    def _lines(self, token: Token) -> str:
        """The source lines of a token."""
        start, end = self._extent(token)
        return "\n".join(self._source[start:end])

    def _fits(self, row: Token, aligns: Sequence[str]) -> bool:
        """Whether a row has no more cells than the head, beyond which the parser drops them."""
        line = _QUOTED.sub("", self._lines(row)).strip().removeprefix("|")
        cells = len(_BAR.findall(line)) + (not line.endswith("|"))
        return not aligns or cells <= len(aligns)
