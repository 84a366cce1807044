"""Fill bare names into a text; whoever wrote the text can reach nothing else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from gateway.messages import Direction

__all__ = ["braces_pair", "direction_of", "fill", "placeholders"]

_NAME = re.compile(r"\{([^{}]*)\}")
_LEFT_BEHIND = re.compile(r" ?\( *\)| ?（ *）| (?= )")  # by a missing value: empty brackets, a second space
_ISOLATE, _POP = "\u2068", "\u2069"
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT = frozenset({"L"}), frozenset({"R", "AL"})


def placeholders(text: str) -> frozenset[str]:
    """The names in braces."""
    return frozenset(_NAME.findall(text))


def braces_pair(text: str) -> bool:
    """Whether every brace belongs to a name."""
    return not set("{}") & set(_NAME.sub("", text))


def fill(text: str, values: Mapping[str, str], direction: Direction = "ltr") -> str:
    """The text with its names replaced.

    A name without a value leaves nothing behind, nor the brackets around it; a brace that belongs to no name
    is dropped. Inserts that run the other way are isolated, so that they disturb nothing around them.
    """
    filled = _NAME.sub(lambda found: _insert(values.get(found.group(1), ""), direction), _bare(text))
    return _LEFT_BEHIND.sub("", filled)


def direction_of(text: str) -> Direction:
    """Which way a text runs: as its first letter does."""
    for mark in text:
        written = unicodedata.bidirectional(mark)
        if written in _LEFT_TO_RIGHT:
            return "ltr"
        if written in _RIGHT_TO_LEFT:
            return "rtl"
    return "ltr"


def _bare(text: str) -> str:
    """The text without braces that enclose no name."""
    kept = _NAME.split(text)
    return "".join(
        f"{{{part}}}" if odd % 2 else part.replace("{", "").replace("}", "") for odd, part in enumerate(kept)
    )


def _insert(value: str, direction: Direction) -> str:
    crosses = direction == "rtl" or any(unicodedata.bidirectional(mark) in _RIGHT_TO_LEFT for mark in value)
    return f"{_ISOLATE}{value}{_POP}" if value and crosses else value
