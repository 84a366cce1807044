"""Slack's two ways to show text: elements of a rich text block, and words with three characters escaped.

An element says what it is, and its text is only text: nothing written in it can become a mention, a link or a
look. So an agent's text pings nobody whatever it holds. Forms are those of docs.slack.dev (Rich text block,
Formatting message text, read 2026-11).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gateway.text import Kind, Rich, Span, utf16_length, write_out

__all__ = ["blocks", "escaped", "measure", "tame", "weight"]

_BLOCKS: frozenset[Kind] = frozenset({"pre", "quote"})
_STYLES: dict[Kind, str] = {"bold": "bold", "italic": "italic", "strike": "strike", "code": "code"}
_ELEMENTS = {"pre": "rich_text_preformatted", "quote": "rich_text_quote", "": "rich_text_section"}
_LONGEST = 3000  # characters of an address
_LINK = re.compile(r"(?:https?://|mailto:)[^\s<>|]+", re.IGNORECASE)
_ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::\d{1,5})?(?:[/?#][^\s<>|\"«»\u2000-\u206f]*)?"
    r"(?<![.:;,()'?!`*_\]])"
)


def measure(text: str) -> int:
    """How long a text is in Slack's eyes at most: escaped, and rare characters counted as two."""
    grown = 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))
    return utf16_length(text) + grown


def escaped(text: str) -> str:
    """The text so that Slack finds nothing in it that it would act on."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def tame(rich: Rich) -> Rich:
    """A text whose links are such as Slack takes: others are written out, and bare addresses become links."""
    written = write_out(
        rich, keep=lambda span: len(span.value) <= _LONGEST and bool(_LINK.fullmatch(span.value))
    )
    apart = [(span.start, span.end) for span in written.spans if span.kind in ("link", "code", "pre")]
    found = [
        Span(one.start(), one.end(), "link", one.group())
        for one in _ADDRESS.finditer(written.text)
        if not any(start < one.end() and one.start() < end for start, end in apart)
    ]
    if not found:
        return written
    ordered = sorted((*written.spans, *found), key=lambda span: (span.start, -span.end))
    return Rich(written.text, tuple(ordered))


def weight(made: Sequence[dict[str, Any]]) -> int:
    """How much of what a message may hold some blocks are, in characters."""
    return len(json.dumps(made, ensure_ascii=False, separators=(",", ":")))


def blocks(rich: Rich) -> list[dict[str, Any]]:
    """The text as one rich text block; none for a text of nothing but line ends."""
    elements = list(_elements(rich))
    return [{"type": "rich_text", "elements": elements}] if elements else []


def _elements(rich: Rich) -> Iterator[dict[str, Any]]:
    """Sections, quotations and code, in order; the line end between two of them is their border."""
    inline = [span for span in rich.spans if span.kind not in _BLOCKS]
    ranges = list(_ranges(rich))
    for index, (begin, stop, kind) in enumerate(ranges):
        apart = kind != "pre"
        start = begin + (apart and index > 0 and rich.text.startswith("\n", begin, stop))
        end = stop - (apart and index < len(ranges) - 1 and rich.text.endswith("\n", start, stop))
        pieces = [_run(rich.text[start:end])] if kind == "pre" else list(_runs(rich.text, inline, start, end))
        if start < end and pieces:
            yield {"type": _ELEMENTS[kind], "elements": pieces}


def _ranges(rich: Rich) -> Iterator[tuple[int, int, str]]:
    """Where code, quotations and everything else begin and end; code inside a quotation parts it."""
    edges = {0, len(rich.text)}
    apart = [span for span in rich.spans if span.kind in _BLOCKS]
    edges.update(edge for span in apart for edge in (span.start, span.end))
    begun, before = 0, ""
    for start, end in pairwise(sorted(edges)):
        kinds = {span.kind for span in apart if span.start <= start and end <= span.end}
        kind = "pre" if "pre" in kinds else "quote" if "quote" in kinds else ""
        if start and kind != before:
            yield begun, start, before
            begun = start
        before = kind
    yield begun, len(rich.text), before


def _runs(text: str, spans: Sequence[Span], start: int, end: int) -> Iterator[dict[str, Any]]:
    """The stretches of a range that look alike."""
    inside = [span for span in spans if span.start < end and start < span.end]
    edges = {start, end}
    edges.update(edge for span in inside for edge in (span.start, span.end) if start < edge < end)
    ordered = sorted(edges)
    for begin, stop in pairwise(ordered):
        yield _run(text[begin:stop], [one for one in inside if one.start <= begin and stop <= one.end])


def _run(text: str, spans: Sequence[Span] = ()) -> dict[str, Any]:
    style = {_STYLES[span.kind]: True for span in spans if span.kind in _STYLES}
    link = next((span.value for span in spans if span.kind == "link"), "")
    made: dict[str, Any] = {"type": "link", "url": link} if link else {"type": "text"}
    return {**made, "text": text, **({"style": style} if style else {})}
