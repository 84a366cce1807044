"""The words of a message, from Slack's own markup to plain text; pure.

Slack writes `&`, `<` and `>` as entities, and people, channels and addresses between angle brackets
(docs.slack.dev, Formatting message text, read 2026-11).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

__all__ = ["command_of", "mentioned", "names_somebody_else", "plain", "without_mention"]

_TOKEN = re.compile(r"<([^<>\n]{1,4000})>")
_PERSON = re.compile(r"<@([UW][A-Z0-9]{1,31})(?:\|[^<>]*)?>")
_SPECIAL = {"!channel": "@channel", "!here": "@here", "!everyone": "@everyone"}
_AFTER_A_NAME = " \t\n\u00a0,:;"
_COMMAND = re.compile(r"[/!]([A-Za-z0-9_]{1,32})(?=\s|$)", re.ASCII)


def mentioned(text: str) -> frozenset[str]:
    """The ids of the people a text names."""
    return frozenset(_PERSON.findall(text))


def without_mention(text: str, user: str) -> str:
    """The text without a mention at its start that only says who is spoken to."""
    found = _PERSON.match(text.lstrip())
    if found is None or found.group(1) != user:
        return text
    return text.lstrip()[found.end() :].lstrip(_AFTER_A_NAME) or text


def names_somebody_else(text: str, user: str) -> bool:
    """Whether a text begins by speaking to somebody else."""
    found = _PERSON.match(text.lstrip())
    return found is not None and found.group(1) != user


def plain(text: str, names: Mapping[str, str]) -> str:
    """The text as a person reads it.

    Args:
        text: In Slack's markup.
        names: What people are called, by id, as far as that is known.
    """
    pieces: list[str] = []
    read = 0
    for found in _TOKEN.finditer(text):
        pieces += html.unescape(text[read : found.start()]), _spelt(found.group(1), names)
        read = found.end()
    pieces.append(html.unescape(text[read:]))
    return "".join(pieces)


def command_of(text: str, known: frozenset[str]) -> tuple[str, str]:
    """The command a text begins with, and what follows it; two empty texts for none.

    A client keeps what begins with a slash to itself unless a space stands before it, so `!stop` does as
    well; of a word after `!` only one that is a command.
    """
    words = text.strip()
    found = _COMMAND.match(words)
    if found is None:
        return "", ""
    name = found.group(1).lower()
    if words[0] == "!" and name not in known:
        return "", ""
    return name, words[found.end() :].strip()


def _spelt(token: str, names: Mapping[str, str]) -> str:
    """What stands between angle brackets, spelt out."""
    target, bar, label = token.partition("|")
    target, label = html.unescape(target), html.unescape(label)
    if target.startswith("@"):
        return f"@{label or names.get(target[1:]) or target[1:]}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return _SPECIAL.get(target) or label or f"@{target[1:].partition('^')[0]}"
    bare = target.removeprefix("mailto:").removeprefix("tel:")
    if not bar or not label or label in (target, bare) or target in (f"http://{label}", f"https://{label}"):
        return label or bare
    return f"{label} ({target})"
