"""What was begun to be sent is known to the next process too, or counts as not begun."""

from __future__ import annotations

from typing import cast

import pytest

from gateway.errors import StoreError, Unreachable
from gateway.testing.clock import ManualClock
from gateway.testing.context import FakeAdapterContext
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.ledger import Ledger


class _Context(FakeAdapterContext):
    """One whose store cannot be written at first."""

    broken = True

    async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        if self.broken:
            raise StoreError("away")
        await super().keep(key, value, ttl=ttl)


def _ledger(context: FakeAdapterContext) -> Ledger:
    ledger = Ledger(cast("Api", None), ManualClock())
    ledger.begin(context)
    return ledger


async def test_part_whose_mark_was_not_kept_is_marked_at_the_next_try() -> None:
    context = _Context()
    ledger = _ledger(context)
    with pytest.raises(Unreachable):
        await ledger.begun("t1.0")

    context.broken = False

    assert await ledger.begun("t1.0") is None
    assert await ledger.begun("t1.0") is not None
    assert await _ledger(context).begun("t1.0") is not None
