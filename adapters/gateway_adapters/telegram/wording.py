"""The words of a message and what Telegram marked in them; pure.

Offsets and lengths of entities are UTF-16 code units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, cast

from gateway_adapters.telegram.shapes import Json, mapping

__all__ = ["Entity", "Wording", "whole"]

_AFTER_A_NAME = " \t\n,:;"


def whole(value: object) -> str:
    """A text that may be missing; halves of characters that stand alone become one that can be written."""
    return _decoded(_units(value)) if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A marked range.

    Attributes:
        url: Where a `text_link` leads; empty otherwise.
        user: The id of the person a `text_mention` names; 0 otherwise.
    """

    kind: str
    start: int
    end: int
    url: str = ""
    user: int = 0


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with its marks; the text is what can be written down, its halves of characters replaced."""

    text: str
    entities: tuple[Entity, ...] = ()

    @classmethod
    def of(cls, message: Json) -> Self:
        """The text of a message, or the caption of its file."""
        for text_key, entities_key in (("text", "entities"), ("caption", "caption_entities")):
            text = message.get(text_key)
            if isinstance(text, str):
                marks = cast("list[object]", message.get(entities_key) or ())
                return cls(whole(text), tuple(_entity(mark) for mark in marks))
        return cls("")

    def mentions(self, user: int, username: str) -> bool:
        """Whether somebody is named anywhere."""
        return any(self._names(entity, user, username) for entity in self.entities)

    def without_mention(self, user: int, username: str) -> Wording:
        """The same without a mention at the very start that only says who is spoken to."""
        named = next(
            (one for one in self.entities if one.start == 0 and self._names(one, user, username)), None
        )
        if named is None:
            return self
        rest = self.cut(named)[1]
        words = rest.lstrip(_AFTER_A_NAME)
        if not words:
            return self
        gone = named.end + len(_units(rest[: len(rest) - len(words)])) // 2
        moved = (
            Entity(one.kind, one.start - gone, one.end - gone, one.url, one.user)
            for one in self.entities
            if one.start >= gone
        )
        return Wording(words, tuple(moved))

    def first(self, kind: str) -> Entity | None:
        """The entity of a kind that the text begins with."""
        return next((one for one in self.entities if one.kind == kind and one.start == 0), None)

    def cut(self, entity: Entity) -> tuple[str, str]:
        """What an entity covers, and what follows it."""
        units = _units(self.text)
        return _decoded(units[entity.start * 2 : entity.end * 2]), _decoded(units[entity.end * 2 :])

    def spelt(self) -> str:
        """The text with each hidden address in brackets after its label."""
        links = [one for one in self.entities if one.kind == "text_link" and one.url]
        if not links:
            return self.text
        units = _units(self.text)
        for link in sorted(links, key=lambda one: one.end, reverse=True):
            label = _decoded(units[link.start * 2 : link.end * 2])
            if label != link.url:
                units = units[: link.end * 2] + _units(f" ({link.url})") + units[link.end * 2 :]
        return _decoded(units)

    def _names(self, entity: Entity, user: int, username: str) -> bool:
        if entity.kind == "text_mention":
            return entity.user == user
        return entity.kind == "mention" and self.cut(entity)[0].lower() == f"@{username}".lower()


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "replace")


def _entity(mark: object) -> Entity:
    told = mapping(mark)
    start, length = int(told["offset"]), int(told["length"])
    if start < 0 or length < 0:
        raise ValueError("a range begins before the text")
    user = told.get("user")
    return Entity(
        str(told["type"]),
        start,
        start + length,
        url=whole(told.get("url")),
        user=int(cast("Json", user)["id"]) if isinstance(user, Mapping) else 0,
    )
