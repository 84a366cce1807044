"""Places where nobody can be told anything: the bot was blocked or removed, the chat was deleted."""

from __future__ import annotations

from gateway.abc.clock import Clock
from gateway.abc.store import Fact, Store
from gateway.delivery.letters import Mail
from gateway.messages import Place

__all__ = ["Gone", "forget_gone"]

_PREFIX = "gone/"
_MOST = 100_000  # places remembered
_KEPT = 30 * 86_400.0  # seconds after which a place is tried again
_LOOK = 60.0  # seconds between two looks at what other gateways found out


class Gone:
    """Remembers dead targets, so that a platform is not asked in vain for each letter that is owed there.

    Whoever is heard after that is there again: what answers them goes, and once it arrives so does all else.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: set[str] = set()
        self._looked = float("-inf")

    async def holds(self, bot: str, mail: Mail) -> bool:
        """Whether a letter goes nowhere."""
        if self._clock.monotonic() - self._looked >= _LOOK:
            self._known = {key for key, _ in await self._store.scan(_PREFIX, limit=_MOST)}
            self._looked = self._clock.monotonic()
        key = _key(bot, mail.place)
        if key not in self._known:
            return False
        died = await self._store.get(key)
        if died is None:
            self._known.discard(key)
            return False
        return mail.heard <= float(died)

    def died(self, bot: str, place: Place, at: float) -> Fact:
        """The fact that a place was found dead by a send that began at a time."""
        key = _key(bot, place)
        self._known.add(key)
        return Fact(key, repr(at).encode(), _KEPT)

    def lives(self, bot: str, place: Place) -> tuple[Fact, ...]:
        """The facts of a place where something arrived."""
        key = _key(bot, place)
        if key not in self._known:
            return ()
        self._known.discard(key)
        return (Fact(key, None),)


async def forget_gone(store: Store, bot: str, place: Place) -> None:
    """Let a place be tried again that was found dead."""
    key = _key(bot, place)
    died = await store.get(key)
    if died is not None:
        await store.swap(key, died, None)


def _key(bot: str, place: Place) -> str:
    return f"{_PREFIX}{bot}/{place.formerly or place.chat}:{place.thread}"
