"""Where the words sit: the places of every vocabulary, read alike from mappings and objects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gateway.completion.readers import words
from gateway.completion.readers.access import (
    every,
    field,
    first,
    items,
    mapping,
    present,
    squash,
    text,
    whole,
    word,
)
from gateway.completion.readers.content import refusal
from gateway.completion.readers.verdict import Verdict

__all__ = [
    "answers",
    "error",
    "is_message",
    "last_message",
    "of_model",
    "provider",
    "verdicts",
    "waits_for_person",
]

_WORDS = (
    "finish_reason",
    "stop_reason",
    "native_finish_reason",
    "done_reason",
    "completion_reason",
    "last_stop_reason",
)
_INSIDE = (
    "message",
    "delta",
    "details",
    "response",
    "message_stop",
    "output",
    "response_metadata",
    "generation_info",
    "additional_kwargs",
    "meta",
    "provider_details",
    "provider_specific_fields",
    "raw",
    "result",
    "data",
    "last_message",
    "llm_output",
    "header",
    "payload",
)
_LISTS = ("choices", "candidates", "generations", "results", "completions")
_DEEPEST = 4


def _holders(payload: object) -> Iterator[object]:
    """The payload and the places inside it that may hold a word, each once."""
    seen: set[int] = set()
    queue = [(payload, 0)]
    while queue:
        value, depth = queue.pop(0)
        if value is None or isinstance(value, str | bytes | int | float) or id(value) in seen:
            continue
        seen.add(id(value))
        if items(value):
            queue.append((first(value), depth + 1))
            continue
        yield value
        if depth < _DEEPEST:
            queue += [
                (child, depth + 1) for name in _INSIDE for child in every(value, name) if not items(child)
            ]
            queue += [(first(field(value, name)), depth + 1) for name in _LISTS]
            queue += [(part, depth + 1) for part in items(field(value, "outputs"))[-1:]]


def verdicts(payload: object) -> Iterator[Verdict]:
    """Everything that any place of the payload says."""
    for holder in _holders(payload):
        for read in (_words, _status, _details, _blocks, _flags, _framework):
            yield from read(holder)
        if refusal(holder) or any(refusal(item) for item in items(field(holder, "output"))):
            yield Verdict("refused", "refusal")
    kind = squash(word(field(payload, "type")))
    if kind.startswith("responserefusal"):
        yield Verdict("refused", word(field(payload, "type")))


def _words(holder: object) -> Iterator[Verdict]:
    for name in _WORDS:
        for raw in every(holder, name):
            yield from _word(raw)
    kind = words.stop_type(field(holder, "stop_type"))
    if kind is not None:
        yield kind


def _word(raw: object) -> Iterator[Verdict]:
    if mapping(raw) is not None or present(raw, "unified"):
        for name in ("raw", "unified", "reason", "type"):
            inner = words.finish(field(raw, name))
            if inner is not None:
                yield inner
        return
    sentence = _sentence(text(raw))
    found = sentence or words.number_of_gemini(raw) or words.finish(raw)
    if found is not None:
        yield found


# AutoGen 0.7 says in a sentence why a run stopped.
_SENTENCES = (
    (re.compile(r"^maximum number of (?:turns|messages|steps) "), "max_steps"),
    (re.compile(r"^(?:token usage limit|maximum number of tokens)"), "budget_exhausted"),
    (re.compile(r"^timeout of "), "timeout"),
    (re.compile(r"^external termination requested"), "cancelled"),
    (re.compile(r"^handoff to "), "suspended"),
    (
        re.compile(r"^(?:text|function|source) .* (?:mentioned|executed|received)|^stop message received"),
        "completed",
    ),
)


def _sentence(raw: str) -> Verdict | None:
    plain = raw.lower()
    for phrase, reason in _SENTENCES:
        if phrase.search(plain):
            return Verdict(reason, raw[:200])
    return None


def _status(holder: object) -> Iterator[Verdict]:
    raw = field(holder, "status")
    found = words.status(raw)
    explained = found is not None and squash(found.token or "") == "incomplete" and any(_details(holder))
    if found is not None and not explained:
        yield (
            found if found.reason != "provider_error" or _of_openai(holder) else Verdict("error", found.token)
        )
    state = words.state(field(raw, "state")) if not isinstance(raw, str) else None
    if state is not None:
        yield state


def _of_openai(holder: object) -> bool:
    return squash(word(field(holder, "object"))) in {
        "response",
        "threadrun",
        "threadmessage",
        "realtimeresponse",
    }


def _details(holder: object) -> Iterator[Verdict]:
    for name in ("incomplete_details", "status_details"):
        details = field(holder, name)
        if details is not None:
            found = words.detail(field(details, "reason"))
            if found is not None:
                yield found


def _blocks(holder: object) -> Iterator[Verdict]:
    for source in (field(holder, "prompt_feedback"), holder):
        for raw in every(source, "block_reason"):
            found = words.blocked(raw) or (
                Verdict("content_filtered", str(whole(raw))) if whole(raw) else None
            )
            if found is not None:
                yield found
    action = word(field(holder, "amazon-bedrock-guardrailAction"))
    if squash(action) == "intervened":
        yield Verdict("content_filtered", action)
    for name in ("content_filter_results", "content_filter_result", "prompt_filter_results"):
        if any(_filtered(found) for found in every(holder, name)):
            yield Verdict("content_filtered", "filtered")


def _filtered(results: object) -> bool:
    for entry in items(results):
        if _filtered(field(entry, "content_filter_results")):
            return True
    named = mapping(results) or {}
    return any(field(value, "filtered") is True for value in list(named.values())[:32])


_FLAGS = (
    ("stopped_limit", "length_truncated"),
    ("is_truncated", "length_truncated"),
    ("need_clear_history", "content_filtered"),
    ("input_sensitive", "content_filtered"),
    ("output_sensitive", "content_filtered"),
)


def _flags(holder: object) -> Iterator[Verdict]:
    for name, reason in _FLAGS:
        if field(holder, name) is True:
            yield Verdict(reason, name)


def _framework(holder: object) -> Iterator[Verdict]:
    exit_word = words.exit_word(field(holder, "exit_reason"))
    if exit_word is not None:
        yield exit_word
    if squash(word(field(holder, "type"))) == "runfinished":
        outcome = field(holder, "outcome")
        found = words.status(outcome) or words.status(field(outcome, "type"))
        yield found or Verdict("completed")
    yield from _pydantic(holder)


_STATES = {
    "interrupted": "stream_cut",
    "suspended": "suspended",
    "maxstepserror": "max_steps",
    "success": "completed",
}


def _pydantic(holder: object) -> Iterator[Verdict]:
    """The state of a pydantic-ai response or a smolagents run."""
    state = word(field(holder, "state"))
    if squash(state) in _STATES:
        yield Verdict(_STATES[squash(state)], state)
    if word(field(holder, "kind")) != "response" or not field(holder, "provider_url"):
        return
    details = field(holder, "provider_details")
    raw = any(field(details, name) for name in ("finish_reason", "block_reason", "refusal"))
    if (
        not raw
        and squash(word(field(holder, "finish_reason"))) in {"", "stop"}
        and squash(state) == "complete"
    ):
        yield Verdict("stream_cut")  # the library fills in a clean end where the stream named none


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


def _role(message: object) -> str:
    for name in ("role", "type", "kind"):
        role = squash(word(field(message, name)))
        if role in _MODEL | _OTHERS:
            return role
    return ""


def is_message(value: object) -> bool:
    """Whether it is one message of a conversation."""
    return bool(_role(value)) and (present(value, "content") or present(value, "parts"))


def of_model(value: object) -> bool:
    """Whether a message comes from the model."""
    return _role(value) in _MODEL


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
        and not any(present(payload, name) for name in (*_WORDS, "exit_reason", "status"))
    ):
        return listed[-1:]
    return payload


def waits_for_person(payload: object) -> bool:
    """Whether a run stopped to ask a person."""
    return any(bool(items(field(payload, name))) for name in ("__interrupt__", "interruptions"))


def error(payload: object) -> object:
    """The body of an error inside the payload, or `None`."""
    for holder in (payload, field(payload, "response"), first(field(payload, "choices"))):
        for name in ("error", "errors", "last_error"):
            for found in every(holder, name):
                if found and not isinstance(found, bool | int | float):
                    return holder if isinstance(found, str) else found
        if field(holder, "error") is True:
            return holder
    return payload if _is_error(payload) else None


def _is_error(payload: object) -> bool:
    if (
        squash(word(field(payload, "type"))) in {"error", "runerror"}
        or word(field(payload, "object")) == "error"
    ):
        return True
    base = whole(field(field(payload, "base_resp"), "status_code"))
    if base or whole(field(payload, "error_code")) or whole(field(field(payload, "header"), "code")):
        return True
    code = field(payload, "code")
    said = any(isinstance(field(payload, name), str) for name in ("message", "msg"))
    answered = any(
        present(payload, name) for name in ("choices", "output", "candidates", "content", "status")
    )
    return (
        bool(code) and said and not answered and squash(str(code)[:40]) not in {"0", "200", "ok", "success"}
    )


def answers(payload: object) -> Iterator[object]:
    """The messages whose content a person would read, for whole responses and not for chunks."""
    choice = first(field(payload, "choices"))
    if choice is not None:
        if not present(choice, "delta"):
            yield field(choice, "message")
        return
    if present(payload, "done") and not whole(field(payload, "eval_count")):
        return
    if present(payload, "final_output"):
        yield {"content": field(payload, "final_output")}
    for holder in (first(field(payload, "candidates")), payload):
        yield from _spoken(holder)


def _spoken(holder: object) -> Iterator[object]:
    if holder is None or present(holder, "delta"):
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
