"""What to begin with: the payloads, errors, exceptions, texts and updates that the tests already hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import cast

from gateway.completion import ENDINGS
from tests.fuzz.trees import named, sow
from tests.replay.telegram.updates import cases

__all__ = ["errors", "exceptions", "notes", "responses", "texts", "updates", "words"]

_ROOT = Path(__file__).parents[2]
_COMPLETION = "tests.unit.completion."
_MARKDOWN = (
    "# Head\n\n- one\n  - two\n\n> said\n\n```py\nx = 1\n```\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n",
    "**bold _both_** ~~gone~~ `code` [name](https://example.com/a?b=c) ![x](data:image/png;base64,AA)",
    "a" * 300 + "\n\n" + "שלום 👩\u200d👩\u200d👧 漢字 " * 40,
    "```\nnever closed @someone /command",
)


def _tables(*names: str) -> Iterator[tuple[object, ...]]:
    """The rows of the tables of cases in test modules."""
    for name in names:
        for value in vars(import_module(_COMPLETION + name)).values():
            rows = cast("list[object]", value) if isinstance(value, list) else []
            yield from (cast("tuple[object, ...]", row) for row in rows if isinstance(row, tuple))


def responses() -> list[bytes]:
    """Payloads behind a byte that chooses the words to add."""
    rows = _tables("payloads", "test_responses", "test_frameworks")
    bodies = [cell for row in rows for cell in row if type(cell) in {dict, list}]
    return [bytes([index % 256]) + sow(body) for index, body in enumerate(bodies)]


def errors() -> list[bytes]:
    """Statuses with bodies."""
    found: list[object] = []
    for row in _tables("test_errors", "test_vendors", "test_waits"):
        bodies = [parts for cell in row if (parts := named(cell))]
        status = next((cell for cell in row if isinstance(cell, int)), None)
        found += [{"status": status, "body": body, "message": _message(row)} for body in bodies]
    headers = {"retry-after": "5", "x-ratelimit-reset-requests": "1m2.5s"}
    found += [{"status": 429, "headers": headers}, {"http_status": 529, "body": "<title>529</title>"}]
    return list(map(sow, found))


def _message(row: Iterable[object]) -> str:
    return " ".join(re.findall(r"'message': '([^']+)'", str(row)))[:200]


def exceptions() -> list[bytes]:
    """Descriptions of exceptions."""
    found: list[object] = [
        {"class": "GroupError", "members": [{"class": "RateLimitError", "module": "openai"}, {"base": 3}]},
        {"class": "Wrapper", "cause": {"class": "APIStatusError", "carried": {"status_code": 429}}},
        {"message": "x", "context": {"message": "insufficient_quota", "carried": {"body": {"code": "x"}}}},
    ]
    for row in _tables("test_exceptions", "test_causes"):
        for exc in row:
            if isinstance(exc, BaseException):
                kind = type(exc)
                told = {"class": kind.__name__, "module": kind.__module__, "message": str(exc)}
                found.append({**told, "carried": vars(exc)})
        said = [cell for cell in row if isinstance(cell, str)]
        found += [{"class": said[-1].rpartition(".")[2], "message": said[0]}] if len(said) > 1 else []
    return list(map(sow, found))


def texts() -> list[bytes]:
    """Markdown behind two bytes that choose the limit."""
    written = [path.read_text("utf-8")[:3_000] for path in sorted(_ROOT.glob("*.md"))]
    return [bytes([0, 7 * index]) + text.encode() for index, text in enumerate((*_MARKDOWN, *written), 1)]


def notes() -> list[bytes]:
    """Completions behind a byte that chooses the circumstances."""
    details = (
        "",
        "Not today, sorry.",
        "Traceback (most recent call last):\n x",
        "see http://10.0.0.1/key sk-abcdef12",
    )
    told = [
        {"reason": reason, "detail": details[index % len(details)], "retry_after": 30.5, "ref": "K7Q2M"}
        for index, reason in enumerate((*ENDINGS, "unheard_of", ""))
    ]
    return [bytes([index * 37 % 256]) + sow(one) for index, one in enumerate(told)]


def updates() -> list[bytes]:
    """Example updates of Telegram's."""
    return [sow(case["update"]) for case in cases().values()]


def words(seeds: Iterable[bytes]) -> list[bytes]:
    """Words for the fuzzer to put in, with their lengths before them as trees have it."""
    found = {word for seed in seeds for word in re.findall(rb"[\w@-]{3,40}", seed)}
    return [bytes([len(word)]) + word for word in sorted(found)]
