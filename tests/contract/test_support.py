"""The table of what platforms can do is the one the exams prove."""

from __future__ import annotations

from gateway import plugins
from tests.contract.support import kept, table


def test_table_is_current() -> None:
    """Write it anew: `python -m tests.contract.support`."""
    assert kept() == table()


def test_every_platform_that_ships_stands_in_it() -> None:
    head = table().partition("\n")[0]

    assert all(f"`{kind}`" in head for kind in plugins.kinds("adapter", shipped_only=True))
