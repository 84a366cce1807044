"""Receive by HTTP: Slack posts to the address that the app's settings name."""

from __future__ import annotations

import asyncio

from gateway.abc.adapter import AdapterContext
from gateway_adapters.slack.endpoint import Endpoint
from gateway_adapters.slack.standing import Standing

__all__ = ["Webhook"]

_NEEDED = (
    "receive: webhook needs the https address that this server is reached by from outside; set public_url to"
    " it, or receive: socket"
)


class Webhook:
    """One bot's endpoint while it runs."""

    def __init__(self, context: AdapterContext, endpoint: Endpoint, standing: Standing) -> None:
        self._context = context
        self._endpoint = endpoint
        self._standing = standing

    async def run(self) -> None:
        """Receive until cancelled.

        Without an address that Slack can reach it says what to set, and takes what comes all the same: a
        tunnel need not be known here.
        """
        self._endpoint.open(self._standing)
        try:
            if self._context.public_url.startswith("https://"):
                self._standing.well()
            else:
                given = self._context.public_url
                self._context.report(
                    "misconfigured", f"public_url is {given!r}: {_NEEDED}" if given else _NEEDED
                )
            await asyncio.Event().wait()
        finally:
            self._endpoint.close()
