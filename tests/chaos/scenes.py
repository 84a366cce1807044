"""The battles there are, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.chaos.battle import Battle, Terms
from tests.chaos.depot import OnValkey, Sqlite
from tests.chaos.fronts import Discord, Front, Slack, Telegram, Web

__all__ = ["SCENES", "battle"]


def _fronts(terms: Terms) -> list[Front]:
    """Every platform; which of the two agents answers where changes with the seed."""
    one, other = ("teller", "careful") if terms.seed % 2 else ("careful", "teller")
    return [
        Telegram(terms.people, agent=one),
        Slack(terms.people, agent=other),
        Discord(terms.people, agent=one),
        Web(terms.people, agent=other),
    ]


def _on_a_file(folder: Path, terms: Terms) -> Battle:
    return Battle(folder, terms, Sqlite(folder), _fronts(terms))


def _on_valkey(folder: Path, terms: Terms) -> Battle:
    return Battle(folder, terms, OnValkey(folder / "valkey"), _fronts(terms))


def _two_on_valkey(folder: Path, terms: Terms) -> Battle:
    return _on_valkey(folder, replace(terms, gateways=2))


SCENES: dict[str, Callable[[Path, Terms], Battle]] = {
    "file": _on_a_file,
    "valkey": _on_valkey,
    "replicas": _two_on_valkey,
}


def battle(name: str, folder: Path, terms: Terms) -> Battle:
    """One of them."""
    return SCENES[name](folder, terms)
