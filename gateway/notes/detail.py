"""Make an agent's own note fit for a chat: nothing internal, one line, bounded."""

from __future__ import annotations

import re
import unicodedata

from gateway.observability import redact

__all__ = ["presentable"]

_LIMIT = 300  # characters of what is shown
_READ = 2_000  # characters that are looked at
_MASK = "…"
_DIRECTING = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff"
)  # can hide what is said

# What only machines say: a text that holds one of these was not written for people.
_DUMP = re.compile(
    r"Traceback \(most recent|\bFile \".*?\", line \d|\bat [\w$.]+\([\w.]+:\d+\)"
    r"|(?-i:\b[A-Za-z_][\w.]*(?:Error|Exception|Fault|Timeout)\b\s*(?:[:(\[{]|$))"
    r"|(?-i:[\w.]\.[A-Z]\w*(?:Error|Exception)\b)"
    r"|[{\[]\s*[\"'][\w.-]+[\"']\s*[:,\]]|</?[A-Za-z!][^<>]*>|\bErrno\b|\b0x[0-9a-fA-F]{4,}"
    r"|\b(?:error|status)(?: code)?\W{0,3}[1-5]\d\d\b|\bHTTP(?:S|/[\d.]+)?\W{0,2}[1-5]\d\d\b|\bpanic:",
    re.IGNORECASE,
)
# What a sentence for people may hold by accident: addresses, paths, keys.
_INTERNAL = re.compile(
    r"\b[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+|\bdata:\S{20,}"
    r"|\b(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?\b(?:/\S*)?"
    r"|(?<![\w./])~?(?:/[\w.@%+-]+){2,}/?|(?<!\w)~/\S+|\b[a-z]:\\\S+|\\\\\w[\w.$\\-]+"
    r"|\bbearer\s+\S+|\b(?:api[\s_-]?key|secret|passw(?:or)?d|token|authori[sz]ation)\s*[=:]\s*\S+"
    r"|\b(?:sk|gsk|rk|pk|hf|xox[a-z]|xapp|gh[opsu]|github_pat|glpat)[-_][\w.-]{6,}"
    r"|(?-i:\b(?:AKIA|ASIA|AIza|eyJ)[\w.-]{8,})"
    r"|\d{6,12}:[\w-]{30,}|-----BEGIN.*|\b(?=\w*\d)(?=\w*[a-z])[\w-]{24,}\b|\b[0-9a-f]{16,}\b",
    re.IGNORECASE | re.ASCII,
)


def presentable(detail: str) -> str:
    """The text as people may read it; empty when it was not written for people."""
    text = _one_line(detail)
    if _DUMP.search(text):
        return ""
    text = _INTERNAL.sub(_MASK, redact(text))
    if not any(mark.isalpha() for mark in text):
        return ""
    return text if len(text) <= _LIMIT else f"{text[: _LIMIT - 1].rstrip()}{_MASK}"


def _one_line(detail: str) -> str:
    kept = "".join(mark for mark in detail[:_READ] if mark not in _DIRECTING and _is_visible(mark))
    words = kept.split()
    return " ".join(words[:-1] if len(detail) > _READ else words)  # a cut word may be half a key


def _is_visible(mark: str) -> bool:
    return mark.isspace() or unicodedata.category(mark) not in ("Cc", "Cn", "Co", "Cs")
