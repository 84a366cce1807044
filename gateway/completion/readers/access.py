"""Look into foreign values without trusting them: mappings and objects alike, bounded, never raising."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import cast

__all__ = [
    "every",
    "field",
    "first",
    "items",
    "mapping",
    "number",
    "present",
    "squash",
    "text",
    "whole",
    "word",
]

_MOST_ITEMS = 256
_MOST_KEYS = 256
_LONGEST_KEY = 64
_LONGEST_WORD = 200
_LONGEST_TEXT = 8_000
_NOISE = re.compile(r"[^0-9a-z]+")


def squash(value: str) -> str:
    """A key or word in the one form that all spellings share: lower case, letters and digits only."""
    return _NOISE.sub("", value[:_LONGEST_WORD].lower())


_squashed = lru_cache(maxsize=4096)(squash)  # the keys of answers come again and again


def field(value: object, name: str) -> object:
    """The first value that `value` holds under any spelling of `name` (snake case); `None` for none."""
    return next(every(value, name), None)


def every(value: object, name: str) -> Iterator[object]:
    """All values that are not `None` under all spellings of `name`, the exact one first."""
    if isinstance(value, Mapping):
        yield from _entries(cast("Mapping[object, object]", value), name)
    elif value is not None and not isinstance(value, _PLAIN):
        for spelling in (name, _camel(name)):
            found = _attribute(value, spelling)
            if found is not None:
                yield _exact(found)
            if _camel(name) == name:
                return


_PLAIN = (str, bytes, bytearray, int, float, complex, list, tuple, set, frozenset, type)


def _entries(value: Mapping[object, object], name: str) -> Iterator[object]:
    try:
        exact = value.get(name)
        if exact is not None:
            yield _exact(exact)
        wanted = _squashed(name)
        for key in islice(value, _MOST_KEYS):
            if not isinstance(key, str) or len(key) > _LONGEST_KEY:
                continue
            spelt = key if type(key) is str else str.__str__(key)
            if spelt != name and _squashed(spelt) == wanted:
                other = value.get(key)
                if other is not None:
                    yield _exact(other)
    except Exception:  # noqa: BLE001  # a foreign mapping may raise anything
        return


def _exact(value: object) -> object:
    """Text of a class of its own as plain text, whose methods can be trusted."""
    if type(value) is str or not isinstance(value, str) or isinstance(value, Enum):
        return value
    return str.__str__(value)


def _attribute(value: object, name: str) -> object:
    try:
        return cast("object", getattr(value, name, None))
    except Exception:  # noqa: BLE001  # a foreign property may raise anything
        return None


@lru_cache(maxsize=512)
def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def present(value: object, name: str) -> bool:
    """Whether a mapping has the key or an object the attribute, `None` in it included."""
    if isinstance(value, Mapping):
        try:
            return name in value or field(cast("object", value), name) is not None
        except Exception:  # noqa: BLE001  # as above
            return False
    try:
        return not isinstance(value, _PLAIN) and (hasattr(value, name) or hasattr(value, _camel(name)))
    except Exception:  # noqa: BLE001  # as above
        return False


def mapping(value: object) -> Mapping[object, object] | None:
    """`value` when it is a mapping."""
    return cast("Mapping[object, object]", value) if isinstance(value, Mapping) else None


def items(value: object) -> tuple[object, ...]:
    """The elements of a list-like value, the first few hundred; empty for anything else."""
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Sequence):
        return ()
    try:
        return tuple(islice(cast("Sequence[object]", value), _MOST_ITEMS))
    except Exception:  # noqa: BLE001  # as above
        return ()


def first(value: object) -> object:
    """The first element, or `None`."""
    found = items(value)
    return found[0] if found else None


def text(value: object) -> str:
    """`value` when it is text, bounded; empty otherwise."""
    return str.__str__(value)[:_LONGEST_TEXT] if isinstance(value, str) else ""


def word(value: object) -> str:
    """A short word: text, or the text or name of an enumeration's member; empty otherwise."""
    if isinstance(value, Enum):
        value = value.value if isinstance(value.value, str) else value.name
    found = text(value).strip()
    return found if len(found) <= _LONGEST_WORD else ""


def number(value: object) -> float | None:
    """`value` as a finite number, text of one included."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value if not isinstance(value, str) else value[:40])
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < 1e15 else None  # also drops infinities and, by comparison, not-a-number


def whole(value: object) -> int | None:
    """`value` as a whole number, text of one and members of integer enumerations included."""
    found = number(value)
    return int(found) if found is not None and found == int(found) else None
