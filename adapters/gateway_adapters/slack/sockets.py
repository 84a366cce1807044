"""Receive by Socket Mode: two connections, of which one always stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, Conflict, Unauthorised
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.bolt import Bolt
from gateway_adapters.slack.link import Link, SocketsOff
from gateway_adapters.slack.standing import Standing

__all__ = ["Sockets"]

_LANES = 2
_PATIENCE = 60.0  # seconds until a socket that Slack does not give is asked for again
_LEAVING = 10.0  # seconds until Slack closes a socket that it asked to be replaced
_SHORTEST = 60  # seconds of life below which a socket is not replaced before its time


class Sockets:
    """The sockets of one bot until cancelled.

    Slack closes each socket after some hours. A new one is open before the old one is closed, and the second
    of the two is replaced for the first time when half of its life is over, so that both never go together.

    Args:
        caught_up: Called when the first socket stands, also after a time when none did.
    """

    def __init__(
        self,
        api: Api,
        context: AdapterContext,
        bolt: Bolt,
        standing: Standing,
        *,
        caught_up: Callable[[], None],
    ) -> None:
        self._api = api
        self._context = context
        self._bolt = bolt
        self._standing = standing
        self._caught_up = caught_up
        self._live: set[Link] = set()
        self._first = asyncio.Event()
        self._detail = ""

    async def run(self) -> None:
        """Receive until cancelled.

        Raises:
            Unauthorised: The app token is wrong.
        """
        refusal: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                for number in range(_LANES):
                    tasks.create_task(self._lane(tasks, number), name=f"slack socket {number}")
        except* Unauthorised as group:
            refusal = group.exceptions[0]
        if refusal is not None:
            raise refusal

    async def _lane(self, tasks: asyncio.TaskGroup, number: int) -> None:
        if number:
            await self._first.wait()
        link = await self._opened()
        life = link.lifetime / 2 if number and link.lifetime >= _SHORTEST else None
        try:
            while True:
                reading = tasks.create_task(self._serve(link))
                try:
                    async with asyncio.timeout(life):
                        await link.over.wait()
                except TimeoutError:
                    self._context.log.debug("adapter.socket_replaced_early")
                life = None
                before, link = link, await self._successor(link)
                tasks.create_task(_retired(before, reading))
        finally:
            await link.close()

    async def _serve(self, link: Link) -> None:
        try:
            await link.serve(self._bolt, kept=self._well, failed=self._standing.ill)
        finally:
            self._live.discard(link)
            self._context.log.info("adapter.socket_closed", why=link.why)

    async def _successor(self, link: Link) -> Link:
        """The socket after one that is over; what Slack does not want now is tried later."""
        refused = link.farewell()
        if refused is not None:
            self._live.discard(link)
            await self._context.clock.sleep(self._refused(refused))
        return await self._opened()

    async def _opened(self) -> Link:
        """A socket that stands, however long it takes.

        Raises:
            Unauthorised: The app token is wrong.
        """
        while True:
            try:
                link = await Link.open(self._api)
            except Unauthorised:
                raise
            except AdapterError as exc:
                wait = self._refused(exc)
            else:
                self._stands(link)
                return link
            await self._context.clock.sleep(wait)

    def _refused(self, exc: AdapterError) -> float:
        """Take note of a socket that could not be had; seconds until the next try."""
        if isinstance(exc, SocketsOff | Conflict):
            if not self._live:
                self._context.report("conflict" if isinstance(exc, Conflict) else "misconfigured", str(exc))
            self._context.log.warning("adapter.socket_refused", problem=str(exc))
            return _PATIENCE
        if self._live:  # the other socket hears everything meanwhile
            self._context.log.warning("adapter.socket_refused", problem=str(exc))
            return 1.0
        return self._standing.ill(exc)

    def _stands(self, link: Link) -> None:
        alone = not self._live
        self._live.add(link)
        self._detail = self._shared(link.connections)
        if self._detail:
            self._context.log.warning("adapter.connections_of_others", problem=self._detail)
        self._well()
        self._first.set()
        if alone:
            self._caught_up()

    def _shared(self, connections: int) -> str:
        """What to tell when others hold connections too, which each get a share of the events."""
        own = len(self._live)
        if connections <= own:
            return ""
        return (
            f"{connections} connections are open for this app token, {own} of them this bot's; the others, of"
            " another process or left by one that was killed, get a share of the events"
        )

    def _well(self) -> None:
        self._standing.well(self._detail)


async def _retired(link: Link, reading: asyncio.Task[None]) -> None:
    """Close a socket that another one stands for, once what is on its way over it has come."""
    try:
        await asyncio.wait({reading}, timeout=_LEAVING if link.why else 0.0)
    finally:
        await link.close()
