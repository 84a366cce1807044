"""Tell from an agent's keys what runs it."""

from __future__ import annotations

from gateway.settings.problems import Problems
from gateway.settings.tree import Leaf, Path, Table

__all__ = ["NOT_YET", "kind_of"]

_SIGNS = {
    "model": "builtin",
    "target": "python",
    "factory": "python",
    "script": "scripted",
    "directives": "scripted",
    "command": "acp",
    "url": "openai",
}
NOT_YET = {
    "acp": "an agent behind a command (acp)",
    "openai": "an agent behind an address (openai)",
    "a2a": "an agent behind an address (a2a)",
}


def kind_of(agent: Table, path: Path, problems: Problems) -> str:
    """The agent's kind; empty when it cannot be told, with the problem noted."""
    said = agent.entries.get("kind")
    if said is not None:
        if isinstance(said, Leaf) and isinstance(said.value, str) and said.value:
            return said.value
        problems.add(said.mark, (*path, "kind"), "should be a word such as builtin, python or scripted")
        return ""
    signs = [key for key in _SIGNS if key in agent.entries]
    kinds = {_SIGNS[key] for key in signs}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        told = f"{' and '.join(signs)} belong to different kinds: keep one, or say kind:"
        problems.add(agent.keys[signs[1]], path, told)
    else:
        told = "nothing says what runs it: add model:, target: or factory:, or say kind:"
        problems.add(agent.mark, path, told)
    return ""
