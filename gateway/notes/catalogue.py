"""The catalogue of texts: shipped as data, overridden by operators text by text."""

from __future__ import annotations

import string
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, cast

import orjson

from gateway.notes.plurals import category

__all__ = ["SHIPPED", "Notebook", "Overrides", "load", "placeholders"]

Overrides = Mapping[str, Mapping[str, Mapping[str, str]]]  # language → group, line or reason → part → text

SHIPPED: tuple[str, ...] = tuple(
    sorted(
        entry.name.removesuffix(".json")
        for entry in resources.files("gateway.notes").joinpath("locales").iterdir()
        if entry.name.endswith(".json")
    )
)
_ICONS = {
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
}
_ISOLATE, _POP = "\u2068", "\u2069"
_MINUTE, _HOUR = 60, 3600


class _Careful(string.Formatter):
    """Fills bare names only: an operator's text can reach neither attributes nor items."""

    def get_field(self, field_name: str, _args: Any, kwargs: Any) -> tuple[Any, str]:  # noqa: ANN401  # as inherited
        return kwargs.get(field_name, ""), field_name


_format = _Careful()


@lru_cache(maxsize=64)
def load(language: str) -> Mapping[str, Any]:
    """A shipped language's texts.

    Raises:
        FileNotFoundError: It is not shipped.
    """
    data = resources.files("gateway.notes").joinpath("locales", f"{language}.json").read_bytes()
    return cast("Mapping[str, Any]", orjson.loads(data))


def placeholders(text: str) -> frozenset[str]:
    """The names in braces.

    Raises:
        ValueError: The braces do not pair.
    """
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


class Notebook:
    """All texts as one bot says them.

    Args:
        overrides: Texts that replace shipped ones, by language and by group, line or reason.
    """

    def __init__(self, overrides: Overrides | None = None) -> None:
        self._overrides: Overrides = overrides or {}
        self.languages: tuple[str, ...] = tuple(sorted({*SHIPPED, *self._overrides}))

    def name(self, language: str) -> str:
        """The language's own name."""
        return str(self._data(language)["name"])

    def direction(self, language: str) -> Literal["ltr", "rtl"]:
        """Which way its script runs."""
        return "rtl" if self._data(language)["direction"] == "rtl" else "ltr"

    def find(self, wanted: str) -> str:
        """The language somebody names by tag or own name; empty when it is not spoken."""
        from gateway.notes.negotiation import negotiate

        folded = wanted.strip().casefold()
        for language in self.languages:
            if folded in (language.casefold(), self.name(language).casefold()):
                return language
        found = negotiate(folded, fallback="und", languages=self.languages) if folded else ""
        return found if folded and found.partition("-")[0] == folded[:2] else ""

    def label(self, kind: str, language: str) -> str:
        """What a button says."""
        return str(self._data(language)["labels"][kind])

    def reference(self, ref: str, language: str) -> str:
        """The line that names a turn's reference."""
        return self._fill(str(self._data(language)["reference"]), language, {"ref": ref})

    def line(self, key: str, language: str, **values: str) -> str:
        """A line of ours, icon included."""
        return self.render(key, _ICONS.get(key, ""), language, **values)

    def render(self, group: str, icon: str, language: str, *, reason: str = "", **values: str) -> str:
        """`{icon} {what}{joiner}{do}` of a text group or line, or of an override for the reason itself."""
        what, do = self._pair(group, reason, language)
        joiner = str(self._data(language)["joiner"])
        text = f"{what}{joiner}{do}" if what and do else what or do
        return self._fill(f"{icon} {text}" if icon else text, language, values)

    def wait(self, seconds: float, language: str) -> str:
        """A wait in words, rounded up to whole seconds, minutes or hours."""
        unit, size = ("second", 1)
        if seconds >= 100:  # up to a minute and a half, seconds say it best
            unit, size = ("minute", _MINUTE) if seconds < 100 * _MINUTE else ("hour", _HOUR)
        n = max(-int(-seconds // size), 1)
        forms = self._data(language)["wait"][unit]
        return str(forms.get(category(language, n), forms["other"])).replace("{n}", str(n))

    def _pair(self, group: str, reason: str, language: str) -> tuple[str, str]:
        data = self._data(language)
        shipped = data["groups"].get(group) or data["lines"].get(group) or data["groups"]["generic"]
        own: dict[str, str] = {}
        for tag in reversed(_chain(language)):
            texts = self._overrides.get(tag, {})
            own |= {**texts.get(group, {}), **(texts.get(reason, {}) if reason else {})}
        return own.get("what", shipped["what"]), own.get("do", shipped["do"])

    def _data(self, language: str) -> Mapping[str, Any]:
        for tag in _chain(language):
            if tag in SHIPPED:
                return load(tag)
        return load("en")

    def _fill(self, text: str, language: str, values: Mapping[str, str]) -> str:
        if self.direction(language) == "rtl":
            values = {name: f"{_ISOLATE}{value}{_POP}" if value else "" for name, value in values.items()}
        try:
            return _format.vformat(text, (), values)
        except (ValueError, KeyError, IndexError):
            return text.replace("{", "").replace("}", "")


def _chain(language: str) -> tuple[str, ...]:
    """A tag and what stands behind it: pt-BR, pt."""
    parts = language.split("-")
    return tuple("-".join(parts[:count]) for count in range(len(parts), 0, -1))
