"""The texts that come with the package, one file a language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NotRequired, TypedDict, cast

import orjson

from gateway.messages import Direction

__all__ = ["SHIPPED", "Catalogue", "Plural", "Text", "load"]

Plural = Mapping[str, str]  # CLDR plural category → text


class Text(TypedDict):
    """What happened, and what to do now; either may be given by plural category of `{n}`."""

    what: str | Plural
    do: str | Plural


class Wait(TypedDict):
    """Lengths of time, in the form that follows the language's word for "in"."""

    second: Plural
    minute: Plural
    hour: Plural
    day: Plural
    unknown: str


class Catalogue(TypedDict):
    """One language.

    Attributes:
        name: The language's own name.
        english: Its English name.
        also: Other names that people ask for it by.
        address: How its texts speak to people, for whoever edits them.
        banned: Words that texts must not hold; `*` at an end stands for any letters.
        unbanned: Text groups whose fixed wording is exempt.
    """

    name: str
    english: str
    also: NotRequired[list[str]]
    direction: Direction
    joiner: str
    address: str
    groups: Mapping[str, Text]
    lines: Mapping[str, Text]
    reference: str
    labels: Mapping[str, str]
    menu: Mapping[str, str]
    typed: Mapping[str, list[str]]
    wait: Wait
    banned: list[str]
    unbanned: NotRequired[list[str]]


_FOLDER = resources.files("gateway.notes").joinpath("locales")

SHIPPED: tuple[str, ...] = tuple(
    sorted(entry.name.removesuffix(".json") for entry in _FOLDER.iterdir() if entry.name.endswith(".json"))
)


@cache
def load(language: str) -> Catalogue:
    """A shipped language's texts.

    Raises:
        FileNotFoundError: It is not shipped.
    """
    return cast("Catalogue", orjson.loads(_FOLDER.joinpath(f"{language}.json").read_bytes()))
