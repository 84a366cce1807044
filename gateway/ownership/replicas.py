"""What the processes of one store tell each other, and which of them are alive."""

from __future__ import annotations

import msgspec

__all__ = ["PREFIX", "Peers", "Replica", "Stake"]

PREFIX = "replica/"
_REMEMBERED = 6  # leases for which a process that died is remembered


class Stake(msgspec.Struct, frozen=True, array_like=True):
    """One bot as a process has it configured.

    Attributes:
        digest: Of its settings; equal where they are.
        files: When its files were last changed, unix seconds; 0 where it has none.
        read: When the process read them, unix seconds.
        partitions: Into how many parts its chats are divided.
    """

    digest: str
    files: float = 0.0
    read: float = 0.0
    partitions: int = 1

    def is_newer(self, than: Stake) -> bool:
        """Whether it replaces another; of the same files the one that was read later does."""
        return (self.files, self.read) > (than.files, than.read)


class Replica(msgspec.Struct, frozen=True):
    """A process as it shows itself.

    Attributes:
        token: Random; what its leases are held by.
        name: What operators know it by.
        beat: Grows while it lives.
        stakes: The bots it is configured with.
        held: The names of the partitions it holds.
        leaving: Whether it takes no more of them.
    """

    token: str
    name: str
    beat: int
    stakes: dict[str, Stake]
    held: list[str]
    leaving: bool = False

    @property
    def key(self) -> str:
        """Where it is kept."""
        return f"{PREFIX}{self.token}"

    @property
    def remembered(self) -> float:
        """How many leases it outlives its process."""
        return _REMEMBERED


class Peers:
    """The other processes, as they are seen from here.

    One is alive while its beat grows, by the local clock; so no two clocks are ever compared.

    Args:
        token: This process, which is not among them.
        ttl: Seconds of a lease, and of silence that count as death.
    """

    def __init__(self, token: str, *, ttl: float) -> None:
        self._token = token
        self._ttl = ttl
        self._seen: dict[
            str, tuple[Replica, float, bool]
        ] = {}  # with when its beat grew, and whether it did here

    def look(self, facts: list[Replica], now: float) -> None:
        """Take in what is there now; who left is forgotten."""
        seen: dict[str, tuple[Replica, float, bool]] = {}
        for one in facts:
            if one.token == self._token:
                continue
            before = self._seen.get(one.token)
            if before is None:
                seen[one.token] = (one, now, False)
            elif before[0].beat == one.beat:
                seen[one.token] = (one, before[1], before[2])
            else:
                seen[one.token] = (one, now, True)
        self._seen = seen

    def alive(self, now: float) -> list[Replica]:
        """Those that live."""
        return [one for one, at, _ in self._seen.values() if now - at < self._ttl]

    def known(self) -> list[Replica]:
        """Those that live, and those that died without a farewell of late."""
        return [one for one, _, _ in self._seen.values()]

    def keeps(self, queue: str, now: float) -> bool:
        """Whether asking for a partition is in vain: somebody holds it whose beat is fresh."""
        return any(
            queue in one.held and grew and now - at < self._ttl / 2 for one, at, grew in self._seen.values()
        )
