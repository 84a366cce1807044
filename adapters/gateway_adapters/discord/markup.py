"""Text with spans as Discord's Markdown, in which nothing means more than it should; pure.

Rules are those of Discord's help pages and of its clients (Markdown text 101, read 2026-11): a backslash
takes the meaning off a mark; code knows none; a fence has three ticks, never more; a quotation begins each of
its lines; a link's label may not look like another address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gateway.text import Kind, Rich, Span, utf16_length, write_out

__all__ = ["cost", "escaped", "written"]

_JOINER = "\u2060"  # not seen, and no mark or name goes on behind it
_MARKED = "\\*_`~|<[]@"  # what may need one character more
_MARKS: dict[Kind, str] = {"bold": "**", "italic": "*", "strike": "~~"}
_CODE: frozenset[Kind] = frozenset({"code", "pre"})
_LONGEST = 600  # characters of an address behind a word
_ADDRESS = re.compile(r"https?://[^\s<`\\]*[^\s<`\\.,:;\"')\]]")
_TOKEN = re.compile(
    rf"(?P<address>{_ADDRESS.pattern})"
    r"|(?P<mark>[\\*_`<\[\]]|~~+|\|\|+)"
    r"|@(?=everyone|here)",
)
_LINE = re.compile(r"^(?P<before>[ \t]*(?:\d+(?=\. ))?)(?=#{1,3}[ \t]|-#?[ \t]|>|\. )", re.MULTILINE)
_LINKABLE = re.compile(r"https?://[^\s<>\"\\]+", re.IGNORECASE)
_ADDRESS_LIKE = re.compile(r"://|\b[\w-]+\.[a-z]{2,}\b", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]+")


def cost(text: str) -> int:
    """What a text takes of a message at most, in UTF-16 code units, but for spans and beginnings of lines."""
    return utf16_length(text) + sum(map(text.count, _MARKED))


def escaped(text: str, *, begins: bool = True) -> str:
    """The text as Discord shows it letter by letter.

    Args:
        text: What is to be read.
        begins: Whether it stands at the beginning of a line.
    """
    lined = _LINE.sub(_line_mark, text) if begins else _after_a_break(text)
    return _TOKEN.sub(_inert, lined).replace("\0", "\\")


def written(rich: Rich) -> str:
    """The text with its spans as Discord's Markdown."""
    plain = write_out(rich, keep=lambda span: _is_maskable(span, rich.text))
    spans = tuple(filter(None, (_trimmed(span, plain.text) for span in plain.spans)))
    return _joined(_Writer(Rich(plain.text, spans)).pieces())


def _line_mark(found: re.Match[str]) -> str:
    return f"{found.group('before')}\0"  # stands for a backslash, so that it gets none itself


def _after_a_break(text: str) -> str:
    first, newline, rest = text.partition("\n")
    return f"{first}{newline}{_LINE.sub(_line_mark, rest)}" if newline else text


def _inert(found: re.Match[str]) -> str:
    word = found.group()
    if found.group("address"):
        return word
    return f"{word}{_JOINER}" if word == "@" else "".join(f"\\{mark}" for mark in word)


def _is_maskable(span: Span, text: str) -> bool:
    """Whether a link may stand behind its words."""
    label = text[span.start : span.end]
    if len(span.value) > _LONGEST or not _LINKABLE.fullmatch(span.value):
        return False
    if label == span.value:
        return True
    return bool(label.strip()) and "\n" not in label and not _ADDRESS_LIKE.search(label)


def _trimmed(span: Span, text: str) -> Span | None:
    """A span without the white space at its edges, at which marks mean nothing; `None` for a blank one."""
    inside = text[span.start : span.end]
    if not inside.strip():
        return None
    if span.kind in _CODE:
        return span
    end = span.start + len(inside.rstrip())
    return Span(span.end - len(inside.lstrip()), end, span.kind, span.value)


