"""The texts as one bot says them: shipped ones, with the operator's in their place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Literal

from langcodes import Language
from langcodes.tag_parser import LanguageTagError

from gateway.messages import ActionKind, Direction
from gateway.notes.filling import fill
from gateway.notes.negotiation import nearest, negotiate, understood
from gateway.notes.plurals import category
from gateway.notes.shipped import SHIPPED, Catalogue, Plural, Text, load
from gateway.notes.words import folded

__all__ = ["LINE_ICONS", "Notebook", "Overrides", "canonical"]

Overrides = Mapping[str, Mapping[str, Mapping[str, str]]]  # language → group, line or reason → part → text
_Part = Literal["what", "do"]
_Unit = Literal["second", "minute", "hour", "day"]

LINE_ICONS: Mapping[str, str] = {
    "effects": "⚠️",
    "delivery.maybe_duplicate": "⏳",
    "delivery.late": "⏳",
    "delivery.expired": "⚠️",
    "queued": "⏳",
    "still_working": "⏳",
    "nothing_to_stop": "⏳",
    "button_expired": "⏳",
    "not_your_button": "🛑",
    "access_denied": "🛑",
    "pairing": "⏳",
    "code_unknown": "🛑",
    "stop.dropped": "🛑",
    "stop.by": "🛑",
    "retry.waits": "⏳",
    "pair.owner_only": "🛑",
    "interrupted.kept": "⏳",
    "alert.deaf": "⚠️",
    "alert.access": "⚠️",
    "alert.limit": "⚠️",
    "alert.undelivered": "⚠️",
}
_UNITS: tuple[tuple[_Unit, int, int], ...] = (  # unit, seconds in it, the first wait that it is too small for
    ("second", 1, 100),
    ("minute", 60, 6_000),
    ("hour", 3_600, 172_800),
)
_DAY = 86_400
_LONGEST_WAIT = 400 * _DAY
_DIGITS = 6  # of the greatest number that plural rules are kept for
_SAME = 10  # distance up to which two tags are one language to the person who asks for it
_RIGHT_TO_LEFT_SCRIPTS = frozenset({"Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Syrc", "Thaa", "Yezi"})


class Notebook:
    """All texts of one bot.

    Args:
        overrides: Texts that replace shipped ones, by language and by group, line or reason.
        fallback: The language where the asked one has no text.
    """

    def __init__(self, overrides: Overrides | None = None, *, fallback: str = "en") -> None:
        self._own: dict[str, dict[str, Mapping[str, str]]] = {}
        for language, texts in (overrides or {}).items():
            if tag := canonical(language):
                self._own.setdefault(tag, {}).update(texts)
        self._fallback = (*_chain(fallback), understood(fallback, SHIPPED))
        self.languages: tuple[str, ...] = tuple(sorted({*SHIPPED, *self._own}))

    def negotiate(self, *hints: str, fallback: str = "en") -> str:
        """The language that fits the first hint that fits any; one that only overrides speak counts too."""
        return negotiate(*hints, fallback=fallback, languages=self.languages)

    def find(self, wanted: str) -> str:
        """The language somebody names by tag or name; empty when it is not spoken."""
        return _named().get(folded(wanted)) or nearest(wanted, self.languages, distance=_SAME)

    def name(self, language: str) -> str:
        """The language's own name; its tag where only overrides speak it."""
        return self._data(language)["name"] if self._is_shipped(language) else language

    def direction(self, language: str) -> Direction:
        """Which way its script runs."""
        if self._is_shipped(language):
            return self._data(language)["direction"]
        try:
            script = Language.get(language).maximize().script
        except LanguageTagError:
            return "ltr"
        return "rtl" if script in _RIGHT_TO_LEFT_SCRIPTS else "ltr"

    def label(self, kind: ActionKind, language: str) -> str:
        """What a button says."""
        return self._data(language)["labels"][kind]

    def menu(self, language: str) -> tuple[tuple[str, str], ...]:
        """The commands people may send and what each does, in the order they are listed."""
        return tuple(self._data(language)["menu"].items())

    def reference(self, ref: str, language: str) -> str:
        """The line that names a turn's reference."""
        return fill(self._data(language)["reference"], {"ref": ref}, self.direction(language))

    def line(self, key: str, language: str, /, **values: str | int) -> str:
        """A line of ours, icon included."""
        return self.render(key, LINE_ICONS.get(key, ""), language, reason="", **values)

    def render(
        self, group: str, icon: str, language: str, /, *, reason: str = "", **values: str | int
    ) -> str:
        """`{icon} {what}{joiner}{do}` of a text group or line; the generic one for an unknown key.

        `reason` is the ending it speaks of: the operator may have written a text for that alone.
        """
        filled = {name: str(value) for name, value in values.items()}
        filled["wait"] = filled.get("wait") or self._data(language)["wait"]["unknown"]
        what = self._part("what", group, reason, language)
        do = self._part("do", group, reason, language)
        n = filled.get("n", "")
        what, do = self._chosen(what, language, n), self._chosen(do, language, n)
        text = f"{what}{self._data(language)['joiner']}{do}"
        return fill(f"{icon} {text}" if icon else text, filled, self.direction(language))

    def wait(self, seconds: float | None, language: str) -> str:
        """A wait in words, rounded up, in the form that follows the language's word for "in".

        `None`, and what no wait can be, reads as an unknown one.
        """
        words = self._data(language)["wait"]
        if seconds is None or not math.isfinite(seconds) or not 0 < seconds <= _LONGEST_WAIT:
            return words["unknown"]
        unit, size = _unit(seconds)
        n = math.ceil(seconds / size)
        return fill(self._chosen(words[unit], language, str(n)), {"n": str(n)})

    def _part(self, part: _Part, group: str, reason: str, language: str) -> str | Plural:
        for tag in self._tags(language):
            for key in (reason, group):
                own = self._own.get(tag, {}).get(key, {}).get(part)
                if own is not None:
                    return own
        return _text(self._data(language), group)[part]

    def _chosen(self, text: str | Plural, language: str, n: str) -> str:
        """The form of a text for a number; the last, most general one without a number."""
        if isinstance(text, str):
            return text
        counted = category(self._spoken(language), int(n)) if n.isdecimal() and len(n) <= _DIGITS else ""
        return text.get(counted) or list(text.values())[-1]

    def _data(self, language: str) -> Catalogue:
        return load(self._spoken(language))

    def _is_shipped(self, language: str) -> bool:
        return any(tag in SHIPPED for tag in _chain(language))

    def _spoken(self, language: str) -> str:
        """The shipped language behind a tag."""
        return next(tag for tag in self._tags(language) if tag in SHIPPED)

    def _tags(self, language: str) -> tuple[str, ...]:
        """Where to look for a text, the nearest first."""
        own = _chain(language)
        if self._is_shipped(language):
            return own
        return tuple(filter(None, (*own, understood(language, SHIPPED), *self._fallback, "en")))


@cache
def _named() -> Mapping[str, str]:
    """The shipped languages by what people call them, a region or script in brackets left out too."""
    found: dict[str, str] = {}
    for language in SHIPPED:
        data = load(language)
        for name in (data["name"], data["english"], *data.get("also", ())):
            found |= dict.fromkeys((folded(name), folded(name.partition("(")[0])), language)
    return found


def _unit(seconds: float) -> tuple[_Unit, int]:
    for unit, size, end in _UNITS:
        if seconds < end:
            return unit, size
    return "day", _DAY


def canonical(language: str) -> str:
    """The shipped spelling of a language's tag, or the tag itself; empty for what is no tag."""
    found = nearest(language, SHIPPED, distance=0)
    if found:
        return found
    try:
        return Language.get(language).to_tag()
    except LanguageTagError:
        return ""


def _chain(language: str) -> tuple[str, ...]:
    """A tag and what stands behind it: de-AT, de."""
    parts = language.split("-")
    return tuple("-".join(parts[:count]) for count in range(len(parts), 0, -1))


def _text(data: Catalogue, group: str) -> Text:
    return data["groups"].get(group) or data["lines"].get(group) or data["groups"]["generic"]
