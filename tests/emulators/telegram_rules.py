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
_ALONE = {"code", "pre", "text_link"}
_TAKEN_OUT = re.compile("[\r\u2028-\u202e\u0333\u033f\u030a]")
_MENTION = re.compile(r"(?<!\w)@[A-Za-z0-9_]{2,32}(?!\w)")
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
    _check_nesting(cast("list[Json]", list(found)))
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


def _check_nesting(entities: list[Json]) -> None:
    """Entities lie in or beside one another; in code there is nothing, and links hold no links."""
    ranges = [
        (number(one["offset"]), number(one["offset"]) + number(one["length"]), str(one["type"]))
        for one in entities
    ]
    for index, (start, end, kind) in enumerate(ranges):
        for other_start, other_end, other in ranges[index + 1 :]:
            if other_end <= start or end <= other_start:
                continue
            within = start <= other_start <= other_end <= end or other_start <= start <= end <= other_end
            alone = {kind, other} & _ALONE and "blockquote" not in (kind, other)
            if not within or alone:
                raise Refused(400, f"Bad Request: can't parse entities: {other} overlaps {kind}")


def pings(text: str, entities: list[Json]) -> list[str]:
    """The names that Telegram takes for mentions, and notifies: outside of code and links."""
    calm: set[int] = set()
    for entity in entities:
        if entity["type"] in _ALONE:
            start = number(entity["offset"])
            calm.update(range(start, start + number(entity["length"])))
    kept: list[str] = []
    places: list[int] = []
    place = 0
    for char in text:
        if not _TAKEN_OUT.match(char):
            kept.append(char)
            places.append(place)
        place += 2 if ord(char) > 0xFFFF else 1
    names = [name.group() for name in _MENTION.finditer("".join(kept)) if places[name.start()] not in calm]
    return names + [str(one.get("user")) for one in entities if one["type"] == "text_mention"]


def checked_language(params: Json) -> str:
    """A two-letter language, or none."""
    language = str(params.get("language_code", ""))
    if re.fullmatch(r"([a-z]{2})?", language) is None:
        raise Refused(400, "Bad Request: invalid language code specified")
    return language


def checked_commands(params: Json) -> list[Json]:
    """The entries of a bot's menu."""
    commands: Any = params.get("commands")
    if not isinstance(commands, list):
        raise Refused(400, "Bad Request: can't parse commands JSON object")
    if len(cast("list[Json]", commands)) > 100:
        raise Refused(400, "Bad Request: BOT_COMMANDS_TOO_MUCH")
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
