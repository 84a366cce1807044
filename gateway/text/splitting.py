"""Cutting a text into parts that a platform takes, where a reader minds it least."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

import regex

from gateway.text.spans import Rich, Span

__all__ = ["split"]

Measure = Callable[[str], int]

_STEP = 128
_CRUMB = 8  # a last part smaller than one in so many of the limit takes more from the part before it
_SPACE = r"[^\S\u00a0\u2007\u202f]"  # white space that allows a break
_BLANK_LINE = regex.compile(rf"(?r)\n(?:(?!\n){_SPACE})*\n")
_LINE = regex.compile(r"(?r)\n")
_SENTENCE = regex.compile(rf"(?r)(?<=[.!?…][\"'”’)\]]?){_SPACE}|(?<=[。！？；][」』”）]?)(?![」』”）\s])")
_WORD = regex.compile(rf"(?r){_SPACE}")
_EXTENDS = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]")
_GAP = regex.compile(rf"(?:[\n\r]|{_SPACE}(?!{_EXTENDS.pattern}))*+")
_GRAPHEME = regex.compile(r"\X")


def split(rich: Rich, *, limit: int, measure: Measure) -> list[Rich]:
    """Cut a text into parts, each within a limit and none of them blank.

    A cut falls at a blank line outside of code, else at the end of a line, of a sentence, of a word, of a
    grapheme, in the second half of what fits; only a grapheme that is itself over the limit is cut inside.
    The white space around a cut is left out, save the indentation of the line after it, so the text is the
    parts in order with nothing but white space between them. A text that fits is left as it is. Spans end
    and begin again at a cut.

    Args:
        rich: The text.
        limit: What a part may measure; at least what one character measures.
        measure: Additive over characters, at least 1 for each.
    """
    return list(_slices(rich, _ranges(rich, limit, measure)))


def _ranges(rich: Rich, limit: int, measure: Measure) -> Iterator[tuple[int, int]]:
    text = rich.text
    code = [(span.start, span.end) for span in rich.spans if span.kind == "pre"]
    begin = 0
    while begin < len(text):
        reach = _reach(text, begin, limit, measure)
        if reach < len(text) and _reach(text, reach, limit // _CRUMB, measure) == len(text):
            reach = _reach(text, begin, limit - limit // _CRUMB, measure)
        end = after = len(text)
        if reach < len(text):
            cut = _cut(text, begin, reach, code)
            end = begin + len(text[begin:cut].rstrip())
            after = _resume(text, cut)
        if not (part := text[begin:end]).isspace() and part:
            yield begin, end
        begin = after


def _reach(text: str, begin: int, limit: int, measure: Measure) -> int:
    """The furthest offset up to which the text is within the limit, at least one character on."""
    window = text[begin : begin + limit]
    if measure(window) <= limit:
        return max(begin + 1, begin + len(window))
    fitting = bisect_right(range(1, len(window) + 1), limit, key=lambda count: measure(window[:count]))
    return begin + max(1, fitting)


def _cut(text: str, begin: int, reach: int, code: Sequence[tuple[int, int]]) -> int:
    low = begin + max(1, (reach - begin) // 2)
    for pattern in (_BLANK_LINE, _LINE):
        cut = _outside(pattern, text, low, reach, code)
        if cut is not None:
            return cut
    for pattern in (_LINE, _SENTENCE, _WORD):
        cut = _last(pattern, text, low, reach)
        if cut is not None:
            return cut
    return _grapheme_end(text, begin, reach)


def _last(pattern: regex.Pattern[str], text: str, low: int, reach: int) -> int | None:
    """The last place in `low..reach` that matches and does not part a character from its marks."""
    high = reach + 1
    while high > low and (found := pattern.search(text, low, high)):
        cut = found.start()
        if cut <= reach and (text[cut] == "\n" or not _EXTENDS.match(text, found.end())):
            return cut
        high = found.end() - 1
    return None


def _outside(
    pattern: regex.Pattern[str], text: str, low: int, reach: int, code: Sequence[tuple[int, int]]
) -> int | None:
    """The last place in `low..reach` that matches and lies outside of code."""
    while low <= reach and (cut := _last(pattern, text, low, reach)) is not None:
        block = bisect_right(code, (cut, len(text))) - 1
        if block < 0 or cut >= code[block][1]:
            return cut
        reach = code[block][0] - 1
    return None


def _grapheme_end(text: str, begin: int, reach: int) -> int:
    """The end of the last grapheme in `begin..reach`; `reach` when the first one goes beyond it.

    The text is looked at in steps, since the search goes back over the whole run of flags at each flag.
    """
    at, step = begin, _STEP
    while True:
        stop = min(at + step, reach + 1)
        ends = [at + found.end() for found in _GRAPHEME.finditer(text[at:stop])]
        whole = ends[:-1]  # the last one may go on
        if stop > reach:
            return whole[-1] if whole else (at if at > begin else reach)
        if whole:
            at, step = whole[-1], _STEP
        else:
            step *= 2


def _resume(text: str, cut: int) -> int:
    """Where the next part begins: after the white space, but before the indentation of a line."""
    gap = _GAP.match(text, cut)
    after = gap.end() if gap else cut
    return text.rfind("\n", cut, after) + 1 or after


def _slices(rich: Rich, ranges: Iterable[tuple[int, int]]) -> Iterator[Rich]:
    waiting = 0
    live: list[Span] = []
    for begin, end in ranges:
        while waiting < len(rich.spans) and rich.spans[waiting].start < end:
            live.append(rich.spans[waiting])
            waiting += 1
        live = [span for span in live if span.end > begin]
        inside = (
            Span(max(span.start, begin) - begin, min(span.end, end) - begin, span.kind, span.value)
            for span in live
            if span.start < end
        )
        yield Rich(rich.text[begin:end], tuple(inside))
