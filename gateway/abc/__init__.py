"""Shapes that adapters, agents and stores fill."""

from gateway.abc.adapter import Adapter, AdapterContext, AdapterState, Divisible, Features, Log
from gateway.abc.agent import Agent, PastLine, TurnContext, TurnRequest, TurnResult
from gateway.abc.clock import Clock, SystemClock

__all__ = [
    "Adapter",
    "AdapterContext",
    "AdapterState",
    "Agent",
    "Clock",
    "Divisible",
    "Features",
    "Log",
    "PastLine",
    "SystemClock",
    "TurnContext",
    "TurnRequest",
    "TurnResult",
]
