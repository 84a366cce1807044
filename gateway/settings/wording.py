"""Validate a table against a model, and say what pydantic found in an operator's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, get_args

from pydantic import AliasChoices, AliasPath, BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gateway.settings.problems import Problems, suggestion
from gateway.settings.tree import Items, Leaf, Path, Table, Tree, plain
from gateway.settings.units import FROM_FILE, seconds, spelled

__all__ = ["keys_of", "validated", "without_nulls"]

M = TypeVar("M", bound=BaseModel)

_PLAIN = {
    "missing": "is missing: add it",
    "string_type": "should be a text: put it in quotes",
    "int_type": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "list_type": "should be a list: write it like [one, two]",
    "tuple_type": "should be a list: write it like [one, two]",
    "frozen_set_type": "should be a list: write it like [one, two]",
    "set_type": "should be a list: write it like [one, two]",
    "dict_type": "should hold keys: write them indented below it",
    "mapping_type": "should hold keys: write them indented below it",
    "model_type": "should hold keys: write them indented below it",
    "model_attributes_type": "should hold keys: write them indented below it",
}
_EMPTY = "is empty: give it a value, or take the key out"


def validated(
    model: type[M],
    table: Table,
    path: Path,
    *,
    problems: Problems,
    given: Mapping[str, object] | None = None,
) -> M | None:
    """The model of a table; `None` when it was refused, with every problem noted.

    Args:
        model: What the table must satisfy.
        table: What was written.
        path: Where the table stands.
        problems: Takes what is wrong.
        given: Values of ours, over the table's.
    """
    values = {**{key: plain(tree) for key, tree in table.entries.items()}, **(given or {})}
    try:
        return model.model_validate(values, context=FROM_FILE)
    except ValidationError as exc:
        for error in exc.errors(include_input=False, include_url=False):
            _add(error, model, table, path, problems)
        return None


def keys_of(model: type[BaseModel]) -> frozenset[str]:
    """Every key a model reads."""
    return frozenset(
        name
        for key, field in model.model_fields.items()
        for name in (key, field.alias, *_choices(field.validation_alias))
        if isinstance(name, str)
    )


def _choices(alias: str | AliasPath | AliasChoices | None) -> Sequence[object]:
    return alias.choices if isinstance(alias, AliasChoices) else (alias,)


def without_nulls(table: Table) -> Table:
    """The table without keys that were left empty, at any depth of its tables: they keep their defaults."""
    entries: dict[str, Tree] = {}
    for key, tree in table.entries.items():
        if isinstance(tree, Table):
            entries[key] = without_nulls(tree)
        elif not (isinstance(tree, Leaf) and tree.value is None):
            entries[key] = tree
    return Table(table.mark, entries, table.keys)


def _add(error: ErrorDetails, model: type[BaseModel], table: Table, path: Path, problems: Problems) -> None:
    """Note one error at the deepest place of its location that was written; branches of unions are none."""
    tree: Tree = table
    mark = table.mark
    inner: list[str | int] = []
    for part in error["loc"]:
        below = _below(tree, part)
        if below is None:
            continue
        if isinstance(tree, Table):
            mark = tree.keys[str(part)] if error["type"] == "extra_forbidden" else below.mark
        else:
            mark = below.mark
        tree = below
        inner.append(part)
    if error["type"] == "missing":
        inner.append(error["loc"][-1])
    told = _unknown(model, error["loc"]) if error["type"] == "extra_forbidden" else _told(error, tree)
    problems.add(mark, (*path, *inner), told)


def _unknown(model: type[BaseModel], loc: tuple[str | int, ...]) -> str:
    """What to say of a key that the model at this location does not know."""
    models = {model}
    for part in loc[:-1]:
        fields = [
            one.model_fields[part] for one in models if isinstance(part, str) and part in one.model_fields
        ]
        models = {inner for field in fields for inner in _models_in(field.annotation)} or models
    known = frozenset[str]().union(*map(keys_of, models))
    return f"unknown key{suggestion(str(loc[-1]), known)}"


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _below(tree: Tree, part: str | int) -> Tree | None:
    if isinstance(tree, Table):
        return tree.entries.get(str(part))
    if isinstance(tree, Items) and isinstance(part, int) and part < len(tree.items):
        return tree.items[part]
    return None


def _told(error: ErrorDetails, tree: Tree) -> str:
    kind = error["type"]
    empty = isinstance(tree, Leaf) and tree.value in (None, "")
    if empty and kind not in ("missing", "value_error"):
        return _EMPTY
    if kind in ("literal_error", "enum"):
        return _one_of(str(error.get("ctx", {}).get("expected", "")), tree)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in ("value_error", "assertion_error"):
        return error["msg"].partition(", ")[2] or error["msg"]
    bound = _bound(kind, error.get("ctx", {}), tree)
    return bound or error["msg"].removeprefix("Input ")


def _bound(kind: str, limits: Mapping[str, object], tree: Tree) -> str:
    """What to say of a duration out of its bounds, in the units it is written in; empty for anything else."""
    limit = limits.get({"greater_than_equal": "ge", "less_than_equal": "le"}.get(kind, ""))
    if not isinstance(limit, int | float) or not isinstance(tree, Leaf) or not isinstance(tree.value, str):
        return ""
    try:
        seconds(tree.value)
    except ValueError:
        return ""
    return f"should be {spelled(limit)} or {'more' if kind == 'greater_than_equal' else 'less'}"


def _one_of(expected: str, tree: Tree) -> str:
    words = [word.strip("'") for word in expected.replace(" or ", ", ").split(", ")]
    if len(words) == 1:
        return f"should be {words[0]}"
    near = difflib.get_close_matches(str(plain(tree)), words, 1)
    return f"should be one of {', '.join(words)}" + (f"; did you mean {near[0]!r}?" if near else "")
