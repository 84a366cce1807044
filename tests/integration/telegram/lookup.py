"""A tool for the built-in agent."""

from __future__ import annotations


def lookup(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"
