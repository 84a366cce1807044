"""How the connection stands, told as it changes; and patience with what fails."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, RateLimited, StoreError, Unauthorised

__all__ = ["Standing"]

T = TypeVar("T")

_FIRST, _CEILING = 1.0, 60.0  # seconds of backoff
_DEAF_AFTER = 30.0  # seconds of nothing but failures before the bot is called deaf


class Standing:
    """One bot's connection over time."""

    def __init__(self, context: AdapterContext) -> None:
        self._context = context
        self._failures = 0
        self._ill_since = 0.0

    def well(self) -> None:
        """Something worked."""
        self._failures = 0
        self._context.report("up")

    def recovered(self) -> None:
        """Something worked again, if it did not before."""
        if self._failures:
            self.well()

    def ill(self, exc: AdapterError | StoreError) -> float:
        """Something failed; seconds to wait before it is tried again."""
        now = self._context.clock.monotonic()
        if not self._failures:
            self._ill_since = now
        self._failures += 1
        if now - self._ill_since > _DEAF_AFTER:
            what = "messages cannot be kept" if isinstance(exc, StoreError) else "Discord does not answer"
            self._context.report("deaf", f"{what} ({exc}); trying on")
        self._context.log.warning("adapter.receiving_failed", problem=str(exc), failures=self._failures)
        return exc.retry_after if isinstance(exc, RateLimited) else self._backoff()

    async def insist(self, step: Callable[[], Awaitable[T]]) -> T:
        """Do something until it works.

        Raises:
            Unauthorised: The token is wrong.
        """
        while True:
            try:
                return await step()
            except Unauthorised:
                raise
            except (AdapterError, StoreError) as exc:
                wait = self.ill(exc)
            await self._context.clock.sleep(wait)

    def _backoff(self) -> float:
        """Seconds before the next try: growing, capped, spread."""
        grown = _FIRST * 1.5 ** min(self._failures - 1, 20)
        return min(grown * random.uniform(0.8, 1.2), _CEILING)  # noqa: S311  # spread, no secret
