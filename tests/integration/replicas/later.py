"""Makes a process write what a later version might: fields, words and facts that today's does not know.

A replica whose folder holds `SITECUSTOMIZE` runs it before anything else; all else of it is today's code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

import msgspec

from gateway.delivery import encode, letters
from gateway.session import envelope, offers, record
from gateway.session.carrying import FORM

__all__ = ["FORMAT", "SITECUSTOMIZE", "install"]

SITECUSTOMIZE = "from tests.integration.replicas import later\nlater.install()\n"
FORMAT = "LATER_FORMAT"  # set, it writes entries that are to be read another way than today's

Json = dict[str, Any]


class _Deterministic:
    """Encodes offers."""

    def __init__(self, encoder: msgspec.json.Encoder) -> None:
        self._encoder = encoder

    def encode(self, value: object) -> bytes:
        """An offer with more in it."""
        body = cast("Json", msgspec.to_builtins(value))
        body.setdefault("until", 5.5)
        first = next(iter(body["tokens"]))
        body["tokens"].setdefault(f"{first.rpartition('.')[0]}.9", "share")
        return self._encoder.encode(body)


def install() -> None:
    """From now on this process writes so."""
    for room, add in ((record, _record), (envelope, _envelope), (letters, _letter)):
        setattr(room, "encode", _more(encode, add))  # noqa: B010  # the name is another room's
    setattr(offers, "_encoder", _Deterministic(msgspec.json.Encoder(order="deterministic")))  # noqa: B010
    if os.environ.get(FORMAT):
        setattr(envelope, "_VERSION", 2)  # noqa: B010  # of this process only


def _more(encode: Callable[[object], bytes], add: Callable[[Json], None]) -> Callable[[object], bytes]:
    def encoded(value: object) -> bytes:
        body = cast("Json", msgspec.json.decode(encode(value)))
        add(body)
        return encode(body)

    return encoded


def _record(body: Json) -> None:
    body["form"] = FORM + 1
    body.setdefault("weather", {"at": body["id"], "of": [1, 2.5, None]})
    body["inbound"]["place"].setdefault("room", "kitchen")
    for attempt in body.get("attempts", ()):
        attempt.setdefault("cost", 0.25)
    if body.get("completion"):
        body["completion"].setdefault("mood", "calm")
        body.setdefault("noted", "wholly")


def _envelope(body: Json) -> None:
    body["form"] = FORM + 1
    body["urgent"] = True
    if os.environ.get(FORMAT):
        body["version"] = 2
    if body.get("inbound"):
        body["inbound"].setdefault("quoted", "what was said before")
        body["inbound"]["place"].setdefault("room", "kitchen")


def _letter(body: Json) -> None:
    body.setdefault("wrapping", {"colour": "red"})
