"""Where the agents find their provider, how long they wait for it, and the tool they have."""

from __future__ import annotations

import os

__all__ = ["KEY", "MODEL", "PATIENCE", "URL", "lookup"]

URL = os.environ["LASTWORD_PROVIDER_URL"]
KEY = os.environ["LASTWORD_PROVIDER_KEY"]
MODEL = "small"
PATIENCE = 2.0  # seconds one request may take


def lookup(key: str) -> str:
    """Look a value up by its key."""
    return f"value of {key}"
