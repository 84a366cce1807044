"""Keep the token and people's words out of what the libraries say by themselves."""

from __future__ import annotations

import logging
import re
import warnings

from telegram.warnings import PTBDeprecationWarning

__all__ = ["hush"]

_TOKEN = re.compile(r"(?<=/bot)\d+(?::|%3A)[^/\s\"'?]+", re.IGNORECASE)
_TALKATIVE = ("httpcore.connection", "httpcore.http11", "httpcore.proxy", "httpcore.socks")


class _Tokenless(logging.Filter):
    """Masks bot tokens in request addresses, whatever level an operator turned on."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        masked = _TOKEN.sub("***", message)
        if masked != message:
            record.msg, record.args = masked, ()
        return True


_FILTER = _Tokenless()


def hush() -> None:
    """Raise the levels of loggers that write addresses and messages, and mask tokens in what is left.

    python-telegram-bot logs every parameter, and an answer that is no JSON with the whole of it.
    """
    logging.getLogger("telegram").setLevel(logging.CRITICAL)
    for name in ("httpx", *_TALKATIVE):
        logger = logging.getLogger(name)
        logger.setLevel(max(logging.WARNING, logger.level))
        logger.addFilter(_FILTER)
    # Said at each rate limit, whatever one reads; its switch is the environment, which is not ours to change.
    warnings.filterwarnings("ignore", message=".*`retry_after`", category=PTBDeprecationWarning)