class _Writer:
    """Writes a text from left to right."""

    def __init__(self, rich: Rich) -> None:
        self._text = rich.text
        self._spans = [span for span in rich.spans if span.kind != "quote"]
        self._begun: list[Span] = []
        self._quoted = frozenset(self._quoted_lines([span for span in rich.spans if span.kind == "quote"]))

    def pieces(self) -> Iterator[str]:
        """What is written, mark by mark and stretch by stretch."""
        edges = {0, len(self._text), *self._quoted}
        edges.update(edge for span in self._spans for edge in (span.start, span.end))
        stops = sorted(edges)
        waiting = 0
        for start, end in zip(stops, [*stops[1:], None], strict=True):
            while self._begun and self._begun[-1].end <= start:
                yield self._closing(self._begun.pop())
            if start in self._quoted:
                yield "> "
            while waiting < len(self._spans) and self._spans[waiting].start <= start:
                yield from self._opened(self._spans[waiting])
                waiting += 1
            if end is not None:
                yield self._stretch(start, end)

    def _opened(self, span: Span) -> Iterator[str]:
        """The mark that begins a span; none inside of code, or where a span crosses another."""
        outer = self._begun[-1] if self._begun else None
        if outer is not None and (outer.kind in _CODE or span.end > outer.end):
            return
        self._begun.append(span)
        yield self._opening(span)

    def _stretch(self, start: int, end: int) -> str:
        text = self._text[start:end]
        inner = self._begun[-1] if self._begun else None
        if inner is not None and inner.kind == "pre":
            return _apart(text) if "```" in text else text
        if inner is not None and inner.kind == "code":
            return _apart(text) if self._crowded(inner) else text
        if inner is not None and inner.value == self._inside(inner):
            return text
        return escaped(text, begins=start == 0 or self._text[start - 1] == "\n")

    def _opening(self, span: Span) -> str:
        match span.kind:
            case "pre":
                return self._fence(span)
            case "code":
                ticks, pad = self._ticks(span)
                return f"{ticks}{pad}"
            case "link":
                return "" if span.value == self._inside(span) else "["
            case _:
                return _MARKS.get(span.kind, "")

    def _closing(self, span: Span) -> str:
        match span.kind:
            case "pre":
                return "\n```" if self._text[span.end : span.end + 1] in ("", "\n") else "\n```\n"
            case "code":
                ticks, pad = self._ticks(span)
                return f"{pad}{ticks}"
            case "link":
                return "" if span.value == self._inside(span) else f"]({_target(span.value)})"
            case _:
                return _MARKS.get(span.kind, "")

    def _fence(self, span: Span) -> str:
        """The beginning of a block of code; a language that Discord takes for none stands before it."""
        if not span.value or _LANGUAGE.fullmatch(span.value):
            return f"```{span.value}\n"
        return f"{escaped(span.value)}\n```\n"

    def _ticks(self, span: Span) -> tuple[str, str]:
        """Ticks that do not occur in a piece of code, and the space that parts them from its own."""
        inside = self._inside(span)
        runs = {1} if self._crowded(span) else {len(run) for run in re.findall("`+", inside)}
        return "``" if 1 in runs else "`", " " if inside[0] == "`" or inside[-1] == "`" else ""

    def _crowded(self, span: Span) -> bool:
        """Whether the ticks in a piece of code must be parted: three begin a block anywhere."""
        runs = {len(run) for run in re.findall("`+", self._inside(span))}
        return any(run > 2 for run in runs) or {1, 2} <= runs

    def _inside(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _quoted_lines(self, quotes: Sequence[Span]) -> Iterator[int]:
        """Where the lines of quotations begin; those of code stand outside of them."""
        code = [span for span in self._spans if span.kind == "pre"]
        for quote in quotes:
            inside = [span for span in code if span.start < quote.end and span.end > quote.start]
            line = quote.start
            while line < quote.end:
                begins = line == 0 or self._text[line - 1] == "\n"
                if begins and not any(span.start <= line < span.end for span in inside):
                    yield line
                line = (self._text.find("\n", line, quote.end) + 1) or quote.end


def _target(address: str) -> str:
    return address.replace("(", "%28").replace(")", "%29")


def _joined(pieces: Iterator[str]) -> str:
    """The pieces, with what cannot be seen between two marks that would be read as one."""
    whole: list[str] = []
    for piece in filter(None, pieces):
        if whole and _clash(whole[-1], piece):
            whole.append(_JOINER)
        whole.append(piece)
    return "".join(whole)


def _clash(before: str, after: str) -> bool:
    marks = _MARKS.values()
    return before in marks and after in marks and before[-1] == after[0]


def _apart(text: str) -> str:
    """A text none of whose ticks stands beside another."""
    return re.sub("`(?=`)", f"`{_JOINER}", text)
