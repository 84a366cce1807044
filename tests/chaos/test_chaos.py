"""Short battles with real processes; `make chaos` fights long ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.battle import Battle, Outcome, Terms
from tests.chaos.depot import Sqlite
from tests.chaos.fronts import Telegram
from tests.chaos.mutants import MUTANTS
from tests.chaos.scenes import battle

pytestmark = pytest.mark.kill

_SECONDS = 5.0
_ALWAYS = frozenset({"drops commits", "repeats unmarked", "skips sends"})
_FOUND = {
    "drops commits": "lost",
    "dawdles over commits": "reordered",
    "repeats unmarked": "twice",
    "skips sends": "lost",
    "tells all": "leaked",
}


@pytest.mark.parametrize("name", ["file", "replicas"])
async def test_battle_breaks_no_promise(tmp_path: Path, name: str) -> None:
    outcome = await battle(name, tmp_path, Terms(seed=7, seconds=_SECONDS, people=4)).run()

    assert not outcome.violations, _kept(tmp_path, name, outcome)
    assert outcome.said > 80
    assert any("gateway" in line for line in outcome.timeline)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in _ALWAYS else pytest.mark.slow) for name in sorted(MUTANTS)],
)
async def test_battle_finds_a_defect_that_was_planted(tmp_path: Path, name: str) -> None:
    terms = Terms(
        seed=3,
        seconds=1.5,
        pause=0.1,
        pace=0.2,
        blows=(),
        kinds=("plain", "raise", "length"),
        env=(("CHAOS_MUTANT", name),),
    )

    outcome = await Battle(tmp_path, terms, Sqlite(tmp_path), [Telegram(6, agent="teller")]).run()

    assert _FOUND[name] in {violation.kind for violation in outcome.violations}, outcome.told()


def _kept(folder: Path, name: str, outcome: Outcome) -> str:
    """Where the whole story stands, and how to fight once more."""
    path = folder / "outcome.txt"
    path.write_text(outcome.told(), "utf-8")
    found = "\n".join(map(str, outcome.violations))
    return f"{found}\nLook at {path}. Longer, with this seed: make chaos CHAOS_SEED=7 ARGS={name}"
