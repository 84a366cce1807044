"""Reading a message's parameters as Telegram does."""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["pings", "read", "units"]

_TAKEN_OUT = re.compile("[\r\u2028-\u202e\u0333\u033f\u030a]")
_MENTION = re.compile(r"(?<!\w)@[A-Za-z0-9_]{2,32}(?!\w)")
_CALM = {"code", "pre", "text_link"}


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def read(body: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """The entities of a message, each with the text it covers; fails where one cuts a character."""
    raw = str(body["text"]).encode("utf-16-le")
    found = cast("list[dict[str, Any]]", body.get("entities", []))
    return [
        (entity, raw[entity["offset"] * 2 : (entity["offset"] + entity["length"]) * 2].decode("utf-16-le"))
        for entity in found
    ]


def pings(body: dict[str, Any]) -> list[str]:
    """The names a message would ping: those that no entity covers, after what Telegram takes out."""
    calm: set[int] = set()
    for entity, _ in read(body):
        if entity["type"] in _CALM:
            calm.update(range(entity["offset"], entity["offset"] + entity["length"]))
    kept: list[str] = []
    places: list[int] = []
    place = 0
    for char in str(body["text"]):
        if not _TAKEN_OUT.match(char):
            kept.append(char)
            places.append(place)
        place += units(char)
    return [name.group() for name in _MENTION.finditer("".join(kept)) if places[name.start()] not in calm]
