"""Check the texts an operator put in place of ours."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping

from gateway.completion.registry import ENDINGS
from gateway.notes.catalogue import Overrides, load, placeholders

__all__ = ["validate_overrides"]

Problem = tuple[tuple[str, ...], str]

_LONGEST = 200  # characters of one part
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_MARKUP = re.compile(r"<[^>]*>|https?://|\]\(")
_ANYWHERE = frozenset({"wait", "limit", "contact", "ref", "code", "n"})


def validate_overrides(overrides: Overrides) -> list[Problem]:
    """Every problem: where (language, key, part) and what to do about it."""
    return list(_problems(overrides))


def _problems(overrides: Overrides) -> Iterator[Problem]:
    for language, texts in overrides.items():
        if not _TAG.fullmatch(language):
            yield (language,), f"{language!r} is not a language tag; write one like de or pt-BR"
            continue
        for key, parts in texts.items():
            if key not in _known():
                yield (language, key), f"there is no text {key!r}{_suggestion(key)}"
                continue
            for part, text in parts.items():
                yield from (((language, key, part), told) for told in _of_part(key, part, text))


def _known() -> Mapping[str, Mapping[str, str]]:
    english = load("en")
    by_reason: dict[str, Mapping[str, str]] = {}
    for reason, row in ENDINGS.items():
        group = row.variants[-1].group
        if group:
            by_reason[reason] = english["groups"][group]
    return {**by_reason, **english["groups"], **english["lines"]}


def _suggestion(key: str) -> str:
    near = difflib.get_close_matches(key, _known(), 1)
    return f"; did you mean {near[0]!r}?" if near else "; `lastword notes en` lists them all"


def _of_part(key: str, part: str, text: object) -> Iterator[str]:
    if part not in ("what", "do"):
        yield f"{part!r} is not a part of a text; there are `what` and `do`"
        return
    if not isinstance(text, str) or not text.strip():
        yield "write some text"
        return
    if len(text) > _LONGEST:
        yield f"is {len(text)} characters long; keep it within {_LONGEST}"
    if text != text.strip() or "\n" in text:
        yield "keep it on one line, without spaces around it"
    if _MARKUP.search(text):
        yield "plain text only: no HTML, no links"
    try:
        odd = placeholders(text) - _ANYWHERE
    except ValueError:
        yield "its braces do not pair; write {{ for a brace that is meant"
        return
    allowed = placeholders("".join(_known()[key].values()))
    for name in sorted((odd | placeholders(text)) - allowed):
        known = ", ".join(f"{{{one}}}" for one in sorted(allowed)) or "none"
        yield f"{{{name}}} means nothing in this text; known here: {known}"
