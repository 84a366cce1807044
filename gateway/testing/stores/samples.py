"""Where a contract finds its store, and short ways to fill it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.abc.store import Claim, Commit, Entry, Letter, LetterClaim, Line, Store, Turn
from gateway.testing.clock import ManualClock

__all__ = ["BOT", "LEASE", "Sampled", "entry", "letter", "line", "turn"]

BOT = "support"
LEASE = 30.0
LANE = f"{BOT}/1"


def entry(body: str = "hello", *, lane: str = LANE, key: str = "", bot: str = BOT, at: float = 1.0) -> Entry:
    """An entry; with a dedupe key if one is given."""
    return Entry(bot, lane, (key,) if key else (), body.encode(), at)


def turn(
    name: str, *, entry: int = 1, state: str = "finished", reason: str = "completed", at: float = 1.0
) -> Turn:
    """A turn whose reference is its name in capitals."""
    return Turn(name, name.upper(), BOT, LANE, entry, state, reason, f"{reason}@test", at, name.encode())


def letter(name: str, *, lane: str = LANE, turn: str = "", bot: str = BOT, at: float = 1.0) -> Letter:
    """A letter whose body is its id."""
    return Letter(name, bot, lane, turn, name.encode(), at)


def line(text: str, *, turn: str = "t1", lane: str = LANE) -> Line:
    """A line a person said."""
    return Line(lane, turn, "user", text, 1.0)


class Sampled:
    """The fixtures of a contract."""

    def make_store(self, clock: ManualClock, folder: Path) -> Store:
        """A new, empty store, not yet opened, that takes its time from `clock`; to be filled in."""
        raise NotImplementedError

    async def pass_time(self, clock: ManualClock, seconds: float) -> None:
        """Let time pass for the store."""
        clock.advance(seconds)

    @pytest.fixture
    def clock(self) -> ManualClock:
        """Time in the test's hands."""
        return ManualClock()

    @pytest.fixture
    async def store(self, clock: ManualClock, tmp_path: Path) -> AsyncIterator[Store]:
        """The store under test, open."""
        store = self.make_store(clock, tmp_path)
        await store.open()
        try:
            yield store
        finally:
            await store.close()

    async def head(self, store: Store, *, bot: str = BOT, lease: float = LEASE) -> Claim:
        """Claim the one head there is."""
        (claim,) = await store.claim("worker", bots=[bot], limit=10, lease=lease)
        return claim

    async def letter_head(self, store: Store, *, bot: str = BOT, lease: float = LEASE) -> LetterClaim:
        """Claim the one letter there is."""
        (claim,) = await store.claim_letters("worker", bots=[bot], limit=10, lease=lease)
        return claim

    async def post(self, store: Store, *letters: Letter) -> None:
        """Put letters in the outbox, by a turn of a lane of its own."""
        await store.put([entry(lane=f"{BOT}/postman")])
        claims = await store.claim("postman", bots=[BOT], limit=100, lease=LEASE)
        (claim,) = (one for one in claims if one.lane == f"{BOT}/postman")
        await store.commit(claim, Commit(letters=letters))

    async def run(self, store: Store, *commits: Commit, lane: str = LANE) -> None:
        """Put, claim and end an entry for each commit."""
        for commit in commits:
            await store.put([entry(lane=lane)])
            claims = await store.claim("worker", bots=[BOT], limit=100, lease=LEASE)
            (claim,) = (one for one in claims if one.lane == lane)
            await store.commit(claim, commit)
