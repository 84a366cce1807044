"""Write values as JSON whatever their texts hold."""

from __future__ import annotations

from typing import cast

import msgspec

__all__ = ["encode"]

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """A value as JSON; halves of characters that agents leave behind are joined, or replaced by a mark."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_whole(msgspec.to_builtins(value)))


def _whole(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            pairs = cast("dict[object, object]", value).items()
            return {_whole(key): _whole(inner) for key, inner in pairs}
        case list():
            return [_whole(inner) for inner in cast("list[object]", value)]
        case _:
            return value
