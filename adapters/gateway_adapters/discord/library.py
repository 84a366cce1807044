"""Discord's vocabulary as discord.py keeps it.

Its connection is not used: it has one address for all bots of a process, takes events for delivered before
they are kept, and ends at the first one it cannot read.
"""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # It loads voice support, and by that a module that newer Pythons do without.
    warnings.filterwarnings("ignore", message="'audioop' is deprecated", category=DeprecationWarning)
    from discord import Intents, InteractionType, Locale, MessageType
    from discord.enums import AppCommandType, InteractionResponseType

__all__ = [
    "AppCommandType",
    "Intents",
    "InteractionResponseType",
    "InteractionType",
    "Locale",
    "MessageType",
]
