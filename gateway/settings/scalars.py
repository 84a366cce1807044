"""Read a plain scalar by YAML 1.2, so that `no`, `12:30` and `0123` are what they look like."""

from __future__ import annotations

import re

from gateway.settings.tree import Scalar

__all__ = ["resolve"]

_DECIMAL = re.compile(
    r"-?(0|[1-9][0-9]*)"
)  # with a plus or zeros before it, it is a number of somebody: text
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)")
_LONGEST = 40  # characters; a longer run of digits is a text
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar: null, a boolean, a number, else the text."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _LONGEST:
        return text
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text, 0)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text) and not text.lstrip("+-").isdigit():
        return float(text)
    if _INFINITE.fullmatch(text):
        return float("-inf" if text.startswith("-") else "inf")
    return text
