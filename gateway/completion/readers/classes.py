"""What the class of an exception says, by the names in its family and never by import."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from gateway.completion.readers.access import squash

__all__ = ["BUILTIN", "builtin", "family", "is_local", "special"]

BUILTIN = {
    "TimeoutError": "timeout",
    "ConnectionError": "network_error",
    "ConnectionResetError": "network_error",
    "ConnectionAbortedError": "network_error",
    "ConnectionRefusedError": "network_error",
    "BrokenPipeError": "network_error",
    "KeyboardInterrupt": "cancelled",
    "GeneratorExit": "cancelled",
    "SystemExit": "aborted",
}
"""Built-in exceptions that say something; all others are a fault of the code that raised them."""

_BUILTIN_NAMES = frozenset(dir(builtins))
_OPEN_NAMES = frozenset(
    {"Exception", "BaseException", "RuntimeError", "OSError", "IOError", "EnvironmentError"}
)
_LOCAL_MODULES = frozenset(
    {
        "json",
        "pydantic",
        "pydantic_core",
        "jsonschema",
        "jinja2",
        "yaml",
        "sqlite3",
        "zipfile",
        "tarfile",
        "csv",
        "msgspec",
    }
)
_SILENT = frozenset(
    {"object", "Exception", "BaseException", "ExceptionGroup", "BaseExceptionGroup", "Error", "Generic"}
)


def family(kind: type) -> tuple[str, ...]:
    """The names of a class and its bases that say anything, the class itself first."""
    return tuple(name for base in kind.__mro__[:40] if (name := _telling(base)))


def _telling(kind: type) -> str:
    name, module = str(kind.__name__), str(kind.__module__)
    if name in _SILENT or module == "builtins" or module.partition(".")[0] in _LOCAL_MODULES:
        return ""
    return "" if module.endswith(_UNREADABLE) else name


# Vertex calls a blocked answer `ResponseValidationError`; clients made by Speakeasy, such as Mistral's, call
# any answer so that they cannot read.
_UNREADABLE = ".responsevalidationerror"


def builtin(kind: type) -> str | None:
    """What a class says by the built-in exception it derives from."""
    names = (base.__name__ for base in kind.__mro__ if base.__module__ == "builtins")
    return next((BUILTIN[name] for name in names if name in BUILTIN), None)


def is_local(kinds: Iterator[str] | tuple[str, ...], module: str) -> bool:
    """Whether such an exception speaks of the code that raised it, so that its message is no provider's."""
    if module.partition(".")[0] in _LOCAL_MODULES:
        return True
    named = list(kinds)
    return bool(named) and named[0] in _BUILTIN_NAMES and named[0] not in _OPEN_NAMES


_OUTPUT_RETRIES = re.compile(
    r"exceeded max\w* (?:output|result)\w* retries|empty (?:model )?response", re.IGNORECASE
)
_TOOL_RETRIES = re.compile(r"^tool .{1,200} exceeded max", re.IGNORECASE | re.DOTALL)
_RESPONSES = re.compile(r"reason\W{1,3}(max_output_tokens|content_filter)\b")
_SPENT = re.compile(r"token|cost|price|usd", re.IGNORECASE)


def special(names: tuple[str, ...], message: str) -> str | None:
    """What some classes say only together with their own fixed sentences."""
    fetched = _FETCHES.get(message.strip().rstrip(".").lower()) if len(message) < _SHORT else None
    if fetched:
        return fetched
    keys = {squash(name) for name in names}
    if keys & {"usagelimitexceeded", "usagelimitexceedederror"}:
        return "budget_exhausted" if _SPENT.search(message[:300]) else "max_steps"
    if "unexpectedmodelbehavior" in keys and keys.isdisjoint(_NARROW):
        if _OUTPUT_RETRIES.search(message[:300]):
            return "empty_response"
        return "tool_error_budget" if _TOOL_RETRIES.search(message[:300]) else "provider_error"
    if "modelbehaviorerror" in keys:
        cut = _RESPONSES.search(message[:2000])
        return (
            {"max_output_tokens": "length_truncated", "content_filter": "content_filtered"}[cut[1]]
            if cut
            else None
        )
    if "workflowruntimeerror" in keys and message.startswith("Max iterations of"):
        return "max_steps"
    return None


# The whole message of a `TypeError` is all that a request of JavaScript leaves behind.
_FETCHES = {
    "fetch failed": "network_error",
    "failed to fetch": "network_error",
    "load failed": "network_error",
    "networkerror when attempting to fetch resource": "network_error",
    "terminated": "stream_cut",
}
_SHORT = 60
_NARROW = frozenset({"contentfiltererror", "outputtokenlimitexceeded", "incompletetoolcall"})
