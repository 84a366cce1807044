"""The binary frames of an AWS event stream."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

__all__ = ["event", "exception"]

_TEXT = 7  # the type of a header that holds text


def event(kind: str, payload: Mapping[str, Any]) -> bytes:
    """One event."""
    return _frame({":event-type": kind, ":message-type": "event"}, payload)


def exception(kind: str, payload: Mapping[str, Any]) -> bytes:
    """One error inside the stream."""
    return _frame({":exception-type": kind, ":message-type": "exception"}, payload)


def _frame(headers: Mapping[str, str], payload: Mapping[str, Any]) -> bytes:
    named = b"".join(
        _header(*pair) for pair in ({":content-type": "application/json"} | dict(headers)).items()
    )
    body = json.dumps(payload).encode()
    total = 16 + len(named) + len(body)  # two lengths and two checksums of four bytes each
    prelude = struct.pack("!II", total, len(named))
    start = prelude + struct.pack("!I", zlib.crc32(prelude)) + named + body
    return start + struct.pack("!I", zlib.crc32(start))


def _header(name: str, value: str) -> bytes:
    raw = value.encode()
    return bytes([len(name)]) + name.encode() + bytes([_TEXT]) + struct.pack("!H", len(raw)) + raw
