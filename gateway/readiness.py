"""Whether this gateway can take messages: its store answers, and its bots hear their platforms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gateway.abc.adapter import AdapterState
from gateway.abc.store import Store
from gateway.errors import StoreError

__all__ = ["Readiness"]

_PATIENCE = 2.0  # seconds the store gets to answer


@dataclass(frozen=True, slots=True)
class Readiness:
    """Answers `/readyz`: 200 when everything is ready, else 503; either way each bot's state, in JSON.

    With `?bots=any` bots are told and not judged, for a load balancer: one bot's wrong token must not take
    the webhooks of all others away.

    Args:
        store: Asked each time.
        states: Each configured bot's state, read anew each time.
    """

    store: Callable[[], Store | None]
    states: Callable[[], Mapping[str, AdapterState]]

    async def answer(self, request: Request) -> Response:
        """Judge the store and the bots."""
        states = self.states()
        kept = await self._keeps()
        judged = request.query_params.get("bots") != "any"
        ready = kept and not (judged and any(state not in _READY for state in states.values()))
        told = {"ready": ready, "store": "up" if kept else "down", "bots": states}
        return JSONResponse(told, status_code=200 if ready else 503)

    async def _keeps(self) -> bool:
        store = self.store()
        if store is None:
            return False
        try:
            async with asyncio.timeout(_PATIENCE):
                await store.get("readiness")
        except (StoreError, TimeoutError):
            return False
        return True


_READY: frozenset[AdapterState] = frozenset({"up", "standby"})
