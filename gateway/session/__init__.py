"""The session: lanes, the straight line of a turn, and what people can ask of the gateway."""

from gateway.session.afterwards import Afterwards
from gateway.session.alerts import Alerts, Watch
from gateway.session.arrivals import Arrivals
from gateway.session.bots import Bot, Limits, Quota, Reset, Route, Seat
from gateway.session.commands import chosen_language
from gateway.session.fading import fade_records
from gateway.session.intake import Intake
from gateway.session.lanes import control_name
from gateway.session.manager import SessionManager
from gateway.session.news import News, is_news
from gateway.session.pool import Lanes
from gateway.session.running import Deadlines, RunningTurns
from gateway.session.signs import Signs
from gateway.session.supervision import Nursery

__all__ = [
    "Afterwards",
    "Alerts",
    "Arrivals",
    "Bot",
    "Deadlines",
    "Intake",
    "Lanes",
    "Limits",
    "News",
    "Nursery",
    "Quota",
    "Reset",
    "Route",
    "RunningTurns",
    "Seat",
    "SessionManager",
    "Signs",
    "Watch",
    "chosen_language",
    "control_name",
    "fade_records",
    "is_news",
]
