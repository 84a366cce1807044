"""In which language a person may want to be spoken to; pure, but for what is remembered.

Discord tells the language of a person's app with commands and buttons alone, and knows none that is written
in Arabic or Hebrew script (reference, locales, read 2026-11). So the script of what a person writes counts
for more, where it names one language; Cyrillic and Han name several.
"""

from __future__ import annotations

import re
from collections import OrderedDict

__all__ = ["Languages", "script_language"]

_REMEMBERED = 10_000  # people
_ENOUGH = 0.3  # of the letters; a foreign word in a sentence says nothing of its writer
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = (
    (re.compile(r"[\u3040-\u30ff\uff66-\uff9d]"), "ja"),
    (re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"), "ko"),
    (re.compile(r"[\u0590-\u05ff]"), "he"),
    (re.compile(r"[\u0900-\u097f]"), "hi"),
    (re.compile(r"[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]"), "ar"),
)
_PERSIAN = re.compile(r"[\u067e\u0686\u0698\u06a9\u06af\u06cc]")
_URDU = re.compile(r"[\u0679\u0688\u0691\u06ba\u06be\u06c1\u06d2]")


def script_language(text: str) -> str:
    """The language that a text's script names; empty where it names none."""
    letters = len(_LETTER.findall(text))
    for script, language in _SCRIPTS:
        if letters and len(script.findall(text)) >= letters * _ENOUGH:
            return _of_arabic_script(text) if language == "ar" else language
    return ""


def _of_arabic_script(text: str) -> str:
    if _URDU.search(text):
        return "ur"
    return "fa" if _PERSIAN.search(text) else "ar"


class Languages:
    """What was learnt of people and servers since the start."""

    def __init__(self) -> None:
        self._people: OrderedDict[str, str] = OrderedDict()
        self._servers: dict[str, str] = {}

    def server(self, guild: str, locale: str) -> None:
        """A server's own language; an empty one is forgotten."""
        if locale:
            self._servers[guild] = locale
        else:
            self._servers.pop(guild, None)

    def of_server(self, guild: str) -> str:
        """A server's own language; empty for none."""
        return self._servers.get(guild, "")

    def of(self, person: str, *, text: str, told: str, guild: str) -> str:
        """A person's language, and what is known of it from now on.

        Args:
            person: Whose.
            text: What they wrote just now.
            told: What Discord says it is; empty where it does not.
            guild: The server they wrote in; empty for none.
        """
        found = script_language(text) or told
        if not found:
            return self._people.get(person, "") or self.of_server(guild)
        self._people[person] = found
        self._people.move_to_end(person)
        if len(self._people) > _REMEMBERED:
            self._people.popitem(last=False)
        return found
