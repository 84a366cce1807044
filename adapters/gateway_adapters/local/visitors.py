"""Who is behind a browser: a secret it keeps, and the id that follows from it."""

from __future__ import annotations

import hashlib
import re
import secrets

__all__ = ["COOKIE", "SECONDS", "new_secret", "person_of"]

COOKIE = "lastword"
SECONDS = 400 * 86_400  # the longest browsers keep a cookie (Chromium, RFC 6265bis draft)
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def new_secret() -> str:
    """A cookie's value nobody can guess."""
    return secrets.token_urlsafe(32)


def person_of(secret: str | None) -> str:
    """The person's id, which is also their private chat's; empty for a value we did not make.

    Records and logs hold the id, and nobody gets from it back to the cookie.
    """
    if secret is None or not _SECRET.fullmatch(secret):
        return ""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]
