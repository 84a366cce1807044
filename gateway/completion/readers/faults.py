"""Find the error inside an answer that claims to be fine."""

from __future__ import annotations

from gateway.completion.readers.access import every, field, first, present, squash, text, whole, word

__all__ = ["error"]


def error(payload: object) -> object:
    """The body of an error inside the payload, or `None`."""
    response = field(payload, "response")
    inside = (field(one, "status_details") for one in (payload, response))
    for holder in (payload, response, first(field(payload, "choices")), *inside):
        for name in ("error", "errors", "last_error"):
            for found in every(holder, name):
                if _holds(found):
                    return holder if isinstance(found, str) else found
        if field(holder, "error") is True:
            return holder
    return payload if _is_error(payload) else None


def _holds(found: object) -> bool:
    try:
        return bool(found) and not isinstance(found, bool | int | float)
    except Exception:  # noqa: BLE001  # a foreign value may refuse to be true or false
        return False


def _is_error(payload: object) -> bool:
    if (
        squash(word(field(payload, "type"))) in {"error", "runerror"}
        or word(field(payload, "object")) == "error"
    ):
        return True
    base = whole(field(field(payload, "base_resp"), "status_code"))
    if text(field(payload, "error_message")) and word(field(payload, "error_code")):
        return True
    if base or whole(field(payload, "error_code")) or whole(field(field(payload, "header"), "code")):
        return True
    code = field(payload, "code")
    said = any(isinstance(field(payload, name), str) for name in ("message", "msg"))
    answered = any(
        present(payload, name) for name in ("choices", "output", "candidates", "content", "status")
    )
    return (
        bool(code) and said and not answered and squash(str(code)[:40]) not in {"0", "200", "ok", "success"}
    )
