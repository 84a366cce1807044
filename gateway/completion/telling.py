"""Tell an operator about one ending, with the facts that are known filled in."""

from __future__ import annotations

import re
from collections.abc import Collection

from gateway.completion.model import TurnCompletion
from gateway.completion.registry import variant

__all__ = ["operator_text"]

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_ASIDE = re.compile(r"\s*\([^()]*\{\w+\}[^()]*\)")
_LONGEST = 80  # characters of a provider's own word


def operator_text(completion: TurnCompletion, *, when: Collection[str] = ()) -> str:
    """What an operator should know and do; an aside whose fact is unknown is left out.

    Args:
        completion: How the turn ended.
        when: Circumstance words of the registry.
    """
    facts = {
        "token": (completion.token or "")[:_LONGEST],
        "steps": "" if completion.steps is None else str(completion.steps),
        "retry_after": "" if completion.retry_after is None else f"{completion.retry_after:g}",
        "site": completion.site,
        "status": (completion.token or "")[:_LONGEST],
    }

    def aside(match: re.Match[str]) -> str:
        filled = _PLACEHOLDER.sub(lambda found: facts.get(found[1], ""), match[0])
        known = all(facts.get(name) for name in _PLACEHOLDER.findall(match[0]))
        return filled if known else ""

    text = _ASIDE.sub(aside, variant(completion.reason, when=when).operator)
    return _PLACEHOLDER.sub(lambda found: facts.get(found[1]) or "…", text)
