"""Choose the language to speak from what is known of a person, a chat and a bot."""

from __future__ import annotations

from functools import lru_cache

from langcodes import LanguageTagError, closest_match

__all__ = ["negotiate"]

_DISTANCE = 25  # lets Swiss German through to German, and nothing that would not be understood
_LONGEST = 35  # characters; longer hints are no language tags


def negotiate(*hints: str, fallback: str = "en", languages: tuple[str, ...] = ()) -> str:
    """The shipped language that fits the first hint that fits any.

    Args:
        hints: BCP 47 tags as platforms spell them, most telling first; empty or odd ones are passed over.
        fallback: The language where no hint fits.
        languages: Languages to choose from; the shipped ones when empty.
    """
    from gateway.notes.catalogue import SHIPPED

    known = languages or SHIPPED
    for hint in hints:
        if hint and len(hint) <= _LONGEST:
            found = _closest(hint, known)
            if found:
                return found
    return _closest(fallback, known) or "en"


@lru_cache(maxsize=4096)
def _closest(hint: str, known: tuple[str, ...]) -> str:
    """The known language nearest to a hint; empty for none."""
    try:
        tag, _ = closest_match(hint.strip().replace("_", "-"), known, max_distance=_DISTANCE)
    except (LanguageTagError, ValueError, LookupError):
        return ""
    return "" if tag == "und" else tag
