"""Telegram, through python-telegram-bot's request layer and a poller that commits before it confirms."""

import os

os.environ.setdefault("PTB_TIMEDELTA", "1")  # waits as time spans, the coming default; read at import
