"""Keep people's words out of what the libraries say by themselves."""

from __future__ import annotations

import logging

__all__ = ["hush"]


def hush() -> logging.Logger:
    """A logger for the library, which writes every parameter and every answer at its lowest level."""
    logger = logging.getLogger("slack_sdk.web.async_client")
    logger.setLevel(max(logging.CRITICAL, logger.level))
    return logger
