"""What an HTTP status says when nothing else does.

Source: RFC 9110; the status pages of Cloudflare (520 to 530) and Groq (498, 499), read 2026-11-30.
"""

from __future__ import annotations

__all__ = ["reason_of"]

_EXACT = {
    401: "auth_failed",
    402: "quota_exhausted",
    403: "auth_failed",
    404: "model_not_found",
    407: "network_error",
    408: "timeout",
    409: "provider_error",
    410: "model_not_found",
    413: "context_overflow",
    423: "provider_error",
    424: "provider_error",
    425: "provider_error",
    429: "rate_limited",
    451: "content_filtered",
    498: "provider_error",
    499: "cancelled",
    504: "timeout",
    511: "network_error",
    522: "timeout",
    524: "timeout",
    598: "timeout",
    599: "timeout",
}


def reason_of(status: int | None) -> str | None:
    """The reason for a status of an error, or `None` for a status of none."""
    if status is None or not 400 <= status <= 599:
        return None
    return _EXACT.get(status) or ("invalid_request" if status < 500 else "provider_error")
