"""Where the words sit: the places of every vocabulary, read alike from mappings and objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

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
from gateway.completion.readers.results import of_model
from gateway.completion.readers.verdict import Verdict
from gateway.completion.readers.words import FIELDS

__all__ = ["verdicts"]

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
_MOST_PARTS = 80


def _holders(payload: object) -> Iterator[object]:
    """The payload and the places inside it that may hold a word, each once."""
    seen: dict[int, object] = {}  # holds what it has seen, so that no id is used twice
    # the provider's own word, which pydantic-ai keeps there, comes before the library's word for it
    own = field(payload, "provider_details") if word(field(payload, "kind")) == "response" else None
    queue = [(own, 1), (payload, 0)]
    while queue and len(seen) < _MOST_PARTS:
        value, depth = queue.pop(0)
        if value is None or isinstance(value, str | bytes | int | float) or id(value) in seen:
            continue
        seen[id(value)] = value
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
        for read in (_words, _status, _details, _blocks, _flags, _framework, _refusals):
            yield from _all_of(read, holder)
    kind = squash(word(field(payload, "type")))
    if kind.startswith("responserefusal"):
        yield Verdict("refused", word(field(payload, "type")))


def _all_of(read: Callable[[object], Iterable[Verdict]], holder: object) -> list[Verdict]:
    """What one reader says; a value that cannot be read hides nothing of what the others say."""
    try:
        return list(read(holder))
    except Exception:  # noqa: BLE001  # a foreign value may raise anything, its truth included
        return []


def _refusals(holder: object) -> Iterator[Verdict]:
    if refusal(holder) or any(refusal(item) for item in items(field(holder, "output"))):
        yield Verdict("refused", "refusal")


def _words(holder: object) -> Iterator[Verdict]:
    for name in FIELDS:
        for raw in every(holder, name):
            yield from _word(raw, name)
    kind = words.stop_type(field(holder, "stop_type"))
    if kind is not None:
        yield kind


def _word(raw: object, name: str) -> Iterator[Verdict]:
    if mapping(raw) is not None or present(raw, "unified"):
        for part in ("raw", "unified", "reason", "type"):
            inner = words.finish(field(raw, part))
            if inner is not None:
                yield inner
        return
    sentence = _sentence(text(raw))
    found = sentence or words.number_of_gemini(raw) or words.finish(raw)
    if name == "last_stop_reason":
        found = words.agent(raw)
    if found is not None and (name != "error_code" or (found.known and isinstance(raw, str))):
        yield found  # a code of an error that is no such word is read as an error


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
    found = mapping(results)
    named = (
        [field(results, name) for name in _CATEGORIES] if found is None else list(islice(found.values(), 32))
    )
    return any(field(value, "filtered") is True for value in named)


_CATEGORIES = ("hate", "self_harm", "sexual", "violence", "profanity", "jailbreak", "indirect_attack")


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
    if of_model(holder) and not field(holder, "response_metadata"):
        said = text(field(holder, "content")).strip()
        if any(sentence.fullmatch(said) for sentence in _OUT_OF_STEPS):
            yield Verdict("max_steps")
    if squash(word(field(holder, "type"))) == "runfinished":
        outcome = field(holder, "outcome")
        found = words.status(outcome) or words.status(field(outcome, "type"))
        yield found or Verdict("completed")
    yield from _pydantic(holder)


# LangGraph 1.2 and LangChain 1.5 put these in the model's mouth, with no metadata of a provider.
_OUT_OF_STEPS = (
    re.compile(r"Sorry, need more steps to process this request\."),
    re.compile(r"Model call limits exceeded: [\w ]{1,40}\(\d+/\d+\)(?:, [\w ]{1,40}\(\d+/\d+\))*"),
)
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
