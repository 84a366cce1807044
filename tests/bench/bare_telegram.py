"""The bare library's echo bot, as its own documentation writes it."""

from __future__ import annotations

import logging
import os

from telegram import Update
from telegram.ext import ApplicationBuilder, ContextTypes, MessageHandler, filters


async def echo(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
    """Say it back."""
    if update.message is not None and update.message.text is not None:
        await update.message.reply_text(update.message.text)


def main() -> None:
    """Poll the emulator."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    base = os.environ["TELEGRAM_BASE"]
    application = (
        ApplicationBuilder()
        .token(os.environ["TELEGRAM_TOKEN"])
        .base_url(f"{base}/bot")
        .job_queue(None)
        .build()
    )
    application.add_handler(MessageHandler(filters.TEXT, echo))
    print("bare bot starts", flush=True)
    application.run_polling()


if __name__ == "__main__":
    main()
