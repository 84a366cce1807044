"""Writing a text and its spans from left to right."""

from __future__ import annotations

from gateway.text.spans import Kind, Rich, Span

__all__ = ["Pen"]

_SINGLE = frozenset({"bold", "italic", "strike"})  # twice is the same as once


class Pen:
    """Collects text; what is opened is closed in the opposite order."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._open: list[tuple[int, Kind, str]] = []
        self._spans: list[Span] = []

    @property
    def length(self) -> int:
        """How many characters are written."""
        return self._length

    @property
    def at_line_start(self) -> bool:
        """Whether nothing is written on the current line."""
        return not self._pieces or self._pieces[-1].endswith("\n")

    def inside(self, kind: Kind) -> bool:
        """Whether a span of that kind is open."""
        return any(opened == kind for _, opened, _ in self._open)

    def write(self, text: str) -> None:
        """Add text."""
        if text:
            self._pieces.append(text)
            self._length += len(text)

    def add(self, rich: Rich) -> None:
        """Add text with spans of its own."""
        at = self._length
        self._spans += (Span(s.start + at, s.end + at, s.kind, s.value) for s in rich.spans)
        self.write(rich.text)

    def open(self, kind: Kind, value: str = "") -> None:
        """Begin a span."""
        self._open.append((self._length, kind, value))

    def close(self, *, keep: bool = True) -> None:
        """End the span begun last; one that is empty or adds nothing is never kept."""
        start, kind, value = self._open.pop()
        within = kind in _SINGLE and self.inside(kind)
        if keep and start < self._length and not within:
            self._spans.append(Span(start, self._length, kind, value))

    def rich(self) -> Rich:
        """What is written."""
        outer_first = self._spans[::-1]
        ordered = sorted(outer_first, key=lambda span: (span.start, -span.end))
        return Rich("".join(self._pieces), tuple(ordered))
