"""Values as bytes and back: every string of bytes grows into a value, and every plain value has its bytes.

A changed byte changes a part of the value and leaves the rest, so a fuzzer that mutates bytes mutates values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import cast

__all__ = ["Hostile", "HostileMapping", "HostileText", "grow", "named", "sow"]

_DEEPEST = 40
_MOST_NODES = 2_000


class Hostile:
    """Raises at every touch but the question for its class."""

    def __getattribute__(self, name: str) -> object:
        if name == "__class__":
            return Hostile
        raise ZeroDivisionError(name)

    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __hash__(self) -> int:
        raise ZeroDivisionError

    def __bool__(self) -> bool:
        raise ZeroDivisionError


class HostileMapping(Mapping[str, object]):
    """Raises at every look inside."""

    def __getitem__(self, key: str) -> object:
        raise ZeroDivisionError(key)

    def __iter__(self) -> Iterator[str]:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class HostileText(str):
    """Text whose methods raise."""

    __slots__ = ()

    def lower(self) -> str:
        raise ZeroDivisionError

    def strip(self, chars: str | None = None, /) -> str:
        raise ZeroDivisionError(chars)


class _Endless(Mapping[str, object]):
    """Never runs out of keys and always holds itself."""

    def __getitem__(self, key: str) -> object:
        return self

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "finishReason"

    def __len__(self) -> int:
        return 10**9


class _Every:
    """Has every attribute, each like itself."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Every()


class _Sdk:
    """An object of an SDK: attributes in place of keys; one that would be hostile raises when it is read."""

    def __init__(self, parts: Mapping[str, object]) -> None:
        self._parts = parts

    def __getattr__(self, name: str) -> object:
        try:
            found = self.__dict__["_parts"][name]
        except KeyError:
            raise AttributeError(name) from None
        if isinstance(found, _Thrown):
            raise ZeroDivisionError(name)
        return found


class _Thrown:
    """Stands for a property that raises."""


class _Word(Enum):
    """A member of an SDK's enumeration."""

    STOP = "stop"
    SAFETY = "SAFETY"
    LENGTH = 2


class _Grower:
    """Reads one value after another off the bytes; what is missing is nought."""

    def __init__(self, data: bytes, *, plain: bool) -> None:
        self._data = data
        self._at = 0
        self._nodes = 0
        self._above: list[object] = []
        kinds = list(_PLAIN) if plain else [*_PLAIN, *_ODD]
        self._kinds = dict(enumerate(kinds))

    def value(self) -> object:
        self._nodes += 1
        if self._at >= len(self._data) or self._nodes > _MOST_NODES or len(self._above) > _DEEPEST:
            return None
        return self._kinds[self.byte() % len(self._kinds)](self)

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken.ljust(size, b"\0")

    def text(self) -> str:
        return self._string().decode("utf-8", "surrogatepass")

    def _string(self) -> bytes:
        size = self.byte()
        size = size if size < _LONG else int.from_bytes(self.take(2))
        taken = self.take(min(size, max(0, len(self._data) - self._at)))
        return taken.decode("utf-8", "backslashreplace").encode() if not _is_text(taken) else taken

    def listed(self) -> list[object]:
        found: list[object] = []
        self._above.append(found)
        found.extend(self.value() for _ in range(self.byte() % _MOST_PARTS))
        self._above.pop()
        return found

    def mapped(self) -> dict[str, object]:
        found: dict[str, object] = {}
        self._above.append(found)
        for _ in range(self.byte() % _MOST_PARTS):
            key = self.text()
            found[key] = self.value()
        self._above.pop()
        return found

    def above(self) -> object:
        index = self.byte()
        return self._above[index % len(self._above)] if self._above else None

    def nested(self) -> object:
        """A value wrapped many times over."""
        times, key, found = self.byte() * 40, self.text(), self.value()
        for _ in range(times):
            found = {key: found} if key else [found]
        return found


_LONG = 255
_MOST_PARTS = 64


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


_Kind = Callable[[_Grower], object]
_PLAIN: tuple[_Kind, ...] = (
    lambda _: None,
    lambda _: True,
    lambda _: False,
    lambda grower: int.from_bytes(grower.take(8), signed=True),
    lambda grower: struct.unpack(">d", grower.take(8))[0],
    _Grower.text,
    _Grower.listed,
    _Grower.mapped,
    lambda grower: 10 ** (grower.byte() * 24),
)
_ODD: tuple[_Kind, ...] = (
    lambda grower: _Sdk(grower.mapped()),
    lambda grower: grower.text().encode("utf-8", "surrogatepass"),
    _Grower.above,
    _Grower.nested,
    lambda grower: tuple(grower.listed()),
    lambda grower: list(_Word)[grower.byte() % len(_Word)],
    lambda grower: HostileText(grower.text()),
    lambda _: _Thrown(),
    lambda _: Hostile(),
    lambda _: HostileMapping(),
    lambda _: _Endless(),
    lambda _: _Every(),
)
_NONE, _TRUE, _FALSE, _INT, _FLOAT, _TEXT, _LIST, _DICT = (bytes([number]) for number in range(8))


def grow(data: bytes, *, plain: bool = False) -> object:
    """The value that the bytes stand for.

    Args:
        data: Any bytes.
        plain: Whether only what JSON knows may come out.
    """
    return _Grower(data, plain=plain).value()


def named(value: object) -> dict[str, object]:
    """The value when it is a plain mapping, else an empty one."""
    return cast("dict[str, object]", value) if type(value) is dict else {}


def sow(value: object) -> bytes:
    """The bytes of a value of JSON; anything else is sown as its name."""
    if value is None:
        return _NONE
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, int) and abs(value) < 2**63:
        return _INT + value.to_bytes(8, signed=True)
    if isinstance(value, float):
        return _FLOAT + struct.pack(">d", value)
    if isinstance(value, Mapping):
        pairs = list(cast("Mapping[object, object]", value).items())[: _MOST_PARTS - 1]
        return _DICT + bytes([len(pairs)]) + b"".join(_text(str(key)) + sow(part) for key, part in pairs)
    if isinstance(value, list | tuple):
        parts = list(cast("list[object]", value))[: _MOST_PARTS - 1]
        return _LIST + bytes([len(parts)]) + b"".join(map(sow, parts))
    return _TEXT + _text(value if isinstance(value, str) else type(value).__name__)


def _text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")[:60_000]
    return bytes([len(data)]) + data if len(data) < _LONG else bytes([_LONG]) + len(data).to_bytes(2) + data
