"""What the Bot API server checks before it takes a message."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from tests.emulators.wire import Json

LIMIT = 4096  # code points after entities were read
_ENTITIES = 100
_NESTED = (
    "entities",
    "reply_markup",
    "reply_parameters",
    "link_preview_options",
    "allowed_updates",
    "commands",
)
_PLAIN_KINDS = (
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "custom_emoji",
)
_STYLES = (
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "code",
    "pre",
    "text_link",
    "text_mention",
)
_ENTITY_KINDS = frozenset({*_PLAIN_KINDS, *_STYLES, "blockquote", "expandable_blockquote"})


class Refused(Exception):
    """An answer that is not ok."""

    def __init__(self, status: int, description: str, parameters: Json | None = None) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.parameters = parameters


def parsed(params: Json) -> Json:
    """Form parameters with nested ones decoded, as the server does."""
    return {key: _decoded(key, value) for key, value in params.items()}


def _decoded(key: str, value: Any) -> Any:  # JSON
    if key in _NESTED and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError as exc:
            raise Refused(400, f"Bad Request: can't parse {key} JSON object") from exc
    return value


def number(value: object) -> int:
    """A number that may come as text; 0 for anything else."""
    try:
        return int(str(value))
    except ValueError:
        return 0


def checked_text(params: Json) -> tuple[str, list[Json]]:
    """The text and its entities, as people see them."""
    text = str(params.get("text", ""))
    if not text.strip():
        raise Refused(400, "Bad Request: message text is empty")
    if len(text) > LIMIT:
        raise Refused(400, "Bad Request: message is too long")
    return text, checked_entities(text, params)


def checked_entities(text: str, params: Json) -> list[Json]:
    """The entities of a text, of which the server keeps a hundred."""
    if any(0xD800 <= ord(mark) <= 0xDFFF for mark in text):
        raise Refused(400, "Bad Request: strings must be encoded in UTF-8")
    entities: Any = params.get("entities") or []
    if not isinstance(entities, list):
        raise Refused(400, "Bad Request: can't parse entities: expected an Array of MessageEntity")
    found = cast("Sequence[Any]", entities)
    units = text.encode("utf-16-le")
    for entity in found:
        _check_entity(entity, units)
    return list(found[:_ENTITIES])


def _check_entity(entity: Any, units: bytes) -> None:
    if not isinstance(entity, dict):
        raise Refused(400, "Bad Request: can't parse entities: MessageEntity is not an object")
    told = cast("Json", entity)
    start, length = number(told.get("offset")), number(told.get("length"))
    if told.get("type") not in _ENTITY_KINDS:
        raise Refused(400, "Bad Request: can't parse entities: unsupported entity type")
    if start < 0 or length <= 0 or (start + length) * 2 > len(units):
        raise Refused(400, "Bad Request: ENTITY_BOUNDS_INVALID")
    try:
        units[start * 2 : (start + length) * 2].decode("utf-16-le")
    except UnicodeDecodeError as exc:
        raise Refused(400, "Bad Request: can't parse entities: entity begins or ends in a character") from exc
    if told["type"] == "text_link" and not str(told.get("url", "")):
        raise Refused(400, "Bad Request: can't parse entities: text_link must have url")


def checked_commands(params: Json) -> list[Json]:
    """The entries of a bot's menu."""
    commands: Any = params.get("commands")
    if not isinstance(commands, list):
        raise Refused(400, "Bad Request: can't parse commands JSON object")
    for command in cast("list[Json]", commands):
        if re.fullmatch(r"[a-z0-9_]{1,32}", str(command.get("command", ""))) is None:
            raise Refused(400, "Bad Request: BOT_COMMAND_INVALID")
        if not 1 <= len(str(command.get("description", ""))) <= 256:
            raise Refused(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")
    return cast("list[Json]", commands)


def checked_markup(params: Json) -> list[list[Json]]:
    """The rows of an inline keyboard."""
    markup: Any = params.get("reply_markup")
    if not markup:
        return []
    rows: Any = cast("Json", markup).get("inline_keyboard") if isinstance(markup, dict) else None
    if not isinstance(rows, list):
        raise Refused(400, "Bad Request: can't parse inline keyboard")
    for row in cast("list[list[Json]]", rows):
        for button in row:
            _check_button(button)
    return cast("list[list[Json]]", rows)


def _check_button(button: Json) -> None:
    if not str(button.get("text", "")).strip():
        raise Refused(400, "Bad Request: inline keyboard button text is empty")
    size = len(str(button.get("callback_data", "")).encode())
    if not 1 <= size <= 64:
        raise Refused(400, "Bad Request: BUTTON_DATA_INVALID")
