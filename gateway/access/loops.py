"""Keep two bots from answering each other for ever."""

from __future__ import annotations

from collections import OrderedDict, deque

from gateway.abc.clock import Clock
from gateway.messages import Inbound

__all__ = ["Loops"]

_MESSAGES, _WITHIN = 5, 60.0  # messages of one bot in one chat, in so many seconds
_COOLDOWN = 600.0  # seconds a bot that said more is not heard there
_PAIRS = 1_000  # bots and chats remembered


class Loops:
    """How much other bots have lately said, by bot and chat."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._said: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._silent_until: dict[tuple[str, str], float] = {}

    def too_many(self, inbound: Inbound) -> bool:
        """Count a message of another bot; whether it is one too many."""
        pair = (inbound.sender.id, inbound.place.chat)
        now = self._clock.monotonic()
        if self._silent_until.get(pair, 0.0) > now:
            return True
        said = self._said.setdefault(pair, deque(maxlen=_MESSAGES))
        self._said.move_to_end(pair)
        if len(said) == _MESSAGES and now - said[0] < _WITHIN:
            self._silent_until[pair] = now + _COOLDOWN
            said.clear()
            return True
        said.append(now)
        if len(self._said) > _PAIRS:
            gone, _ = self._said.popitem(last=False)
            self._silent_until.pop(gone, None)
        return False
