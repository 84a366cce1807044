"""Telegram's rules for what is set apart in a text, and for what pings people.

From the Bot API pages (formatting options, sendMessage) and the source of TDLib (`MessageEntity.cpp`,
`LinkManager.cpp`, `misc.cpp`), read 2026-12-01: offsets and lengths in UTF-16 code units; at most 100
entities; `code`, `pre` and `text_link` exclude each other, and nothing is inside of code; a linked host has a
dot; a link to `tg://user` is a mention. A name after `@` is a mention unless it is in code, in a link, or
follows a letter or digit; some characters are taken out before that is looked for. A tab becomes one space.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from gateway.text import Edit, Kind, Rich, Span, amend, utf16_offsets, write_out

__all__ = ["entities", "tame", "unpinged", "with_contacts"]

_APART: frozenset[Kind] = frozenset({"code", "pre", "link"})
_CODE: frozenset[Kind] = frozenset({"code", "pre"})
_NAMES: dict[Kind, str] = {
    "bold": "bold",
    "italic": "italic",
    "strike": "strikethrough",
    "code": "code",
    "pre": "pre",
    "link": "text_link",
    "quote": "blockquote",
}
_VALUES: dict[Kind, str] = {"pre": "language", "link": "url"}
_QUOTE = "> "
_TAB = "    "
_BREAK = "\u2060"  # word joiner: not seen, and no name can begin with it
_CONTACTS = 3  # names that link to a profile
_LONGEST = 2048  # characters of an address behind a word

_LINK = re.compile(
    r"https?://(?:[^\s/?#@]*@)?(?:[^\s/?#@:\[\]]+\.[^\s/?#@:\[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:[/?#]\S*)?"
    r"|tg://(?!user\b)[\w-]+(?:[/?#]\S*)?",
    re.IGNORECASE,
)
_PING = re.compile(r"(?<![A-Za-z0-9_])@(?=[\r\u2028-\u202e\u0333\u033f\u030a]*[A-Za-z0-9_])")
_NAME = re.compile(r"(?<![\w/])@([A-Za-z]\w{3,31})\b", re.ASCII)
_ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::\d{1,5})?"
    r"/[^\s<>\"«»\u2000-\u206f]*(?<![.:;,('?!`)])"
)


def tame(rich: Rich) -> Rich:
    """An agent's text as Telegram can show it, without a quotation and without anything that pings.

    Quotations get `> ` before their lines. Links that Telegram takes no address for are written out. Tabs in
    code become four spaces. An `@` before a name is parted from it by a word joiner, except in code and in
    addresses, where an entity keeps it from pinging.
    """
    if rich.spans:
        rich = _exclusive(_untabbed(_unquoted(write_out(rich, keep=_linkable))))
    return _unpinging(rich) if "@" in rich.text else rich


def unpinged(text: str, *, at: str = f"@{_BREAK}") -> str:
    """The text with another `at` wherever a name after it could be pinged."""
    return _PING.sub(at, text) if "@" in text else text


def with_contacts(text: str) -> Rich:
    """What the gateway says, with names that open a profile and ping nobody."""
    names = list(_NAME.finditer(text))[:_CONTACTS]
    links = (Span(name.start(), name.end(), "link", f"https://t.me/{name.group(1)}") for name in names)
    known = {name.start() for name in names}
    others = (found.end() for found in _PING.finditer(text) if found.start() not in known)
    return amend(Rich(text, tuple(links)), [Edit(after, after, _BREAK) for after in others])


def entities(rich: Rich) -> list[dict[str, Any]]:
    """The entities of a text, by offset, outer before inner; none is blank."""
    trim = _trimmer(rich.text)
    spans = sorted(filter(None, map(trim, rich.spans)), key=lambda span: (span.start, -span.end))
    units = utf16_offsets(rich.text, (edge for span in spans for edge in (span.start, span.end)))
    return [_entity(span, units[span.start], units[span.end]) for span in spans]


def _entity(span: Span, start: int, end: int) -> dict[str, Any]:
    entity: dict[str, Any] = {"type": _NAMES[span.kind], "offset": start, "length": end - start}
    if span.value:
        entity[_VALUES[span.kind]] = span.value
    return entity


def _trimmer(text: str) -> Callable[[Span], Span | None]:
    """Takes the white space off the edges of a span, except from code blocks; `None` for a blank one."""

    def trim(span: Span) -> Span | None:
        inside = text[span.start : span.end]
        if inside.isspace():
            return None
        if span.kind == "pre":
            return span
        end = span.start + len(inside.rstrip())
        return Span(span.end - len(inside.lstrip()), end, span.kind, span.value)

    return trim


class _Ranges:
    """The ranges of some spans, none of which overlaps another."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans, key=lambda span: span.start)
        self._starts = [span.start for span in self._spans]

    def __contains__(self, offset: int) -> bool:
        return any(self.touching(offset, offset + 1))

    def touching(self, start: int, end: int) -> Iterator[Span]:
        """Those that share a character with a range."""
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self._spans)):
            span = self._spans[index]
            if span.start >= end:
                break
            if span.end > start:
                yield span


