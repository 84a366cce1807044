"""Named leases of one process, for stores that no other process can write to."""

from __future__ import annotations

from gateway.abc.clock import Clock

__all__ = ["NamedLeases"]


class NamedLeases:
    """Who holds which name until when, by the monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[str, tuple[str, float]] = {}

    def take(self, name: str, owner: str, ttl: float) -> bool:
        """Take or renew a name for `ttl` seconds; `False` when another owner holds it."""
        now = self._clock.monotonic()
        holder, until = self._held.get(name, (owner, now))
        if holder != owner and until > now:
            return False
        self._held[name] = (owner, now + ttl)
        return True

    def release(self, name: str, owner: str) -> None:
        """Give a name back, if it is still the owner's."""
        if self._held.get(name, ("", 0.0))[0] == owner:
            del self._held[name]
