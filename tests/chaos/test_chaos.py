"""Short battles with real processes; `make chaos` fights long ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.battle import Battle, Terms
from tests.chaos.depot import Sqlite
from tests.chaos.front import Telegram

pytestmark = pytest.mark.kill


async def test_every_message_is_told_of_though_the_gateway_is_killed_again_and_again(tmp_path: Path) -> None:
    battle = Battle(tmp_path, Terms(seed=1, seconds=8.0), Sqlite(), [Telegram(12, agent="teller")])

    outcome = await battle.run()

    assert not outcome.violations, outcome.told()
    assert outcome.said > 100
