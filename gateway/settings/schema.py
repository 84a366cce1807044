"""The JSON Schema of a configuration, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel

from gateway.settings.models import AgentSettings, BotSettings, ServerSettings, Settings
from gateway.settings.vocabulary import AGENT, BOT

__all__ = ["schema"]

Schema = dict[str, Any]
_FILLED: Schema = {"type": "string", "pattern": r"\$\{"}
_NARROW = frozenset({"enum", "pattern", "const", "minLength"})
_SPOKEN = ("title", "description", "default")  # what editors show stays outside a choice


def schema(adapters: Mapping[str, type[BaseModel]], agents: Mapping[str, type[BaseModel]]) -> Schema:
    """The schema of a file with these kinds of adapters and agents.

    Whatever is not a free text also takes a text with `${…}`, which is filled in before it is read. Keys that
    `defaults:` or the environment may give are not required.
    """
    definitions: Schema = {}
    for kind, model in agents.items():
        own = _keys(AgentSettings, AGENT, definitions, "core") | _keys(
            model, None, definitions, f"agent.{kind}"
        )
        definitions[f"agent.{kind}"] = _object(own | {"kind": {"const": kind}}, model)
    every: Schema = {}
    for kind, model in adapters.items():
        own = _keys(BotSettings, BOT, definitions, "core") | {"agent": _agent_of(definitions)}
        own |= _keys(model, None, definitions, f"bot.{kind}")
        if "token" in own:
            own["bot_token"] = {**own["token"], "description": "Another name of `token`."}
        every |= own
        definitions[f"bot.{kind}"] = _object(own | {"platform": {"const": kind}}, model)
    server = _keys(ServerSettings, None, definitions, "core")
    top = _keys(Settings, frozenset({"alerts", "store", "public_url"}), definitions, "core")
    top |= {
        "version": {"const": 1},
        "include": {"type": ["string", "array"], "items": {"type": "string"}, "description": "More files."},
        "server": _object(server, ServerSettings),
        "defaults": {**_object(every, None), "description": "What all bots share."},
        "agents": {"type": "object", "additionalProperties": _any_of("agent.", definitions)},
        "bots": {"type": "object", "additionalProperties": _any_of("bot.", definitions)},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lastword configuration",
        **_object(top, None),
        "required": ["version"],
        "$defs": definitions,
    }


def _object(properties: Schema, model: type[BaseModel] | None) -> Schema:
    made: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    if model is not None:
        made["description"] = (model.__doc__ or "").strip().partition("\n")[0]
    return made


def _any_of(prefix: str, definitions: Schema) -> Schema:
    """One of the definitions of kinds; those of their parts have longer names."""
    names = [name for name in definitions if name.startswith(prefix) and name.count(".") == 1]
    return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}


def _agent_of(definitions: Schema) -> Schema:
    inline: list[Schema] = _any_of("agent.", definitions)["anyOf"]
    return {
        "anyOf": [{"type": "string"}, *inline],
        "description": "The agent's name under `agents:`, or an agent written here.",
    }


def _keys(model: type[BaseModel], only: frozenset[str] | None, definitions: Schema, home: str) -> Schema:
    """A model's properties; the models inside it go to the definitions under their home's name."""
    made = model.model_json_schema(ref_template=f"#/$defs/{home}.{{model}}", by_alias=True)
    properties: Schema = made.get("properties", {})
    wanted = properties if only is None else {key: properties[key] for key in sorted(only)}
    kept = {key: _widened(one) for key, one in wanted.items()}
    inner: Schema = made.get("$defs", {})
    used = repr(kept) + repr(inner)
    for name, definition in inner.items():
        if f"#/$defs/{home}.{name}'" in used:
            definitions[f"{home}.{name}"] = _widened(definition)
    return kept


def _widened(value: object) -> Any:  # noqa: ANN401  # JSON
    """The schema with `${…}` accepted wherever it asks for more than a text."""
    if isinstance(value, list):
        return [_widened(one) for one in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    given = cast("Schema", value)
    inner: Schema = {}
    for key, one in given.items():
        if key in ("properties", "$defs"):
            inner[key] = {name: _widened(each) for name, each in cast("Schema", one).items()}
        else:
            inner[key] = one if key in ("default", "enum", "required", "examples", "const") else _widened(one)
    if given.get("type") in ("integer", "number", "boolean") or (
        given.get("type") == "string" and not _NARROW.isdisjoint(given)
    ):
        spoken = {key: inner.pop(key) for key in _SPOKEN if key in inner}
        return {**spoken, "anyOf": [inner, _FILLED]}
    return inner
