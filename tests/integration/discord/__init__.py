"""A Discord bot, from YAML to the wire."""
