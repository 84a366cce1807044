"""What a model's message shows: something to read, calls of tools, or nothing."""

from __future__ import annotations

from enum import Enum

from gateway.completion.readers.access import every, field, items, mapping, present, squash, text, whole, word

__all__ = ["Shown", "refusal", "shown", "spoke_before"]


class Shown(Enum):
    """What a person would see of it."""

    SOMETHING = "something"
    CALLS = "calls"
    NOTHING = "nothing"
    UNSAID = "unsaid"


_CALLS = frozenset(
    {
        "toolcall",
        "tooluse",
        "functioncall",
        "customtoolcall",
        "localshellcall",
        "computercall",
        "mcpapprovalrequest",
    }
)
_HIDDEN = frozenset(
    {
        "thinking",
        "redactedthinking",
        "reasoning",
        "reasoningcontent",
        "thought",
        "refusal",
        "servertooluse",
        "websearchcall",
        "filesearchcall",
        "mcplisttools",
        "toolresult",
        "toolreturn",
        "builtintoolcall",
        "builtintoolreturn",
    }
)
_TEXTS = ("content", "parts", "text", "generated_text", "output_text", "response", "result")
_MEDIA = (
    "audio",
    "images",
    "inline_data",
    "file_data",
    "executable_code",
    "image",
    "video",
    "document",
    "json",
)


def shown(message: object) -> Shown:
    """What `message` (of a whole response, not of a chunk) shows."""
    if isinstance(message, str):
        return _of_text(message)
    if _has_calls(message):
        return Shown.CALLS
    if any(field(message, name) for name in _MEDIA):
        return Shown.SOMETHING
    said = [_of_value(field(message, name)) for name in _TEXTS if present(message, name)]
    return _sum(said)


def _sum(said: list[Shown]) -> Shown:
    for most in (Shown.CALLS, Shown.SOMETHING, Shown.NOTHING):
        if most in said:
            return most
    return Shown.UNSAID


def _of_value(value: object) -> Shown:
    if value is None:
        return Shown.NOTHING
    if isinstance(value, str):
        return _of_text(value)
    parts = items(value)
    if not parts:
        return Shown.NOTHING if isinstance(value, list | tuple) else _of_nested(value)
    said = [_of_part(part) for part in parts]
    return _sum([one for one in said if one is not Shown.UNSAID] or [Shown.SOMETHING])


def _of_nested(value: object) -> Shown:
    """Gemini's `content` is a mapping that holds the parts."""
    if mapping(value) is not None or present(value, "parts"):
        return _of_value(field(value, "parts"))
    return Shown.UNSAID


def _of_text(value: str) -> Shown:
    return Shown.SOMETHING if value[:8000].strip() else Shown.NOTHING


def _of_part(part: object) -> Shown:
    if isinstance(part, str):
        return _of_text(part)
    kind = squash(word(field(part, "type")) or word(field(part, "part_kind")))
    if kind in _CALLS or _has_calls(part):
        return Shown.CALLS
    if kind in _HIDDEN or field(part, "thought") is True or field(part, "reasoning_content"):
        return Shown.NOTHING
    if kind == "message":
        return _of_value(field(part, "content"))
    for name in ("text", "content", "output_text"):
        if present(part, name) and (isinstance(field(part, name), str) or field(part, name) is None):
            return _of_text(text(field(part, name)))
    return Shown.SOMETHING if kind or any(field(part, name) for name in _MEDIA) else Shown.UNSAID


def _has_calls(value: object) -> bool:
    return any(items(field(value, "tool_calls"))) or any(
        bool(field(value, name)) and not isinstance(field(value, name), str)
        for name in ("function_call", "tool_use")
    )


def refusal(message: object) -> bool:
    """Whether the model says in a field of its own, or in a part, that it declines."""
    if any(text(said).strip() for said in every(message, "refusal")):
        return True
    parts = items(field(message, "content"))
    if any(squash(word(field(part, "type"))) == "refusal" for part in parts):
        return True
    details = field(message, "stop_details")
    return squash(word(field(details, "type"))) == "refusal"


def spoke_before(payload: object) -> bool:
    """Whether the token counts say that text came in earlier chunks than this one."""
    counts = (
        field(payload, "eval_count"),
        field(field(payload, "usage_metadata"), "candidates_token_count"),
    )
    return any((whole(count) or 0) > 1 for count in counts)
