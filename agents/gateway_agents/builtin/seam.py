"""Join two pieces of one answer so that nobody sees where it was cut; pure."""

from __future__ import annotations

import re

__all__ = ["LOOK", "joined", "tail_of"]

LOOK = 240  # characters at the end of the first piece that the second may repeat
_TAIL = 80  # characters of the first piece that the model is asked to repeat
_SURE = 8  # characters that nobody repeats by chance
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_REOPENED = re.compile(r"\s{0,3}(?:`{3,}|~{3,})[^\n`]{0,40}\n")
_ROW = re.compile(r"(?:^|\n)\|[^\n]*\|\Z")  # of a table, at the end
_LEAD = re.compile(r"^[\s\"'“”„«»…]*(?:\.\.\.)?[\s…]*")


def tail_of(text: str) -> str:
    """The end of an answer for the model to take up again, from the start of a word if there is one."""
    end = text[-_TAIL:]
    if len(end) == len(text):
        return end
    cut = re.search(r"\s", end[: _TAIL // 2])
    return end[cut.end() :] if cut is not None else end


def joined(first: str, second: str) -> str:
    """Both pieces as one text: what the second repeats of the first is left out."""
    second = _without_fence(first, second)
    bare = second[_lead(second) :]
    length = _overlap(first, bare)
    if length:
        return first + bare[length:]
    return first + _space_between(first, second) + second


def _without_fence(first: str, second: str) -> str:
    """The second piece without the fence that it opens once more inside an open one."""
    if len(_FENCE.findall(first)) % 2 == 0:
        return second
    reopened = _REOPENED.match(second)
    return second[reopened.end() :] if reopened is not None else second


def _lead(text: str) -> int:
    found = _LEAD.match(text)
    return found.end() if found is not None else 0


def _overlap(first: str, second: str) -> int:
    """How many characters at the start of the second piece repeat the end of the first."""
    end = first[-LOOK:]
    for length in range(min(len(end), len(second)), 0, -1):
        if second.startswith(end[-length:]) and _meant(end, length):
            return length
    return 0


def _meant(end: str, length: int) -> bool:
    """Whether a repetition is one, and no accident of a letter or two."""
    if length >= _SURE:
        return True
    repeated = end[-length:]
    before = end[-length - 1 : -length] or " "
    return len(repeated.strip()) >= 3 and not (before.isalnum() and repeated[0].isalnum())


def _space_between(first: str, second: str) -> str:
    """A space where two words of a script that has spaces would run into each other; a row its own line."""
    if not first or not second:
        return ""
    if second[0] == "|" and _ROW.search(first):
        return "\n"
    ends = _takes_spaces(first[-1]) or first[-1] in ".,;:!?)"
    begins = _takes_spaces(second[0]) or second[0] in '"“«('
    spaced = ends and begins
    return " " if spaced else ""


def _takes_spaces(mark: str) -> bool:
    return mark.isalnum() and not "\u2e80" <= mark <= "\ud7a3" and not "\u0e00" <= mark <= "\u0eff"
