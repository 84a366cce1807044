"""The way out: letters from the outbox to the platform, typing and previews."""

from gateway.delivery.after import Aftermath, TurnAfter
from gateway.delivery.encoding import encode
from gateway.delivery.gone import forget_gone
from gateway.delivery.letters import Mail, fold, unfold
from gateway.delivery.outlet import Outlet
from gateway.delivery.posting import Result
from gateway.delivery.presence import UNKNOWN, Presence
from gateway.delivery.sender import Sender

__all__ = [
    "UNKNOWN",
    "Aftermath",
    "Mail",
    "Outlet",
    "Presence",
    "Result",
    "Sender",
    "TurnAfter",
    "encode",
    "fold",
    "forget_gone",
    "unfold",
]
