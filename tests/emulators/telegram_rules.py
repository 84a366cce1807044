"""What the Bot API server checks before it takes a message."""

from __future__ import annotations

import json
from typing import Any

from tests.emulators.wire import Json

LIMIT = 4096  # code points after entities were read
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
    nested = ("entities", "reply_markup", "reply_parameters", "link_preview_options", "allowed_updates")
    if key in nested and isinstance(value, str):
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
    entities = list(params.get("entities") or [])
    if not text.strip():
        raise Refused(400, "Bad Request: message text is empty")
    if len(text) > LIMIT:
        raise Refused(400, "Bad Request: message is too long")
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if any(0xD800 <= ord(mark) <= 0xDFFF for mark in text):
        raise Refused(400, "Bad Request: strings must be encoded in UTF-8")
    for entity in entities:
        start, length = number(entity.get("offset")), number(entity.get("length"))
        if entity.get("type") not in _ENTITY_KINDS:
            raise Refused(400, "Bad Request: can't parse entities: unsupported entity type")
        if start < 0 or length <= 0 or start + length > units:
            raise Refused(400, "Bad Request: ENTITY_BOUNDS_INVALID")
        if entity["type"] == "text_link" and not str(entity.get("url", "")):
            raise Refused(400, "Bad Request: can't parse entities: text_link must have url")
    if len(entities) > 100:
        entities = entities[:100]
    return text, entities


def checked_markup(params: Json) -> list[list[Json]]:
    """The rows of an inline keyboard."""
    markup = params.get("reply_markup")
    if not markup:
        return []
    rows: list[list[Json]] | None = markup.get("inline_keyboard")
    if rows is None:
        raise Refused(400, "Bad Request: can't parse inline keyboard")
    for row in rows:
        for button in row:
            if not str(button.get("text", "")).strip():
                raise Refused(400, "Bad Request: inline keyboard button text is empty")
            size = len(str(button.get("callback_data", "")).encode())
            if not 1 <= size <= 64:
                raise Refused(400, "Bad Request: BUTTON_DATA_INVALID")
    return rows
