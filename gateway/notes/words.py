"""Words a person may type instead of pressing a button."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache

from gateway.messages import ActionKind
from gateway.notes.shipped import SHIPPED, load

__all__ = ["folded", "typed"]

_LONGEST = 40  # characters; longer messages are messages
_KINDS: tuple[ActionKind, ...] = ("continue", "retry", "new", "stop")
# Letters that people type for one another: Turkish dotless i, Arabic and Persian yeh, kaf and teh marbuta.
_ALIKE = str.maketrans({"ı": "i", "ي": "ی", "ى": "ی", "ك": "ک", "ة": "ه"})


def typed(text: str, language: str) -> ActionKind | None:
    """The action that a message consists of, in the person's language or any other shipped one.

    Case, width, accents, and signs around the words make no difference.
    """
    if len(text) > _LONGEST:
        return None
    word = folded(text)
    spoken = next((tag for tag in (language, language.partition("-")[0]) if tag in SHIPPED), "en")
    return _words(spoken).get(word) or _all_words().get(word)


def folded(text: str) -> str:
    """One spelling for everything that reads the same."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(mark for mark in plain if unicodedata.category(mark) not in ("Mn", "Cf"))
    letters = "".join(mark if _is_letter(mark) else " " for mark in kept.translate(_ALIKE))
    return " ".join(letters.split())


def _is_letter(mark: str) -> bool:
    return unicodedata.category(mark)[0] in "LMN"


@cache
def _words(language: str) -> Mapping[str, ActionKind]:
    """A language's words; a shipped button label counts too."""
    data = load(language)
    return {folded(word): kind for kind in _KINDS for word in (*data["typed"][kind], data["labels"][kind])}


@cache
def _all_words() -> Mapping[str, ActionKind]:
    return {word: kind for language in SHIPPED for word, kind in _words(language).items()}
