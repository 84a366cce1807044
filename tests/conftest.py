"""What every test run shares: slow tests only when asked for."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip `slow` tests visibly, unless all is required or they are asked for by marker."""
    if os.environ.get("LASTWORD_REQUIRE") == "all" or "slow" in str(config.getoption("markexpr")):
        return
    skip = pytest.mark.skip(reason="slow: runs with -m slow or LASTWORD_REQUIRE=all")
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.add_marker(skip)
