"""The platforms at war: people who write there, faults that befall their calls, and what was seen."""

from __future__ import annotations

from tests.chaos.fronts.discord import Discord
from tests.chaos.fronts.front import Front
from tests.chaos.fronts.slack import Slack
from tests.chaos.fronts.telegram import Telegram
from tests.chaos.fronts.web import Web

__all__ = ["Discord", "Front", "Slack", "Telegram", "Web"]
