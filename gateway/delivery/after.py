"""What delivery asks of whoever keeps the turns' records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gateway.abc.store import Fact, LetterClaim, LetterState, Turn
from gateway.delivery.letters import Mail
from gateway.delivery.outlet import Outlet
from gateway.delivery.posting import Result
from gateway.messages import Note

__all__ = ["Aftermath", "TurnAfter"]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What is written with a letter's end.

    Attributes:
        turn: The turn's record; `None` for a letter with no turn.
    """

    turn: Turn | None = None
    facts: tuple[Fact, ...] = ()


class TurnAfter(Protocol):
    """Keeps the turn's record in step with its letter."""

    async def leaving(self, outlet: Outlet, claim: LetterClaim, mail: Mail) -> Mail:
        """The mail as it leaves now, for the first time: one that is late says so."""
        ...

    async def twice(self, outlet: Outlet, claim: LetterClaim) -> Note | None:
        """What tells that a part may be seen twice; `None` to send it without a word."""
        ...

    async def postponed(self, outlet: Outlet) -> None:
        """Take note of a send that must be tried again."""
        ...

    async def closed(
        self, outlet: Outlet, claim: LetterClaim, state: LetterState, result: Result
    ) -> Aftermath:
        """What is to be written with the letter's end."""
        ...
