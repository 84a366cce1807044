"""Text as people read it: Markdown with spans, cut to size, in the units and directions of platforms."""

from gateway.text.direction import direction, first_strong
from gateway.text.markdown import parse
from gateway.text.spans import Edit, Kind, Rich, Span, amend, inline_plain, join, write_out
from gateway.text.splitting import split
from gateway.text.units import utf16_length, utf16_offsets

__all__ = [
    "Edit",
    "Kind",
    "Rich",
    "Span",
    "amend",
    "direction",
    "first_strong",
    "inline_plain",
    "join",
    "parse",
    "split",
    "utf16_length",
    "utf16_offsets",
    "write_out",
]
