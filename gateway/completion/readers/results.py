"""The parts of a result: which message counts, who speaks, what a person would read."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.completion.readers.access import field, first, items, present, squash, whole, word
from gateway.completion.readers.words import FIELDS

__all__ = ["answers", "is_message", "last_message", "of_model", "provider", "waits_for_person"]

_MODEL = frozenset({"ai", "aimessage", "aimessagechunk", "assistant", "model", "response", "chatbot"})
_OTHERS = frozenset(
    {
        "human",
        "humanmessage",
        "user",
        "tool",
        "toolmessage",
        "system",
        "systemmessage",
        "request",
        "developer",
        "function",
    }
)


def role(message: object) -> str:
    """Who speaks in a message, one squashed word; empty where it is no message."""
    for name in ("role", "type", "kind"):
        found = squash(word(field(message, name)))
        if found in _MODEL | _OTHERS:
            return found
    return ""


def is_message(value: object) -> bool:
    """Whether it is one message of a conversation."""
    return bool(role(value)) and (present(value, "content") or present(value, "parts"))


def of_model(value: object) -> bool:
    """Whether a message comes from the model."""
    return role(value) in _MODEL


def last_message(payload: object) -> object:
    """Of a framework's result, the part that says how the turn ended; else the payload itself."""
    response = field(payload, "response")
    if word(field(response, "kind")) == "response":
        return response
    raw = items(field(payload, "raw_responses"))
    if raw and present(payload, "final_output"):
        return {
            "status": "completed",
            "final_output": field(payload, "final_output"),
            "output": field(raw[-1], "output"),
        }
    listed = items(field(payload, "messages"))
    if (
        listed
        and is_message(listed[-1])
        and not any(present(payload, name) for name in (*FIELDS, "exit_reason", "status"))
    ):
        return listed[-1:]
    return payload


def waits_for_person(payload: object) -> bool:
    """Whether a run stopped to ask a person."""
    return any(bool(items(field(payload, name))) for name in ("__interrupt__", "interruptions"))


def answers(payload: object) -> Iterator[object]:
    """The messages whose content a person would read, for whole responses and not for chunks."""
    choice = first(field(payload, "choices"))
    if choice is not None:
        if field(choice, "delta") is None:
            yield field(choice, "message")
        return
    if present(payload, "done") and not whole(field(payload, "eval_count")):
        return
    if present(payload, "final_output"):
        yield {"content": field(payload, "final_output")}
    for holder in (first(field(payload, "candidates")), payload):
        yield from _spoken(holder)


def _spoken(holder: object) -> Iterator[object]:
    if holder is None or field(holder, "delta") is not None:
        return
    output = field(holder, "output")
    if items(output):
        yield {"content": output}
    elif isinstance(output, list | tuple):
        yield {"content": ()}
    elif output is not None and not isinstance(output, str):
        yield from answers(output)
    message = field(holder, "message")
    if message is not None and not isinstance(message, str):
        yield message
    result = first(field(holder, "results"))
    if result is not None:
        yield result
    if any(present(holder, name) for name in ("content", "parts", "generated_text")):
        yield holder
    elif present(holder, "finish_reason") and present(holder, "index") and not present(holder, "text"):
        yield {"content": None}


def provider(payload: object) -> str:
    """Who answered, where the payload itself leaves no doubt."""
    for holder in (payload, field(payload, "response_metadata")):
        for name in ("provider_name", "model_provider"):
            found = word(field(holder, name))
            if found:
                return found
    return ""
