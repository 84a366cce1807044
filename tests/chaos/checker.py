"""Hold a battle's outcome against the promises; knows nothing but what was seen and what is recorded."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from tests.chaos.story import Chat, Ended, Story, Violation, Word

__all__ = ["MARKER", "TWICE", "check"]

MARKER = re.compile(r"m[TSDW]\d+x\d+z")
TWICE = "You may see this answer twice"
_LOST = "I could not deliver an earlier answer"
_LINE = re.compile(r"(m[TSDW]\d+x\d+z) (\d+) of (\d+) said(?: and so on)*")
_REF = re.compile(r"\bRef ([A-Z0-9]+)\b")
_TOKEN = re.compile(f"{_LINE.pattern}|{_REF.pattern}")
_ICON = r"(?:⏳|🛑|⚠️)?\s*"
_DRESS = re.compile(r"[\s>…\u200e\u200f\u2060\u2066-\u2069]+")
_DONE = frozenset({"delivered", "undeliverable"})


def check(story: Story) -> list[Violation]:
    """Every promise that was not kept; nothing when all were."""
    records = _by_marker(story.ended)
    found = [*_left(story), *_unended(story.ended), *_asked_twice(story.chats, records)]
    for chat in story.chats:
        mine = {word.marker: records[word.marker][0] for word in chat.words if records.get(word.marker)}
        found += _leaked(chat)
        for word in chat.words:
            found += _lost(chat, word, mine.get(word.marker))
            if word.marker in mine:
                found += _unexcused(chat, mine[word.marker])
        found += _reordered(chat, mine)
        found += _twice(chat, mine)
    return found


def _by_marker(ended: Iterable[Ended]) -> dict[str, list[Ended]]:
    found: defaultdict[str, list[Ended]] = defaultdict(list)
    for one in ended:
        if one.marker:
            found[one.marker].append(one)
    return found


def _left(story: Story) -> Iterator[Violation]:
    for place, count in story.left.items():
        if count:
            yield Violation("left", "", f"{count} in {place}")
    if story.silent:
        yield Violation("left", "", f"{story.silent:.0f} turns without a visible outcome were counted")


def _unended(ended: Iterable[Ended]) -> Iterator[Violation]:
    for one in ended:
        told = one.state == "suppressed" and not one.marker  # a line of ours that nobody is owed
        if (one.state not in _DONE and not told) or not one.reason:
            yield Violation("unended", "", f"{one.marker or one.ref}: {one.state!r}, reason {one.reason!r}")


def _asked_twice(chats: Iterable[Chat], records: dict[str, list[Ended]]) -> Iterator[Violation]:
    """Messages that became more than one turn, or a turn that nobody asked for."""
    names = {word.marker: chat.name for chat in chats for word in chat.words}
    for marker, rows in records.items():
        if len(rows) > 1:
            yield Violation("twice", names.get(marker, ""), f"{marker} became {len(rows)} turns")
        if marker not in names:
            yield Violation("leaked", "", f"{marker} was never said")


def _lost(chat: Chat, word: Word, record: Ended | None) -> Iterator[Violation]:
    """A message that was accepted and led to nothing that its person can see, or to less than all of it."""
    if record is None:
        if word.accepted:
            yield Violation("lost", chat.name, f"{word.marker} ({word.kind}) has no turn")
        return
    if record.state == "undeliverable":
        return
    numbers = _numbers(chat, word.marker)
    noted = any(record.ref in _REF.findall(text) for text in chat.seen)
    if not numbers and not noted:
        yield Violation("lost", chat.name, f"{word.marker} ({word.kind}) ended {record.reason} unseen")
    elif record.skipped:
        return
    elif record.reason == "completed" and sorted(set(numbers)) != [*range(1, _count(chat, word.marker) + 1)]:
        yield Violation("incomplete", chat.name, f"{word.marker}: lines {numbers}")
    elif record.reason != "completed" and not noted:
        yield Violation("incomplete", chat.name, f"{word.marker} ended {record.reason} without its note")


def _unexcused(chat: Chat, record: Ended) -> Iterator[Violation]:
    """An answer that was given up though the platform refused nothing there."""
    gave_up = record.state == "undeliverable" or record.skipped
    if gave_up and not chat.refused and record.failure != "unknown":
        yield Violation("unexcused", chat.name, f"{record.marker} {record.state}: {record.failure!r}")


def _reordered(chat: Chat, mine: dict[str, Ended]) -> Iterator[Violation]:
    """Answers whose first sight, or whose turns, are not in the order of the messages."""
    place = {word.marker: number for number, word in enumerate(chat.words)}
    resent = {word.marker for word in chat.words if word.resent}
    by_ref = {record.ref: marker for marker, record in mine.items()}
    first: dict[str, None] = {}
    for text in chat.seen:
        for found in _TOKEN.finditer(text):
            marker = found.group(1) or by_ref.get(found.group(4), "")
            if marker in mine and mine[marker].state == "delivered":
                first.setdefault(marker)
    turns = sorted(mine.values(), key=lambda record: record.entry)
    for what, order in (("answers", list(first)), ("turns", [record.marker for record in turns])):
        for before, after in pairwise(order):
            if place[before] > place[after] and after not in resent:
                yield Violation("reordered", chat.name, f"{what}: {before} before {after}")
    for marker in place:
        numbers = list(dict.fromkeys(_numbers(chat, marker)))
        if numbers != sorted(numbers):
            yield Violation("reordered", chat.name, f"{marker}: lines {numbers}")


def _twice(chat: Chat, mine: dict[str, Ended]) -> Iterator[Violation]:
    """What stands there more than once with nothing that says so.

    A platform that knows a message again shows it once; only what grew there in a process that died may be
    left beside the answer, and the record says so.
    """
    by_ref = {record.ref: marker for marker, record in mine.items()}
    seen: dict[str, str] = {}
    for number, text in enumerate(chat.seen):
        marked = TWICE in text or (number > 0 and TWICE in chat.seen[number - 1])
        for token, count in Counter(_copies(text)).items():
            before = seen.setdefault(token, "" if count == 1 else text)
            seen[token] = text
            marker = _marker_of(token, by_ref)
            if not before or marker not in mine:  # the first, or of a message that is told of elsewhere
                continue
            said = _grew(before) and not marked if chat.reconciles else marked
            if not said or not mine[marker].twice:
                yield Violation("twice", chat.name, f"{token} in message {number}")


def _copies(text: str) -> Iterator[str]:
    """Everything in a message of which another one would be a copy."""
    for found in _TOKEN.finditer(text):
        if found.group(1) or _LOST not in text:  # that an answer was lost is told under its reference
            yield found.group()


def _grew(text: str) -> bool:
    """Whether a message is nothing but lines of an answer: it was left while it grew."""
    return not _DRESS.sub("", _LINE.sub("", text))


def _marker_of(token: str, by_ref: dict[str, str]) -> str:
    found = _LINE.fullmatch(token)
    return found.group(1) if found else by_ref.get(token.removeprefix("Ref "), "")


def _leaked(chat: Chat) -> Iterator[Violation]:
    """Words that are neither of an answer nor of the catalogue."""
    for text in (*chat.seen, *chat.glimpsed):
        rest = _LINE.sub(" ", text)
        for pattern in _catalogue():
            rest = pattern.sub(" ", rest)
        rest = _DRESS.sub(" ", _REF.sub(" ", rest)).strip()
        if rest:
            yield Violation("leaked", chat.name, f"{rest!r} in {text!r}")
        strange = {found.group(1) for found in _LINE.finditer(text)} - {word.marker for word in chat.words}
        if strange:
            yield Violation("leaked", chat.name, f"{sorted(strange)} of another conversation")


def _numbers(chat: Chat, marker: str) -> list[int]:
    """The numbers of a message's lines, in the order in which they are seen."""
    return [
        int(found.group(2))
        for text in chat.seen
        for found in _LINE.finditer(text)
        if found.group(1) == marker
    ]


def _count(chat: Chat, marker: str) -> int:
    """How many lines its answer says it has."""
    counts = {
        int(found.group(3))
        for text in chat.seen
        for found in _LINE.finditer(text)
        if found.group(1) == marker
    }
    return max(counts, default=0)


@cache
def _catalogue() -> tuple[re.Pattern[str], ...]:
    """Every sentence that the shipped catalogue may say in English, the longest first."""
    told: dict[str, Any] = json.loads(
        files("gateway.notes").joinpath("locales", "en.json").read_text("utf-8")
    )
    sentences = {
        f"{what}{told['joiner']}{do}"
        for part in ("groups", "lines")
        for entry in told[part].values()
        for what in _forms(entry["what"])
        for do in _forms(entry["do"])
    }
    return tuple(re.compile(_ICON + _pattern(one)) for one in sorted(sentences, key=len, reverse=True))


def _forms(entry: str | dict[str, str]) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else tuple(entry.values())


def _pattern(sentence: str) -> str:
    """A sentence with its blanks filled by a few plain words."""
    return re.sub(r"\\\{\w+\\\}", r"[\\w\\s]{1,40}?", re.escape(sentence))
