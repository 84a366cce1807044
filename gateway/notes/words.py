"""Words a person may type instead of pressing a button."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from gateway.messages import ActionKind
from gateway.notes.catalogue import SHIPPED, load

__all__ = ["typed"]

_LONGEST = 40  # characters; longer messages are messages
_AROUND = "\"'“”„«»‹›「」『』`.,!?…。！？،؛:;()[] \t\n\u200e\u200f\u2068\u2069"
_KINDS: tuple[ActionKind, ...] = ("continue", "retry", "new", "stop")


def typed(text: str, language: str) -> ActionKind | None:
    """The action that a message consists of, in the person's language or any other shipped one."""
    if not text or len(text) > _LONGEST:
        return None
    word = _folded(text)
    return _words(language if language in SHIPPED else "en").get(word) or _all_words().get(word)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).strip(_AROUND).casefold().split())


@lru_cache(maxsize=64)
def _words(language: str) -> dict[str, ActionKind]:
    """A language's words; a shipped button label counts too."""
    data = load(language)
    words: dict[str, ActionKind] = {}
    for kind in _KINDS:
        for word in (*data["typed"][kind], data["labels"][kind]):
            words.setdefault(_folded(word), kind)
    return words


@lru_cache(maxsize=1)
def _all_words() -> dict[str, ActionKind]:
    merged: dict[str, ActionKind] = {}
    for language in SHIPPED:
        for word, kind in _words(language).items():
            merged.setdefault(word, kind)
    return merged
