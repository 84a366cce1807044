"""The operator's YAML: read with positions, validated whole, shown with origins."""

from gateway.settings.lastgood import keep_good, kept_good
from gateway.settings.loading import PLATFORM_VARIABLES, OptionsOf, from_environment, load
from gateway.settings.models import (
    AccessSettings,
    AgentSettings,
    BotSettings,
    LimitsSettings,
    RetentionSettings,
    RouteSettings,
    Settings,
)
from gateway.settings.schema import schema
from gateway.settings.showing import Effective, describe

__all__ = [
    "PLATFORM_VARIABLES",
    "AccessSettings",
    "AgentSettings",
    "BotSettings",
    "Effective",
    "LimitsSettings",
    "OptionsOf",
    "RetentionSettings",
    "RouteSettings",
    "Settings",
    "describe",
    "from_environment",
    "keep_good",
    "kept_good",
    "load",
    "schema",
]
