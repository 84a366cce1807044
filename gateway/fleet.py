"""The bots of one process: built, kept running, and replaced while it runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.routing import BaseRoute

from gateway.abc.adapter import Adapter, AdapterState
from gateway.abc.agent import Agent
from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.building import agents_of, build_agent, build_bot
from gateway.errors import AdapterError, LastwordError, Unauthorised
from gateway.observability import get_logger
from gateway.session import Bot, Intake, RunningTurns
from gateway.settings import AgentSettings, BotSettings, Settings

__all__ = ["Fleet", "Standing"]

_RESTART_CEILING = 30.0  # seconds between two starts of an adapter that keeps breaking
_PROBE = 20.0  # seconds a new connection may take to say who it is
_CLOSE = 5.0  # seconds anything may take to let go of what it holds
_LAST_TURNS = 3_600.0  # seconds that turns of a replaced agent may still take


_Parts = tuple[BotSettings, tuple[AgentSettings, ...]]


@dataclass(slots=True)
class Standing:
    """How an adapter stands."""

    state: AdapterState = "connecting"
    detail: str = ""


@dataclass(slots=True)
class Fleet:
    """Every bot that runs here.

    Args:
        settings: What they are made of; the settings of the last reload once there was one.
        intake: Makes the door that a bot's messages come in by.
        reported: Told when the state of a connection changes.
        connected: Told of each bot that begins to run.

    Attributes:
        bots: By name.
        standings: How each bot's connection stands.
    """

    settings: Settings
    store: Store
    clock: Clock
    running: RunningTurns
    intake: Callable[[str], Intake]
    connected: Callable[[Bot], None] = lambda _: None
    bots: dict[str, Bot] = field(default_factory=dict[str, Bot])
    standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    _agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    _receiving: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])
    _retiring: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])
    _agents_of: dict[str, AgentSettings] = field(default_factory=dict[str, AgentSettings])
    _made: dict[str, _Parts] = field(default_factory=dict[str, "_Parts"])  # what each bot was built of
    _reloading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def build(self) -> None:
        """Build everything, before anything runs.

        Raises:
            ConfigError: A bot's own texts are not right.
            PluginError: Something is not installed.
            AgentError: An agent cannot be built.
        """
        for chosen in self.settings.bots.values():
            for name in agents_of(chosen):
                if name not in self._agents:
                    self._agents[name] = build_agent(self.settings, name)
                    self._agents_of[name] = self.settings.agents[name]
            self.bots[chosen.name] = self._built(self.settings, chosen, self._agents)
            self._made[chosen.name] = _parts(self.settings, chosen)

    def start(self) -> None:
        """Begin to receive."""
        for bot in self.bots.values():
            self._connect(bot)

    async def stop_receiving(self) -> None:
        """Receive nothing more."""
        for task in self._receiving.values():
            task.cancel()
        await asyncio.gather(*self._receiving.values(), return_exceptions=True)

    async def close(self) -> None:
        """Let go of everything."""
        for task in (*self._receiving.values(), *self._retiring):
            task.cancel()
        await asyncio.gather(*self._receiving.values(), *self._retiring, return_exceptions=True)
        owned: list[Adapter | Agent] = [*(bot.adapter for bot in self.bots.values()), *self._agents.values()]
        for one in owned:
            await _let_go(one)

    def routes(self) -> Sequence[BaseRoute]:
        """What the bots answer on the shared server now."""
        return [route for bot in self.bots.values() for route in bot.adapter.routes()]

    def share(self, bot: str) -> int:
        """How many turns of a bot may run at once."""
        chosen = self.settings.bots.get(bot)
        if chosen is None:
            return 0
        most = self.settings.agents[chosen.agent].max_concurrent
        return min(most, chosen.limits.concurrent or most)

    def status(self) -> dict[str, dict[str, object]]:
        """How each bot stands."""
        return {
            name: {
                "platform": bot.platform,
                "state": self.standings[name].state if name in self.standings else "stopped",
                "detail": self.standings[name].detail if name in self.standings else "",
                "running": self.running.of_bot(name),
            }
            for name, bot in self.bots.items()
        }

    async def reload(self, settings: Settings) -> tuple[str, ...]:
        """Take new settings over, bot by bot; what cannot be taken over stays as it was.

        Returns:
            What was not taken over, and why, a line each; empty when everything was.
        """
        async with self._reloading:
            problems = [*_needs_restart(self.settings, settings)]
            fresh = dict[str, Agent]()
            for chosen in settings.bots.values():
                try:
                    await self._take_over(settings, chosen, fresh)
                except LastwordError as exc:
                    what = "stays as it was" if chosen.name in self.bots else "does not run"
                    problems.append(f"bot {chosen.name!r} {what}: {exc}")
            for name in self.bots.keys() - settings.bots.keys():
                self._made.pop(name, None)
                await self._disconnect(self.bots.pop(name))
            self._retire(settings, fresh)
            self.settings = settings
            return tuple(problems)

    async def _take_over(self, settings: Settings, chosen: BotSettings, fresh: dict[str, Agent]) -> None:
        """Replace one bot where it, or an agent of it, changed."""
        made, parts = self._made.get(chosen.name), _parts(settings, chosen)
        if made == parts:
            return
        agents = {name: self._agent(settings, name, fresh) for name in agents_of(chosen)}
        old = self.bots.get(chosen.name)
        same = made is not None and _same_link(made[0], chosen)
        bot = self._built(settings, chosen, agents, adapter=old.adapter if old is not None and same else None)
        if not same:
            await _probed(bot)
            if old is not None:
                await self._disconnect(old)
        self.bots[chosen.name], self._made[chosen.name] = bot, parts
        if not same:
            self._connect(bot)

    def _agent(self, settings: Settings, name: str, fresh: dict[str, Agent]) -> Agent:
        """The agent of a name: the one that runs where nothing of it changed, else a new one."""
        if self._agents_of.get(name) == settings.agents[name]:
            return self._agents[name]
        if name not in fresh:
            fresh[name] = build_agent(settings, name)
        return fresh[name]

    def _retire(self, settings: Settings, fresh: dict[str, Agent]) -> None:
        """Put new agents in the place of old ones, and let go of those that no bot asks any more."""
        before = list(self._agents.values())
        self._agents.update(fresh)
        asked = {
            id(agent)
            for bot in self.bots.values()
            for agent in (bot.agent, *(route.seat.agent for route in bot.routes))
        }
        self._agents_of.update({name: settings.agents[name] for name in fresh})
        self._agents = {name: agent for name, agent in self._agents.items() if id(agent) in asked}
        self._agents_of = {name: made for name, made in self._agents_of.items() if name in self._agents}
        for agent in (*before, *fresh.values()):
            if id(agent) not in asked:
                task = asyncio.create_task(self._close_after_turns(agent), name="agent retiring")
                self._retiring.add(task)
                task.add_done_callback(self._retiring.discard)

    async def _close_after_turns(self, agent: Agent) -> None:
        """Let go of an agent once the turns that began before now have ended."""
        turns = self.running.now()
        until = self.clock.monotonic() + _LAST_TURNS
        while turns & self.running.now() and self.clock.monotonic() < until:
            await self.clock.sleep(0.2)
        await _let_go(agent)

    def _built(
        self,
        settings: Settings,
        chosen: BotSettings,
        agents: dict[str, Agent],
        *,
        adapter: Adapter | None = None,
    ) -> Bot:
        return build_bot(settings, chosen, agents=agents, store=self.store, clock=self.clock, adapter=adapter)

    def _connect(self, bot: Bot) -> None:
        self.standings[bot.name] = Standing()
        task = asyncio.create_task(self._receive(bot), name=f"receive {bot.name}")
        self._receiving[bot.name] = task
        self.connected(bot)

    async def _disconnect(self, bot: Bot) -> None:
        task = self._receiving.pop(bot.name, None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self.standings.pop(bot.name, None)
        await _let_go(bot.adapter)

    async def _receive(self, bot: Bot) -> None:
        """Keep one adapter running; its trouble stays its own."""
        log = get_logger("adapter").bind(bot=bot.name)
        intake = self.intake(bot.name)
        delay = 1.0
        while True:
            began = self.clock.monotonic()
            try:
                await bot.adapter.run(intake)
            except Unauthorised as exc:
                intake.report("misconfigured", str(exc))
                return
            except Exception:
                log.exception("adapter.broke")
                intake.report("deaf", "the connection broke; starting it again")
            else:
                return
            delay = 1.0 if self.clock.monotonic() - began > 60 else min(delay * 2, _RESTART_CEILING)
            await self.clock.sleep(delay)


def _parts(settings: Settings, bot: BotSettings) -> _Parts:
    return bot, tuple(settings.agents[name] for name in agents_of(bot))


def _same_link(before: BotSettings, after: BotSettings) -> bool:
    """Whether the connection can stay."""
    return before.platform == after.platform and before.options == after.options


async def _probed(bot: Bot) -> None:
    """Make sure that a new connection can be had.

    Raises:
        AdapterError: It cannot.
    """
    try:
        async with asyncio.timeout(_PROBE):
            await bot.adapter.probe()
    except TimeoutError:
        await _let_go(bot.adapter)
        raise AdapterError("its platform does not answer") from None
    except AdapterError:
        await _let_go(bot.adapter)
        raise


async def _let_go(owned: Adapter | Agent) -> None:
    with contextlib.suppress(AdapterError, Exception):
        async with asyncio.timeout(_CLOSE):
            await owned.close()


def _needs_restart(before: Settings, after: Settings) -> list[str]:
    """What a running gateway cannot change, a line each."""
    keys = ("store", "server", "public_url")
    return [
        f"{key} changed: restart the gateway" for key in keys if getattr(before, key) != getattr(after, key)
    ]
