"""What a person or a bot may use is counted once, whichever process answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import until
from tests.integration.replicas.scene import (
    ECHO,
    Replica,
    held_by,
    replicas,
    shared_store,
    telegram_config,
)

pytestmark = pytest.mark.kill

_CHATS = range(100, 124)
_PERSON = 4711


@pytest.mark.parametrize(
    ("limit", "allowed"), [("turns: 7/day", 7), ("turns_per_person: 7/day", 7), ("turns: 100/day", 24)]
)
async def test_quota_holds_for_all_partitions_together(tmp_path: Path, limit: str, allowed: int) -> None:
    """One person writes in many groups, which two processes answer."""
    async with TelegramEmulator() as tg:
        more = f"partitions: 4\n    limits: {{{limit}}}\n    access: {{dm: open, groups: all}}"
        text = telegram_config(tg, shared_store(), bot=more, script=ECHO)
        text = text.replace("    access: {dm: open}\n", "", 1)
        async with replicas(tmp_path, text) as found:
            await until(lambda: _spread(found), timeout=30.0)
            groups = [-chat for chat in _CHATS]
            for group in groups:
                tg.say("hello", chat=group, user=_PERSON)
            await tg.until(lambda: all(tg.texts(group) for group in groups), timeout=40.0)

            reasons = [event["reason"] for one in found for event in one.events("turn.finished")]
            assert len(reasons) == len(groups)
            assert reasons.count("completed") == allowed
            assert reasons.count("budget_exhausted") == len(groups) - allowed


async def _spread(found: list[Replica]) -> bool:
    return sorted([await held_by(replica) for replica in found]) == [2, 2]
