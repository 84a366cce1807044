"""What reading the ending of a good answer costs, beside looking the word up by hand."""

from __future__ import annotations

import gc
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import orjson

from gateway.completion import TurnCompletion, append_completion_note, classify_response

__all__ = ["Cost", "reading"]

_USAGE = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}
_ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1764547200,
    "model": "some-model",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello, what can I do for you?" * 8},
            "finish_reason": "stop",
        }
    ],
    "usage": _USAGE,
}
_CLEAN = TurnCompletion(site="provider.response", source="metadata", token="stop")
_TEXT = "Hello"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call takes.

    Attributes:
        seconds: Median over rounds.
        kept: Bytes that stay allocated when the result is dropped.
        peak: Bytes allocated at once, at most.
    """

    seconds: float
    kept: float
    peak: int


def _sdk() -> Any:
    """The same answer as an object with attributes."""
    return json.loads(json.dumps(_ANSWER), object_hook=lambda found: SimpleNamespace(**found))


def reading(*, rounds: int, calls: int) -> dict[str, Cost]:
    """The costs by what is done: a bare look-up, decoding, reading it, a note that is off."""
    answer, held, written = _ANSWER, _sdk(), orjson.dumps(_ANSWER)
    kinds: dict[str, Callable[[], object]] = {
        "look-up": lambda: answer["choices"][0].get("finish_reason"),
        "decoding": lambda: orjson.loads(written),
        "mapping": lambda: classify_response(answer),
        "object": lambda: classify_response(held),
        "note off": lambda: append_completion_note(_TEXT, _CLEAN),
    }
    seconds: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, call in kinds.items():
            seconds[name].append(_timed(call, calls))
    return {name: Cost(statistics.median(seconds[name]), *_allocated(call)) for name, call in kinds.items()}


def _timed(call: Callable[[], object], calls: int) -> float:
    began = time.thread_time()
    for _ in range(calls):
        call()
    return (time.thread_time() - began) / calls


_WATCHED = 200


def _allocated(call: Callable[[], object]) -> tuple[float, int]:
    call()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        call()
        _, peak = tracemalloc.get_traced_memory()
        for _ in range(_WATCHED):
            call()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / _WATCHED, peak - before
