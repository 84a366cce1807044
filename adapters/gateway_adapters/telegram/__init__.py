"""Telegram, through python-telegram-bot's request layer and a reception that commits before it confirms."""
