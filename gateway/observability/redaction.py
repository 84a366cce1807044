"""Mask secrets in whatever is about to be written down."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_secret_key", "redact", "register_secret"]

_MASK = "***"
# Shapes of credentials, from the vendors' own documentation (read 2026-11): Telegram bot tokens, also inside
# request paths with the colon escaped; Slack tokens; keys that start with sk-, gsk_, AIza, ghp_; bearer
# headers; passwords in addresses; whatever a message itself calls a key, a token or a password.
_SHAPES = re.compile(
    r"(?i:(?P<name>\b(?:api[_-]?key|(?:\w+[_-])?token|(?:\w+[_-])?secret|password|passwd)(?:=|[\"']\s*:\s*[\"']))"
    r"[^\s\"',;&]{4,})"
    r"|\d{6,12}(?::|%3[Aa])[\w-]{30,}"
    r"|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}"
    r"|\b(?:sk|gsk|rk|pk)[-_][\w-]{8,}"
    r"|\bAIza[\w-]{20,}|\bghp_\w{20,}"
    r"|(?<=[Bb]earer )[\w.~+/=-]{8,}"
    r"|(?<=/bot)\d{5,}[^/\s\"']*"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"
)
_KEYS = re.compile(
    r"token(?!s|_count|_limit)|secret|password|passwd|api_?key|authori[sz]ation|cookie|credential",
    re.IGNORECASE,
)  # tokens are counted, a token is a secret
_WORD = 48  # characters
_SHORTEST = 6  # characters; shorter values occur in ordinary words

_registered: set[str] = set()
_exact: re.Pattern[str] | None = None


def register_secret(value: str) -> None:
    """Mask a value wherever it appears from now on; values under six characters are left alone."""
    global _exact  # noqa: PLW0603  # one process has one set of secrets
    if len(value) < _SHORTEST or value in _registered:
        return
    _registered.add(value)
    _word.cache_clear()
    longest_first = sorted(_registered, key=len, reverse=True)
    _exact = re.compile("|".join(re.escape(one) for one in longest_first))


def redact(text: str) -> str:
    """The text with everything masked that is, or looks like, a credential."""
    return _word(text) if len(text) <= _WORD else _masked(text)


@lru_cache(maxsize=4096)
def _word(text: str) -> str:
    """A short text: most that is written down are the same words again and again."""
    return _masked(text)


def _masked(text: str) -> str:
    if _exact is not None:
        text = _exact.sub(_MASK, text)
    return _SHAPES.sub(lambda found: f"{found['name'] or ''}{_MASK}", text)


@lru_cache(maxsize=1024)
def is_secret_key(key: str) -> bool:
    """Whether a key's name says that its value is a credential."""
    return _KEYS.search(key) is not None
