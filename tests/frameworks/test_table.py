"""What is written about frameworks is what is tried of them."""

from __future__ import annotations

from tests.frameworks.cells import ENDINGS, FRAMEWORKS
from tests.frameworks.table import README, updated


def test_readme_shows_the_table_that_is_tried() -> None:
    """Renew it: `python -m tests.frameworks`."""
    page = README.read_text("utf-8")

    assert page == updated(page)


def test_every_exception_names_an_ending_that_exists() -> None:
    named = {name for one in FRAMEWORKS.values() for blind in one.blind for name in blind.endings}

    assert named <= set(ENDINGS)
