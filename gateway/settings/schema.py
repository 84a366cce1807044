"""The JSON Schema of a configuration, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from gateway.settings.models import AgentSettings, BotSettings, ServerSettings

__all__ = ["schema"]

_FILLED = {"type": "string", "pattern": r"\$\{"}
Schema = dict[str, Any]


def schema(adapters: Mapping[str, type[BaseModel]], agents: Mapping[str, type[BaseModel]]) -> Schema:
    """The schema of a file with these kinds of adapters and agents.

    Numbers and booleans also take a text with `${…}`, which is filled in before they are read.
    """
    definitions: Schema = {}
    bots = [
        _joined(BotSettings, model, {"platform": {"const": kind}}, definitions)
        for kind, model in adapters.items()
    ]
    kinds = [
        _joined(AgentSettings, model, {"kind": {"const": kind}}, definitions)
        for kind, model in agents.items()
    ]
    bot = {"anyOf": bots}
    agent = {"anyOf": kinds}
    loose = _loose_bot(BotSettings, definitions)
    made: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lastword configuration",
        "type": "object",
        "additionalProperties": False,
        "required": ["version", "bots"],
        "properties": {
            "version": {"const": 1},
            "include": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "store": {"type": "string", "description": "memory: or sqlite:PATH"},
            "server": _of(ServerSettings, definitions),
            "public_url": {"type": "string"},
            "defaults": loose,
            "agents": {"type": "object", "additionalProperties": agent},
            "bots": {"type": "object", "additionalProperties": bot},
        },
        "$defs": definitions,
    }
    for model in (*definitions.values(), made["properties"]["agents"], made["properties"]["bots"]):
        _widen(model)
    _widen(made["properties"]["server"])
    _widen(made["properties"]["defaults"])
    return made


def _of(model: type[BaseModel], definitions: Schema) -> Schema:
    made = model.model_json_schema(ref_template="#/$defs/{model}", by_alias=True)
    definitions.update(made.pop("$defs", {}))
    made.pop("title", None)
    return made


def _loose_bot(model: type[BaseModel], definitions: Schema) -> Schema:
    made = _of(model, definitions)
    made.pop("required", None)
    made["properties"].pop("name", None)
    made["additionalProperties"] = True
    return made


def _joined(core: type[BaseModel], own: type[BaseModel], fixed: Schema, definitions: Schema) -> Schema:
    """Core keys and a kind's own keys in one object."""
    base, more = _of(core, definitions), _of(own, definitions)
    properties = base["properties"] | more.get("properties", {})
    for hidden in ("name", "options"):
        properties.pop(hidden, None) if hidden not in more.get("properties", {}) else None
    required = [
        name
        for name in (*base.get("required", ()), *more.get("required", ()))
        if name not in ("name", "kind")
    ]
    if "agent" in properties:
        properties["agent"] = {"anyOf": [{"type": "string"}, {"type": "object"}]}
    for name in ("token", "bot_token"):
        if name in required:
            required.remove(name)
    if "token" in properties:
        properties["bot_token"] = properties["token"]
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties | fixed,
        "required": required,
        "description": (own.__doc__ or "").strip().partition("\n")[0],
    }


def _widen(value: object) -> None:
    """Let numbers and booleans be written as `${…}` too."""
    if isinstance(value, dict):
        for key, one in list(value.items()):
            if isinstance(one, dict) and one.get("type") in ("integer", "number", "boolean"):
                value[key] = {"anyOf": [one, _FILLED]}
                if "description" in one:
                    value[key]["description"] = one["description"]
            else:
                _widen(one)
    elif isinstance(value, list):
        for one in value:
            _widen(one)
