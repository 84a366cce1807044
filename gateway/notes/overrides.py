"""Check the texts an operator put in place of ours."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import cache

from gateway.completion.registry import ENDINGS
from gateway.notes.catalogue import Overrides, canonical
from gateway.notes.filling import braces_pair, placeholders
from gateway.notes.plainness import banned_words, has_markup
from gateway.notes.shipped import SHIPPED, Text, load

__all__ = ["validate_overrides"]

Problem = tuple[tuple[str, ...], str]

_PARTS = ("what", "do")
_LONGEST = 200  # characters of one part
_ICONS = frozenset("⏳🛑⚠")


def validate_overrides(overrides: Overrides) -> list[Problem]:
    """Every problem: where (language, key, part), and what to do about it."""
    return list(_problems(overrides))


def _problems(overrides: Overrides) -> Iterator[Problem]:
    for language, texts in overrides.items():
        tag = canonical(language)
        if not tag:
            yield (language,), f"{language!r} is not a language tag{_near(language, SHIPPED)}"
            continue
        for key, parts in texts.items():
            if key not in _allowed():
                yield (language, key), f"there is no text {key!r}{_near(key, _allowed())}"
                continue
            yield from (((language, key, *where), told) for where, told in _of_text(tag, key, parts))


def _near(given: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(given, known, 1)
    return f"; did you mean {near[0]!r}?" if near else "; `lastword notes en` lists what there is"


def _of_text(tag: str, key: str, parts: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    for part, text in parts.items():
        yield from (((part,), told) for told in _of_part(tag, key, part, text))
    missing = [part for part in _PARTS if part not in parts]
    if missing and not _base(tag):
        yield (), f"write {missing[0]!r} too: nothing is shipped in {tag!r} that could stand in its place"


def _of_part(tag: str, key: str, part: str, text: object) -> Iterator[str]:
    if part not in _PARTS:
        yield f"{part!r} is not a part of a text{_near(part, _PARTS)}; there are 'what' and 'do'"
    elif not isinstance(text, str) or not text.strip():
        yield "is empty: write some text, or leave the line out to keep ours"
    else:
        yield from _of_wording(_base(tag) or "en", key, text)
        yield from _of_braces(tag, key, text)


def _of_wording(base: str, key: str, text: str) -> Iterator[str]:
    if len(text) > _LONGEST:
        yield f"is {len(text)} characters long: keep it within {_LONGEST}"
    if text != text.strip() or "  " in text:
        yield "has spaces that nobody sees: remove them at the ends, and double ones"
    if has_markup(text):
        yield "holds markup or an address: write plain text; an address goes into notes.contact"
    if _ICONS & set(text):
        yield "holds an icon: leave it out, each text gets its own"
    words = banned_words(text, base) if key not in load(base).get("unbanned", ()) else []
    if words:
        yield f"says {words[0]!r}, which means nothing to people in a chat: say it in everyday words"


def _of_braces(tag: str, key: str, text: str) -> Iterator[str]:
    if not braces_pair(text):
        yield "has a brace without its partner: use braces only around a name"
    allowed = _allowed()[key]
    for name in sorted(placeholders(text) - allowed):
        known = ", ".join(f"{{{one}}}" for one in sorted(allowed)) or "none"
        yield f"{{{name}}} means nothing in this text; known here: {known}"
    if "wait" in placeholders(text) and not _base(tag):
        yield f"{{wait}} cannot be said in {tag!r}, in which nothing is shipped: leave it out"


def _base(tag: str) -> str:
    """The shipped language behind a tag; empty for none."""
    return next((one for one in (tag, tag.partition("-")[0]) if one in SHIPPED), "")


@cache
def _allowed() -> Mapping[str, frozenset[str]]:
    """The placeholders of each group, line and reason; a reason's are those of all its groups."""
    english = load("en")
    texts = {**english["groups"], **english["lines"]}
    of_groups = {key: _names(text) for key, text in texts.items()}
    of_reasons = {
        reason: frozenset[str]().union(*(of_groups[one.group] for one in row.variants if one.group))
        for reason, row in ENDINGS.items()
        if any(one.group for one in row.variants)
    }
    return of_reasons | of_groups


def _names(text: Text) -> frozenset[str]:
    forms = [form for part in (text["what"], text["do"]) for form in _forms(part)]
    return frozenset[str]().union(*map(placeholders, forms))


def _forms(part: str | Mapping[str, str]) -> tuple[str, ...]:
    return (part,) if isinstance(part, str) else tuple(part.values())
