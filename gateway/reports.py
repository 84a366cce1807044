"""How the bots' connections stand, told as it changes: in the log, to operators, to owners."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping

from gateway.abc.adapter import AdapterState
from gateway.errors import StoreError
from gateway.fleet import Standing
from gateway.observability import get_logger
from gateway.ownership import Ownership
from gateway.session import Alerts, Bot

__all__ = ["Reports"]

_LOOK = 0.05  # seconds between two looks at whether a bot is connected


class Reports:
    """Takes in what adapters say of their connections.

    Where several processes run a bot, the one that leads it speaks of it.

    Args:
        tasks: Owns what is told beside.
        standings: How each bot's connection stands, to be kept in step.
    """

    def __init__(
        self,
        tasks: asyncio.TaskGroup,
        standings: MutableMapping[str, Standing],
        alerts: Alerts,
        ownership: Ownership,
    ) -> None:
        self._tasks = tasks
        self._standings = standings
        self._alerts = alerts
        self._ownership = ownership
        self._greeting: dict[str, asyncio.Task[None]] = {}

    def take(self, name: str, state: AdapterState, detail: str) -> None:
        """Take in what an adapter says."""
        standing = self._standings.setdefault(name, Standing())
        changed = standing.state != state
        leads = self._ownership.leads(name)
        if leads and (changed or state not in ("up", "connecting")):
            self._beside(lambda: self._alerts.stands(name, state))
        if (standing.state, standing.detail) == (state, detail):
            return
        standing.state, standing.detail = state, detail
        log = get_logger("adapter")
        report = log.info if state in ("up", "connecting", "stopped") else log.error
        report("adapter.state_changed", bot=name, state=state, detail=detail)
        if state in ("misconfigured", "conflict"):
            _tell_operator(f"Bot {name!r} does not work: {detail}")

    def greet(self, bot: Bot) -> None:
        """Once a bot that we lead is connected, tell the operator how to claim it; never in the log."""
        before = self._greeting.pop(bot.name, None)
        if before is not None:
            before.cancel()
        task = self._beside(lambda: self._announce(bot))
        if task is not None:
            self._greeting[bot.name] = task

    def close(self) -> None:
        """Wait for nobody any more."""
        for task in self._greeting.values():
            task.cancel()

    async def _announce(self, bot: Bot) -> None:
        if not await self._connected(bot.name):
            return
        code = await bot.door.owner_code()
        if code:
            get_logger("runtime").info("access.owner_code_offered", bot=bot.name)
            claim = f"{bot.adapter.features.command}start {code}"
            _tell_operator(f"Bot {bot.name!r} has no owner yet. Send it this message to claim it: {claim}")

    async def _connected(self, name: str) -> bool:
        """Wait until a bot is connected; whether it is ours to speak of then."""
        while (standing := self._standings.get(name)) is not None and standing.state != "up":  # noqa: ASYNC110  # ends with the bot
            await asyncio.sleep(_LOOK)
        return standing is not None and self._ownership.leads(name)

    def _beside(self, tell: Callable[[], Awaitable[None]]) -> asyncio.Task[None] | None:
        """Let something be told, unless everything is ending."""
        telling = _contained(tell)
        try:
            return self._tasks.create_task(telling)
        except RuntimeError:  # the group takes no more tasks
            telling.close()
            return None


async def _contained(tell: Callable[[], Awaitable[None]]) -> None:
    try:
        await tell()
    except StoreError as exc:
        get_logger("runtime").warning("runtime.not_told", problem=str(exc))


def _tell_operator(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # what the operator must read, on standard output, not in the log
