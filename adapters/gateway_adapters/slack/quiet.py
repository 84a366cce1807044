"""Keep people's words out of what the libraries say by themselves."""

from __future__ import annotations

import logging

__all__ = ["hush"]


def hush(name: str) -> logging.Logger:
    """A logger for a library that writes parameters, answers and bodies."""
    logger = logging.getLogger(name)
    logger.setLevel(max(logging.CRITICAL, logger.level))
    return logger
