"""Word of what arrived at another process, for the one that runs the turns there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from gateway.abc.store import Claim, Commit, Store
from gateway.messages import Inbound
from gateway.observability import get_logger
from gateway.ownership.queues import NEWS
from gateway.session.arrivals import Arrivals
from gateway.session.bots import Bot
from gateway.session.envelope import unseal
from gateway.session.lanes import told_lane

__all__ = ["News", "is_news"]

_MOST_ATTEMPTS = 4  # what was not heard by then disturbs nothing any more


def is_news(name: str) -> bool:
    """Whether it is the name that such word waits under."""
    return name.endswith(NEWS)


class News:
    """Takes the word in, and lets what arrived disturb the turn that runs here.

    Args:
        store: Where it waits.
        arrivals: Does what is to be done.
        bots: Bots by the names that work waits under, read anew each time.
    """

    def __init__(self, store: Store, arrivals: Arrivals, *, bots: Callable[[], Mapping[str, Bot]]) -> None:
        self._store = store
        self._arrivals = arrivals
        self._bots = bots

    async def handle(self, claim: Claim) -> None:
        """Take one in.

        Raises:
            LeaseLost: It is another process's to hear.
            StoreError: The store failed; it is heard again.
        """
        queue = claim.bot.removesuffix(NEWS)
        bot, inbound = self._bots().get(queue), _inbound(claim)
        if bot is not None and inbound is not None and claim.attempts <= _MOST_ATTEMPTS:
            lane = told_lane(claim.lane)
            await self._arrivals.heard(bot, inbound, lane, queue=queue, again=claim.attempts > 1)
        await self._store.commit(claim, Commit())


def _inbound(claim: Claim) -> Inbound | None:
    try:
        return unseal(claim.body).inbound
    except msgspec.MsgspecError:
        get_logger("session").error("session.news_unreadable", entry=claim.entry)
        return None
