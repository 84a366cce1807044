"""The way out: letters from the outbox to the platform, typing and previews."""

from gateway.delivery.encoding import encode
from gateway.delivery.letters import Mail, fold, unfold
from gateway.delivery.outlet import Outlet
from gateway.delivery.posting import Result
from gateway.delivery.presence import UNKNOWN, Presence
from gateway.delivery.sender import Sender, TurnAfter

__all__ = [
    "UNKNOWN",
    "Mail",
    "Outlet",
    "Presence",
    "Result",
    "Sender",
    "TurnAfter",
    "encode",
    "fold",
    "unfold",
]
