"""Discord, by a gateway connection of our own that commits before it counts, and discord.py's vocabulary."""
