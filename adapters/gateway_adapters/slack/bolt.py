"""The bot's app in Slack's own framework: its checks, then the inbox, and only then an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, cast

from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.response import BoltResponse

from gateway_adapters.slack.api import Api
from gateway_adapters.slack.options import Options
from gateway_adapters.slack.quiet import hush
from gateway_adapters.slack.reception import Delivery, Reception

__all__ = ["BUSY", "Bolt"]

BUSY = {"retry-after": "2"}
"""Beside a 503, so that Slack posts again."""

_STAMP, _SIGNATURE = "x-slack-request-timestamp", "x-slack-signature"
_DIGITS = 12  # of a timestamp
_DELIVERED, _KEPT = "delivered", "kept"


class Bolt:
    """One bot's app, which everything passes by whichever way it came.

    The framework answers before a listener has run. So what keeps a delivery is no listener: it stands
    between the framework's check of the signature and everything else, and gives the answer itself.
    """

    def __init__(self, options: Options, api: Api) -> None:
        self._options = options
        self._api = api
        self._keeping = _Keeping()

    def open(self, reception: Reception) -> None:
        """Take deliveries from now on."""
        self._keeping.reception = reception

    def close(self) -> None:
        """Take none; Slack sends events again, for some minutes."""
        self._keeping.reception = None

    async def delivered(self, delivery: Delivery, *, again: str) -> bool:
        """Take what came over a socket; whether it is to be acknowledged.

        Raises:
            StoreError: Nothing is committed.
        """
        answer = await self._app.async_dispatch(_request("socket_mode", delivery, again=again))
        return answer.status == 200

    async def posted(self, delivery: Delivery, headers: Mapping[str, str]) -> tuple[BoltResponse, bool]:
        """Take what was posted; what it is answered with, and whether it was committed.

        Raises:
            StoreError: Nothing is committed.
        """
        request = _request("http", delivery, again=headers.get("x-slack-retry-num", ""))
        request.raw_body = delivery.raw.decode("utf-8", "replace")
        request.headers = {_STAMP: [_stamp(headers)], _SIGNATURE: [_signature(headers)]}
        answer = await self._app.async_dispatch(request)
        return answer, _KEPT in request.context

    @cached_property
    def _app(self) -> AsyncApp:
        """Made where a loop runs, which the shared session needs."""
        app = AsyncApp(
            name="slack_bolt",
            logger=hush("slack_bolt"),
            client=self._api.client(),
            signing_secret=self._options.signing_secret.get_secret_value(),
            process_before_response=True,
            before_authorize=self._keeping,
            ignoring_self_events_enabled=False,
            attaching_function_token_enabled=False,
        )
        app.error(_rethrow)
        return app


class _Keeping(AsyncMiddleware):
    """Keep a delivery, then let its answer out."""

    def __init__(self) -> None:
        self.reception: Reception | None = None

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,  # noqa: ARG002  # the library names it
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002  # the library's name
    ) -> BoltResponse | None:
        """Take everything but the question whether the address is ours, which the framework answers."""
        if req.body.get("type") == "url_verification" and req.mode == "http":
            return await next()
        if self.reception is None:
            return BoltResponse(status=503, headers={**BUSY})
        delivery, again = cast("tuple[Delivery, str]", req.context[_DELIVERED])
        mine = await self.reception.take(delivery, again=again)
        req.context[_KEPT] = True
        return BoltResponse(status=200 if mine or req.mode == "http" else 404)


async def _rethrow(error: Exception) -> None:
    """Let a fault reach whoever delivers, which the framework would answer 500 and forget."""
    raise error


def _request(mode: str, delivery: Delivery, *, again: str) -> AsyncBoltRequest:
    """A request that holds what was decoded here.

    The framework's own reading raises at what has another shape than Slack's, before any check; and of a
    form that holds the word "payload" anywhere, such as a slash command about one, it keeps nothing.
    """
    empty = "" if mode == "http" else dict[str, Any]()
    request = AsyncBoltRequest(body=empty, mode=mode, context={_DELIVERED: (delivery, again)})
    payload = delivery.payload
    if isinstance(payload, dict):
        request.body = cast("dict[str, Any]", payload)
    return request


def _stamp(headers: Mapping[str, str]) -> str:
    """The time of a request; one long ago for what is no number, at which the check would raise."""
    told = headers.get(_STAMP, "")
    return told if told.isascii() and told.isdigit() and len(told) <= _DIGITS else "0"


def _signature(headers: Mapping[str, str]) -> str:
    """The signature; none for what cannot be one, at which the check would raise."""
    told = headers.get(_SIGNATURE, "")
    return told if told.isascii() else ""
