"""The keys that have a meaning, and those that will have one."""

from __future__ import annotations

from typing import Literal

from gateway.settings.models import AgentSettings, BotSettings, Settings
from gateway.settings.problems import Problems, suggestion
from gateway.settings.tree import Path, Table, Tree

__all__ = ["AGENT", "BOT", "BOT_LATER", "TOP", "refuse_later", "refuse_unknown"]

AGENT = frozenset(AgentSettings.model_fields) - {"name", "options"}
BOT = frozenset(BotSettings.model_fields) - {"name", "options"}
TOP = (frozenset(Settings.model_fields) - {"files", "folder", "origins"}) | {"defaults", "include"}

_EVERYWHERE = frozenset({"approvals", "budgets", "logging", "roles", "schedules", "tools"})
_TOP_LATER = _EVERYWHERE | {"limits", "on_restart", "partitions"}
BOT_LATER = _EVERYWHERE | {"alerts"}
_LATER_BY_LEVEL = {"": _TOP_LATER, "agents": _EVERYWHERE | {"limits"}, "bots": BOT_LATER}
_INSIDE_LATER = {
    "server": frozenset({"admin_token"}),
    "access": frozenset({"confirm_open"}),
    "notes": frozenset({"in_groups"}),
}
_LATER = "is reserved for a later version: take it out"


def refuse_later(
    table: Table, path: Path, problems: Problems, *, level: Literal["", "agents", "bots"]
) -> Table:
    """Note keys that only a later version reads; returns the table without them.

    What is not done yet is refused rather than passed over: an operator who writes a limit relies on it.

    Args:
        table: What was written.
        path: Where it stands.
        problems: Takes what is refused.
        level: Whether it is the whole file, an agent, or a bot (or what bots share).
    """
    return _sifted(table, path, _LATER_BY_LEVEL[level], problems)


def _sifted(table: Table, path: Path, later: frozenset[str], problems: Problems) -> Table:
    entries: dict[str, Tree] = {}
    for key, tree in table.entries.items():
        if key in later:
            problems.add(table.keys[key], (*path, key), _LATER)
        elif isinstance(tree, Table) and key in _INSIDE_LATER:
            entries[key] = _sifted(tree, (*path, key), _INSIDE_LATER[key], problems)
        else:
            entries[key] = tree
    return Table(table.mark, entries, table.keys)


def refuse_unknown(table: Table, path: Path, known: frozenset[str], problems: Problems) -> Table:
    """Note keys that mean nothing; returns the table without them."""
    strange = frozenset(table.entries) - known
    for key in strange:
        problems.add(table.keys[key], (*path, key), f"unknown key{suggestion(key, known)}")
    return table.leaving(strange)
