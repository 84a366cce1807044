"""Lengths and offsets in the UTF-16 code units that some platforms count in."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["utf16_length", "utf16_offsets"]


def utf16_length(text: str) -> int:
    """How many UTF-16 code units a text takes; a lone surrogate takes one."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_offsets(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """The offsets in UTF-16 code units, by offset in code points."""
    wanted = sorted(set(offsets))
    if utf16_length(text) == len(text):
        return {offset: offset for offset in wanted}
    units: dict[int, int] = {}
    read = counted = 0
    for offset in wanted:
        counted += utf16_length(text[read:offset])
        units[offset] = counted
        read = offset
    return units
