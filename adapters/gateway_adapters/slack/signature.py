"""Whether a request is Slack's: signed over the body as it came, and not long ago; pure."""

from __future__ import annotations

import hashlib
import hmac

__all__ = ["signature", "signed"]

_AGE = 300  # seconds either way; Slack's own advice (docs.slack.dev, Verifying requests, read 2026-11)
_DIGITS = 12


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What Slack writes into `X-Slack-Signature`."""
    told = b"v0:" + timestamp.encode("latin-1", "replace") + b":" + body
    return f"v0={hmac.new(secret.encode(), told, hashlib.sha256).hexdigest()}"


def signed(secret: str, *, timestamp: str, given: str, body: bytes, now: float) -> bool:
    """Whether a signature is that of a body, and fresh; compared in constant time."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _DIGITS):
        return False
    if abs(now - int(timestamp)) > _AGE:
        return False
    wanted = signature(secret, timestamp, body)
    return hmac.compare_digest(wanted.encode(), given.encode("latin-1", "replace"))
