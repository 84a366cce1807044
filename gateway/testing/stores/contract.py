"""The whole contract of a store."""

from __future__ import annotations

from gateway.testing.stores.crowd import CrowdContract
from gateway.testing.stores.erasing import ErasingContract
from gateway.testing.stores.facts import FactsContract
from gateway.testing.stores.inbox import InboxContract
from gateway.testing.stores.outbox import OutboxContract
from gateway.testing.stores.records import RecordsContract

__all__ = ["StoreContract"]


class StoreContract(
    InboxContract, OutboxContract, RecordsContract, FactsContract, ErasingContract, CrowdContract
):
    """What every store must do; a subclass named `Test…` fills in `make_store`.

    The tests are coroutines, so pytest-asyncio must run in its `auto` mode. A store that keeps time by itself
    and not by the clock it is given also overrides `pass_time`.
    """
