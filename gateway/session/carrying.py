"""What a later version wrote and this one does not know goes through it unchanged.

So a version that only adds fields, facts or words that are open (how a turn ended, its state) may run beside
the one before. A new word of a closed set, or a field that means something else, is read by one release and
written by the next; what an older gateway must not touch at all raises the `version` of its entry or letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import cast

import msgspec
from msgspec.inspect import DataclassType, ListType, StructType, Type, UnionType, VarTupleType, type_info

from gateway.messages import Inbound

__all__ = ["FORM", "LaterInbound", "Rest", "carried", "joined", "parted", "plain", "written"]

FORM = 0  # of `Inbound` and what is in it: each new field there raises it, so that an older gateway looks


@dataclass(frozen=True, slots=True)
class Rest:
    """What is not known of an object.

    Attributes:
        keys: The keys there are no fields for.
        inside: What is not known of its known parts, by key or by place in a list.
        mark: What it is told from its neighbours in a list by.
    """

    keys: Mapping[str, object]
    inside: dict[str, Rest]
    mark: Mapping[str, object]

    def is_of(self, value: object) -> bool:
        """Whether it belongs to an object of a list."""
        known = _object(value)
        return known is not None and all(known.get(key) == one for key, one in self.mark.items())


@dataclass(frozen=True, slots=True)
class LaterInbound(Inbound):
    """One of which not everything is known; a copy of it carries that too."""

    form: int = 0
    rest: Rest | None = field(default=None, compare=False)


def parted(value: object, cls: type) -> tuple[object, Rest | None]:
    """What a type knows of plain JSON, and what it does not know; `None` when that is nothing."""
    return _parted(value, _kind(cls))


def joined(value: object, rest: Rest | None) -> object:
    """Plain JSON with what was not known of it in its place again."""
    if rest is None:
        return value
    known, items = _object(value), _items(value)
    if known is not None:
        mine = {key: joined(one, rest.inside.get(key)) for key, one in known.items()}
        return {**rest.keys, **mine}
    if items is None:
        return value
    found = ((one, rest.inside.get(str(place))) for place, one in enumerate(items))
    return [joined(one, left if left is not None and left.is_of(one) else None) for one, left in found]


def carried(inbound: Inbound, *, form: int, rest: Rest | None) -> Inbound:
    """An inbound that carries what is not known of it."""
    known = {one.name: getattr(inbound, one.name) for one in fields(Inbound)}
    return LaterInbound(**known, form=form, rest=rest)


def plain(inbound: Inbound) -> Inbound:
    """An inbound without what is not known of it."""
    if type(inbound) is Inbound:
        return inbound
    return Inbound(**{one.name: getattr(inbound, one.name) for one in fields(Inbound)})


def written(inbound: Inbound | None) -> tuple[object, int]:
    """An inbound as plain JSON with all it carries, and the form it is to be read by."""
    if not isinstance(inbound, LaterInbound):
        return msgspec.to_builtins(inbound), FORM
    return joined(msgspec.to_builtins(plain(inbound)), inbound.rest), max(inbound.form, FORM)


@cache
def _kind(cls: type) -> Type:
    return type_info(cls)


def _parted(value: object, kind: Type) -> tuple[object, Rest | None]:
    known, items = _object(value), _items(value)
    for one in kind.types if isinstance(kind, UnionType) else (kind,):
        if isinstance(one, StructType | DataclassType) and known is not None:
            return _parted_object(known, one)
        if isinstance(one, ListType | VarTupleType) and items is not None:
            return _parted_list(items, one)
    return value, None


def _parted_object(
    value: Mapping[str, object], kind: StructType | DataclassType
) -> tuple[object, Rest | None]:
    mine: dict[str, object] = {}
    inside: dict[str, Rest] = {}
    for one in kind.fields:
        if one.encode_name in value:
            mine[one.encode_name], rest = _parted(value[one.encode_name], one.type)
            if rest is not None:
                inside[one.encode_name] = rest
    keys = {key: one for key, one in value.items() if key not in mine}
    if not keys and not inside:
        return mine, None
    mark = {one.encode_name: mine.get(one.encode_name) for one in kind.fields if one.required}
    return mine, Rest(keys, inside, mark)


def _parted_list(value: list[object], kind: ListType | VarTupleType) -> tuple[object, Rest | None]:
    parts = [_parted(one, kind.item_type) for one in value]
    inside = {str(place): rest for place, (_, rest) in enumerate(parts) if rest is not None}
    return [mine for mine, _ in parts], Rest({}, inside, {}) if inside else None


def _object(value: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def _items(value: object) -> list[object] | None:
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else None
