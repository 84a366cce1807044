"""Telegram, through python-telegram-bot's request layer and a poller that commits before it confirms."""
