"""Read the text, and the word for how it ended, from whatever an agent gave back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from gateway.abc.agent import TurnResult
from gateway.completion import classify_response, extract_completion
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.errors import AgentError

__all__ = ["attribute", "read", "text_of"]

_KEYS = (
    "text",
    "output",
    "content",
    "answer",
    "reply",
    "response",
    "final_output",
    "message",
    "result",
    "raw",
)
_ATTRIBUTES = ("content", "output", "final_output", "text", "raw", "response", "message", "reply", "result")
_WORDS = ("stop_reason", "finish_reason")
_SPEAKERS = frozenset({"ai", "assistant", "aimessagechunk", "model"})
_TEXT_BLOCKS = frozenset({"text", "output_text", "refusal", ""})
_DEPTH = 4  # results nest this deep in the frameworks that are known

# What LangGraph's prebuilt agents and call limits say when they give up; read 2026-11-30.
_GIVEN_UP = ("Sorry, need more steps to process this request.", "Model call limits exceeded:")

_MISSING = object()


def read(result: object) -> AgentReply:
    """The text and the completion of a result.

    Only the last message of the model counts, where a result lists several.

    Raises:
        AgentError: There is no text in it.
    """
    match result:
        case None:
            return AgentReply()
        case str():
            return AgentReply(result)
        case AgentReply():
            return result
        case TurnResult():
            return AgentReply(result.text, result.completion)
        case _:
            return _read(result)


def text_of(value: object) -> str:
    """The text in a value; empty where there is none."""
    return _text(value) or ""


def attribute(value: object, *path: str) -> object:
    """What a foreign value holds at the end of a path of keys or attributes; `None` for nothing."""
    for name in path:
        value = _get(value, name)
        if value is _MISSING:
            return None
    return value


def _read(result: object) -> AgentReply:
    message = _last_message(result)
    text = _text(result if message is None else message)
    if message is not None and text is not None and text.startswith(_GIVEN_UP):
        return AgentReply("", TurnCompletion("max_steps", site="agent.reply", source="metadata"))
    completion = extract_completion(result) or _classified(message, result) or _own_word(result)
    if text is None and completion is None:
        raise AgentError(f"the agent gave back a {type(result).__name__} with no text in it")
    return AgentReply(text or "", completion)


def _classified(*candidates: object) -> TurnCompletion | None:
    """What the readers say; a word that blocks is never hidden by one that does not."""
    found = [classify_response(candidate) for candidate in candidates if candidate is not None]
    said = [completion for completion in found if completion is not None]
    return next((completion for completion in said if completion.truncated), said[0] if said else None)


def _own_word(result: object) -> TurnCompletion | None:
    for name in _WORDS:
        word = _get(result, name)
        if isinstance(word, str) and word:
            return TurnCompletion(word, site="agent.reply", source="metadata", token=word)
    return None


def _last_message(result: object) -> object:
    messages = _get(result, "messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        return None
    return cast("Sequence[object]", messages)[-1] if messages else ""


def _text(value: object, depth: int = _DEPTH) -> str | None:
    """The text in a value; empty when it has a place for one and nothing there, `None` without any."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if depth == 0 or not _spoken_by_model(value):
        return "" if depth else None
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return "".join(_block(block, depth - 1) for block in cast("Sequence[object]", value))
    for name in _places(value):
        found = _get(value, name)
        if found is not _MISSING and not callable(found):
            return _text(found, depth - 1)
    return None


def _places(value: object) -> tuple[str, ...]:
    return _KEYS if isinstance(value, Mapping) else _ATTRIBUTES


def _block(block: object, depth: int) -> str:
    """The text of one content block; thoughts, images and tool calls have none."""
    if isinstance(block, str):
        return block
    kind = _get(block, "type")
    if isinstance(kind, str) and kind not in _TEXT_BLOCKS:
        return ""
    refusal = _get(block, "refusal")
    return refusal if isinstance(refusal, str) else _text(block, depth) or ""


def _spoken_by_model(value: object) -> bool:
    for name in ("role", "type"):
        role = _get(value, name)
        role = getattr(role, "value", role)
        if isinstance(role, str) and role.lower() in {"human", "user", "system", "tool", "function"}:
            return False
        if isinstance(role, str) and role.lower() in _SPEAKERS:
            return True
    return True


def _get(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return cast("Mapping[object, object]", value).get(name, _MISSING)
    try:
        return cast("object", getattr(value, name, _MISSING))
    except Exception:  # noqa: BLE001  # a foreign property may raise anything
        return _MISSING