def _of(rich: Rich, kinds: Collection[Kind]) -> _Ranges:
    return _Ranges(span for span in rich.spans if span.kind in kinds)


def _linkable(span: Span) -> bool:
    return len(span.value) <= _LONGEST and _LINK.fullmatch(span.value) is not None


def _unquoted(rich: Rich) -> Rich:
    """Quotations as lines that begin with a mark, save the lines of code."""
    quotes = [span for span in rich.spans if span.kind == "quote"]
    if not quotes:
        return rich
    code = _of(rich, {"pre"})
    lines = sorted(line for quote in quotes for line in _lines(rich.text, quote) if line not in code)
    kept = tuple(span for span in rich.spans if span.kind != "quote")
    return amend(Rich(rich.text, kept), [Edit(line, line, _QUOTE) for line in lines])


def _lines(text: str, span: Span) -> Iterator[int]:
    """Where the lines of a span begin."""
    line = span.start
    while line < span.end:
        yield line
        line = (text.find("\n", line, span.end) + 1) or span.end


def _untabbed(rich: Rich) -> Rich:
    if "\t" not in rich.text:
        return rich
    code = _of(rich, _CODE)
    tabs = (found.start() for found in re.finditer("\t", rich.text))
    return amend(rich, [Edit(tab, tab + 1, _TAB) for tab in tabs if tab in code])


def _exclusive(rich: Rich) -> Rich:
    """Code and links apart from each other, looks cut around code."""
    apart: list[Span] = []
    for span in rich.spans:
        if span.kind in _APART and (not apart or span.start >= apart[-1].end):
            apart.append(span)
    code = _Ranges(span for span in apart if span.kind in _CODE)
    looks = (rest for span in rich.spans if span.kind not in _APART for rest in _around(span, code))
    return _with(rich.text, [*looks, *apart])


def _around(span: Span, code: _Ranges) -> Iterator[Span]:
    start = span.start
    for block in code.touching(span.start, span.end):
        if block.start > start:
            yield Span(start, block.start, span.kind)
        start = block.end
    if start < span.end:
        yield Span(start, span.end, span.kind)


def _unpinging(rich: Rich) -> Rich:
    """No `@` that pings: what an entity covers stays, the others are parted from the name."""
    apart = _of(rich, _APART)
    addresses = [
        Span(found.start(), found.end(), "link", found.group())
        for found in _ADDRESS.finditer(rich.text)
        if "@" in found.group() and not any(apart.touching(*found.span()))
    ]
    calm = _Ranges([*addresses, *(span for span in rich.spans if span.kind in _CODE)])
    pings = (found.end() for found in _PING.finditer(rich.text) if found.start() not in calm)
    linked = _with(rich.text, [*rich.spans, *addresses]) if addresses else rich
    return amend(linked, [Edit(after, after, _BREAK) for after in pings])


def _with(text: str, spans: Sequence[Span]) -> Rich:
    return Rich(text, tuple(sorted(spans, key=lambda span: (span.start, -span.end))))
