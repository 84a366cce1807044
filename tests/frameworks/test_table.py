"""What is written about frameworks is what is tried of them."""

from __future__ import annotations

import pytest

from tests.emulators.providers.answers import SECRET
from tests.frameworks.cells import ENDINGS, FRAMEWORKS
from tests.frameworks.running import Outcome, judge
from tests.frameworks.table import README, updated


def test_readme_shows_the_table_that_is_tried() -> None:
    """Renew it: `python -m tests.frameworks`."""
    page = README.read_text("utf-8")

    assert page == updated(page)


def test_every_exception_names_an_ending_that_exists() -> None:
    named = {name for one in FRAMEWORKS.values() for blind in one.blind for name in blind.endings}

    assert named <= set(ENDINGS)


@pytest.mark.parametrize(
    ("framework", "ending", "outcome", "wrong"),
    [
        ("pydantic-ai", "empty", Outcome("empty_response", "", None), ""),
        ("pydantic-ai", "empty", Outcome("completed", "", None), "empty_response was wanted"),
        ("pydantic-ai", "rate", Outcome("rate_limited", "", None), "rate_limited was wanted"),
        ("pydantic-ai", "length", Outcome("length_truncated", "One", None), "length_truncated was wanted"),
        ("pydantic-ai", "key", Outcome("auth_failed", SECRET, None), "is shown to people"),
        ("praisonai", "strange", Outcome("completed", "One two", None), ""),
        ("praisonai", "strange", Outcome("error", "One two", None), "completed was listed"),
        ("praisonai", "strange", Outcome("cosmic_rays", "One two", None), "can be seen now"),
    ],
)
def test_cell_is_judged_by_its_reason_its_text_and_its_wait(
    framework: str, ending: str, outcome: Outcome, wrong: str
) -> None:
    found = judge(FRAMEWORKS[framework], "whole", ending, outcome)

    assert wrong in found
    assert bool(found) is bool(wrong)
