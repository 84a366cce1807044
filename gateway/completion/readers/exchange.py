"""Classify what an operator pasted: a status, a body, headers, or an exception by name."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import cast

from gateway.completion.model import TurnCompletion
from gateway.completion.readers import classes, waits
from gateway.completion.readers.access import field, text, whole, word
from gateway.completion.readers.bodies import decode, frames, gather
from gateway.completion.readers.errors import classify_error
from gateway.completion.readers.exceptions import Raised, classify_raised
from gateway.completion.readers.response import classify_response

__all__ = ["classify_exchange"]

_KEYS = frozenset({"status", "http_status", "body", "headers", "provider", "exception"})
_MOST_KEYS = 256


def classify_exchange(exchange: object) -> TurnCompletion | None:
    """What a pasted exchange says about the ending; `None` when nothing; never raises.

    Its keys are `status` (or `http_status`), `body`, `headers`, `provider`, and `exception` with `class` and
    `message`. A mapping with none of `body`, `headers` and `exception` is taken for a body.
    """
    try:
        return _classify(exchange)
    except Exception:  # noqa: BLE001  # whatever was pasted, the command answers
        return TurnCompletion("error", site="provider.error", source="exception")


def _classify(exchange: object) -> TurnCompletion | None:
    if not isinstance(exchange, Mapping):
        return classify_response(exchange)
    pasted = cast("Mapping[object, object]", exchange)
    keys = frozenset(islice(pasted, _MOST_KEYS))
    if not {"body", "headers", "exception"} & keys and not keys <= _KEYS:
        return classify_response(pasted)
    provider = text(pasted.get("provider"))
    status = whole(pasted.get("status") if pasted.get("status") is not None else pasted.get("http_status"))
    if isinstance(pasted.get("exception"), Mapping | str):
        return _raised(pasted, status, provider)
    body = pasted.get("body")
    if status is not None and status >= 400:  # where errors begin
        return classify_error(status=status, body=body, headers=pasted.get("headers"), provider=provider)
    return _answer(body, status, pasted.get("headers"), provider)


def _answer(body: object, status: int | None, headers: object, provider: str) -> TurnCompletion | None:
    streamed = frames(body) if isinstance(body, str) else []
    found = classify_response(streamed if len(streamed) > 1 else decode(body), provider=provider)
    if found is not None or status is not None:
        return found
    unsaid = classify_error(body=body, headers=headers, provider=provider)
    return None if unsaid.reason == "error" else unsaid


def _raised(pasted: Mapping[object, object], status: int | None, provider: str) -> TurnCompletion:
    exception = pasted.get("exception")
    name = word(exception) or word(field(exception, "class"))
    module, _, short = name.rpartition(".")
    body = pasted.get("body")
    local = classes.is_local((short,) if module in {"", "builtins"} else (), module)
    return classify_raised(
        Raised(
            names=() if local or not short else (short,),
            message=text(field(exception, "message")),
            builtin=classes.BUILTIN.get(short),
            local=local,
            status=status,
            body=body,
            carried=gather(body) if body is not None else None,
            headers=waits.header_pairs(pasted.get("headers")),
        ),
        provider=provider,
    )
