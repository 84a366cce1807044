"""The session: lanes, the straight line of a turn, and what people can ask of the gateway."""

from gateway.session.afterwards import Afterwards
from gateway.session.bots import Bot
from gateway.session.intake import Intake
from gateway.session.manager import SessionManager
from gateway.session.pool import Lanes
from gateway.session.running import Deadlines, RunningTurns
from gateway.session.supervision import Nursery

__all__ = [
    "Afterwards",
    "Bot",
    "Deadlines",
    "Intake",
    "Lanes",
    "Nursery",
    "RunningTurns",
    "SessionManager",
]
