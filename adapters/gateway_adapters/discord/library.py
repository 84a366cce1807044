"""What is taken of discord.py: its connection for events, and its vocabulary.

Its client is not made: that one keeps servers and people in memory, has one address for all bots of a
process, and starts again by itself.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # It loads voice support, and by that a module that newer Pythons do without.
    warnings.filterwarnings("ignore", message="'audioop' is deprecated", category=DeprecationWarning)
    from discord import Client as DiscordClient
    from discord import ConnectionClosed, Intents, InteractionType, Locale, MessageType
    from discord.enums import AppCommandType, InteractionResponseType
    from discord.gateway import DiscordWebSocket, KeepAliveHandler, ReconnectWebSocket

__all__ = [
    "AppCommandType",
    "ConnectionClosed",
    "DiscordClient",
    "DiscordWebSocket",
    "Intents",
    "InteractionResponseType",
    "InteractionType",
    "KeepAliveHandler",
    "Locale",
    "MessageType",
    "ReconnectWebSocket",
]
