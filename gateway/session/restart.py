"""What becomes of a turn that was under way when its process died."""

from __future__ import annotations

from gateway.abc.store import Claim
from gateway.completion.model import TurnCompletion
from gateway.session.bots import Bot
from gateway.session.ending import Ending
from gateway.session.record import Record

__all__ = ["after_crash"]

_SITE = "session.restart"


def after_crash(claim: Claim, bot: Bot, record: Record, *, most: int) -> Ending | None:
    """How a turn that was claimed before ends now; `None` to run it (again).

    A turn that has not acted runs again, a bounded number of times. One that acted, or whose agent does not
    say when it acts, is not repeated behind the person's back.
    """
    if claim.attempts == 1:
        return None
    if claim.attempts > most:
        return Ending(record.partial, TurnCompletion("error", site=_SITE, source="control"))
    acted = bool(record.actions) or not bot.seat(record.inbound.place).agent.reports_actions
    if not acted or bot.on_restart == "rerun":
        return None
    completion = TurnCompletion(
        "aborted", site=_SITE, source="control", actions_ran=bool(record.actions) or None
    )
    return Ending(record.partial, completion)
