"""Look a raw word up in all vocabularies, whatever its spelling."""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers import (
    anthropic,
    bedrock,
    compatible,
    frameworks,
    gemini,
    openai,
    vendors,
)
from gateway.completion.readers.access import squash, whole, word
from gateway.completion.readers.verdict import Verdict
from gateway.completion.registry import ENDINGS, normalise

__all__ = [
    "FIELDS",
    "agent",
    "blocked",
    "detail",
    "exit_word",
    "finish",
    "number_of_gemini",
    "state",
    "status",
    "stop_type",
]


FIELDS = (
    "finish_reason",
    "stop_reason",
    "native_finish_reason",
    "done_reason",
    "completion_reason",
    "last_stop_reason",
    "error_code",
)
"""The fields that hold a word, in snake case."""


def _flat(*tables: Mapping[str, str]) -> dict[str, str]:
    """One table by squashed word; of two that disagree the first one counts."""
    flat: dict[str, str] = {}
    for table in tables:
        for raw, reason in table.items():
            flat.setdefault(squash(raw), reason)
    return flat


_FINISH = _flat(
    openai.FINISH,
    anthropic.STOP,
    gemini.FINISH,
    bedrock.STOP,
    vendors.MISTRAL,
    vendors.COHERE,
    vendors.OLLAMA,
    vendors.XAI,
    compatible.DEEPSEEK,
    compatible.VLLM,
    compatible.ZAI,
    compatible.HUGGING_FACE,
    compatible.TOGETHER,
    compatible.OPENROUTER,
    compatible.WATSONX,
    compatible.BAIDU,
    compatible.AI21,
    bedrock.TITAN,
    openai.DETAILS,
    frameworks.PYDANTIC_AI,
    frameworks.SMOLAGENTS,
    frameworks.ACP,
    frameworks.STRANDS,
    frameworks.VERCEL,
    {"max_agent_steps": "max_steps"},
)
_AGENT = _flat(frameworks.PRAISON)
_DETAILS = _flat(openai.DETAILS)
_BLOCKED = _flat(gemini.BLOCKED)
_STATUS = _flat(openai.STATUS, frameworks.ANY_STATUS, frameworks.AGNO, frameworks.A2A, frameworks.AG_UI)
_STOP_TYPE = _flat(compatible.LLAMA)
_EXITS = _flat(frameworks.HAYSTACK)
_PREFIXES = ("finishreason", "stopreason", "blockreason", "blockedreason", "runstatus", "taskstate")


def finish(raw: object) -> Verdict | None:
    """What a finish or stop word means; an unknown one is kept as it came; `None` when there is no word."""
    found = word(raw)
    keys = _keys(found)
    if not found or squash(found) in _NO_WORD:
        return None
    reason = _search(_FINISH, keys) or _ours(found) or _search(_STATUS, keys)
    return Verdict(reason, found) if reason else Verdict(found, found, known=False)


_NO_WORD = frozenset({"null", "none"})  # DashScope streams the word while there is none


def _ours(raw: str) -> str | None:
    reason = normalise(raw)
    return reason if reason in ENDINGS else None


def _search(table: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    return next((table[key] for key in keys if key in table), None)


def agent(raw: object) -> Verdict | None:
    """What an agent object says of its last turn, in its own words or ours."""
    found = word(raw)
    reason = _search(_AGENT, _keys(found)) or _ours(found)
    return Verdict(reason, found) if found and reason else finish(raw)


def detail(raw: object) -> Verdict | None:
    """What the reason of an incomplete or cancelled response means."""
    found = word(raw)
    reason = _search(_DETAILS, _keys(found))
    return Verdict(reason, found) if reason else finish(found)


def blocked(raw: object) -> Verdict | None:
    """What the reason for a blocked prompt means: a filter, whatever the word."""
    found = word(raw)
    keys = _keys(found)
    return Verdict(_search(_BLOCKED, keys) or "content_filtered", found) if keys else None


def status(raw: object) -> Verdict | None:
    """What the status of a run or response means; `None` for a word that is no such status."""
    found = word(raw)
    reason = _search(_STATUS, _keys(found))
    return Verdict(reason, found) if reason else None


def state(raw: object) -> Verdict | None:
    """What the state of a task means; an unknown one is kept as it came."""
    found = word(raw)
    keys = tuple("taskstate" + key.removeprefix("taskstate") for key in _keys(found))
    if not keys:
        return None
    reason = _search(_STATUS, keys)
    return Verdict(reason, found) if reason else Verdict(found, found, known=False)


def stop_type(raw: object) -> Verdict | None:
    """What llama.cpp says about why it stopped; `None` for a word of somebody else."""
    found = word(raw)
    reason = _search(_STOP_TYPE, _keys(found))
    return Verdict(reason, found) if reason else None


def exit_word(raw: object) -> Verdict | None:
    """What an exit condition means; any other word is the name of a tool whose call was the way out."""
    found = word(raw)
    keys = _keys(found)
    return Verdict(_search(_EXITS, keys) or "completed", found) if keys else None


def number_of_gemini(raw: object) -> Verdict | None:
    """What a number in place of a word means where Gemini's enumeration is sent as one."""
    found = None if isinstance(raw, str) else whole(raw)
    if not found:
        return None
    name = gemini.NUMBERS.get(found)
    return finish(name) if name else Verdict(str(found), str(found), known=False)


def _keys(raw: str) -> tuple[str, ...]:
    """The squashed word as it is, then without the name of its enumeration; empty for no word."""
    key = squash(raw.rpartition(".")[2] or raw)
    short = [
        key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix) and len(key) > len(prefix)
    ]
    return tuple(one for one in (key, *short) if one)
