"""Choose the language to speak from what is known of a person, a chat and a bot."""

from __future__ import annotations

from functools import lru_cache

from langcodes import Language, closest_match
from langcodes.tag_parser import LanguageTagError

from gateway.notes.shipped import SHIPPED

__all__ = ["nearest", "negotiate", "understood"]

_DISTANCE = 25  # lets Swiss German through to German, and nothing that would not be understood
_LONGEST = 35  # characters; RFC 5646 (4.4.1, read 2026-11) asks for no more


def negotiate(*hints: str, fallback: str = "en", languages: tuple[str, ...] = ()) -> str:
    """The language that fits the first hint that fits any.

    Args:
        hints: BCP 47 tags as platforms spell them, most telling first; empty or odd ones are passed over.
        fallback: The language where no hint fits.
        languages: Languages to choose from; the shipped ones when empty.
    """
    for hint in (*hints, fallback):
        found = understood(hint, languages or SHIPPED)
        if found:
            return found
    return "en"


def understood(hint: str, languages: tuple[str, ...]) -> str:
    """The language that people of one hint understand; empty for none.

    Who reads Traditional Chinese is told things in Simplified rather than in English.
    """
    return nearest(hint, languages) or nearest(_simplified(hint), languages)


def nearest(hint: str, languages: tuple[str, ...], *, distance: int = _DISTANCE) -> str:
    """The language nearest to one hint; empty for none.

    `distance` is how far it may be in the units of CLDR's language matching; 0 for another spelling only.
    """
    return _nearest(hint, languages, distance) if len(hint) <= _LONGEST else ""


@lru_cache(maxsize=4096)
def _nearest(hint: str, languages: tuple[str, ...], distance: int) -> str:
    try:
        found, _ = closest_match(_tag(hint), languages, max_distance=distance)
    except LanguageTagError:
        return ""
    return "" if found == "und" else found


@lru_cache(maxsize=4096)
def _simplified(hint: str) -> str:
    """A language in Simplified characters; empty where Traditional ones are not asked for."""
    if len(hint) > _LONGEST:
        return ""
    try:
        asked = Language.get(_tag(hint)).maximize()
    except LanguageTagError:
        return ""
    return f"{asked.language}-Hans" if asked.script == "Hant" else ""


def _tag(hint: str) -> str:
    """The tag in a hint; a locale such as de_DE.UTF-8@euro holds one too."""
    return hint.strip().partition(".")[0].partition("@")[0]
