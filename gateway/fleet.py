"""The bots of one process: built, kept running, and replaced while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field

from starlette.routing import BaseRoute

from gateway.abc.adapter import Adapter, AdapterState, Divisible
from gateway.abc.agent import Agent
from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.building import agents_of, build_agent, build_bot
from gateway.errors import LastwordError, StoreError, Unauthorised
from gateway.links import Made, let_go, made_of, needs_restart, probed, same_link
from gateway.observability import get_logger
from gateway.ownership import Ownership, Sole, Stake
from gateway.session import Bot, Intake, RunningTurns
from gateway.settings import AgentSettings, BotSettings, Settings
from gateway.stakes import stake_of

__all__ = ["Fleet", "Standing"]

_RESTART_CEILING = 30.0  # seconds between two starts of an adapter that keeps breaking
_LAST_TURNS = 3_600.0  # seconds that turns of a replaced agent, or answers of a removed bot, may still take
_LAST_SENDS = 30.0  # seconds a replaced connection may still be sending what was begun
_LOOK = 0.2  # seconds between two looks
_QUIET = 10  # looks that must find a removed bot with nothing to do


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
        connected: Told of each bot that is ours to receive for.
        ownership: Which bots are ours.

    Attributes:
        bots: By name.
        leaving: Bots that were removed and still owe answers, by name; they receive nothing.
        standings: How each bot's connection stands.
    """

    settings: Settings
    store: Store
    clock: Clock
    running: RunningTurns
    intake: Callable[[str], Intake]
    connected: Callable[[Bot], None] = lambda _: None
    ownership: Ownership = field(default_factory=Sole)
    bots: dict[str, Bot] = field(default_factory=dict[str, Bot])
    leaving: dict[str, Bot] = field(default_factory=dict[str, Bot])
    standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    _shares: dict[str, int] = field(default_factory=dict[str, int])  # of bots that leave
    _living: list[Agent] = field(default_factory=list[Agent])  # every agent that was not let go
    _stopping: bool = False
    _agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    _receiving: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])
    _retiring: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])
    _agents_of: dict[str, AgentSettings] = field(default_factory=dict[str, AgentSettings])
    _made: dict[str, Made] = field(default_factory=dict[str, Made])  # what each bot was built of
    _stakes: dict[str, Stake] = field(default_factory=dict[str, Stake])
    _led: set[str] = field(default_factory=set[str])  # bots that are ours to receive for
    _begun: set[str] = field(default_factory=set[str])  # divided bots whose adapters are ready to send
    _replacing: set[str] = field(default_factory=set[str])
    _heeding: asyncio.Lock = field(default_factory=asyncio.Lock)
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
                    self._living.append(self._agents[name])
            self.bots[chosen.name] = self._built(self.settings, chosen, self._agents)
            self._made[chosen.name] = made_of(self.settings, chosen)
            self._stakes[chosen.name] = stake_of(self.settings, chosen, agents_of(chosen))

    async def heed(self) -> None:
        """Receive for the bots that are ours to receive for, and what anybody may receive; nothing else."""
        async with self._heeding:
            for bot in tuple(self.bots.values()):
                if bot.name not in self._replacing:
                    await self._attend(bot)

    async def _attend(self, bot: Bot) -> None:
        leads = self.ownership.leads(bot.name)
        hears = leads or bool(bot.adapter.routes())
        if hears and bot.name not in self._receiving:
            self._connect(bot)
        elif not hears and bot.name in self._receiving:
            await self._deafen(bot)
        self._divide(bot, hears=hears)
        if not leads:
            self._led.discard(bot.name)
        elif bot.name not in self._led:
            self._led.add(bot.name)
            self.connected(bot)

    def _divide(self, bot: Bot, *, hears: bool) -> None:
        """Let an adapter know for which part of its bot it speaks."""
        partitions, held = self._stakes[bot.name].partitions, self.ownership.count(bot.name)
        if not self.ownership.shared or partitions == 1 or not held or not isinstance(bot.adapter, Divisible):
            return
        if not hears and bot.name not in self._begun:
            bot.adapter.begin(self.intake(bot.name))
        self._begun.add(bot.name)
        bot.adapter.share(held / partitions)

    def stakes(self) -> Mapping[str, Stake]:
        """The bots this process is configured with, those included that owe answers still."""
        return self._stakes

    def answering(self) -> Mapping[str, Bot]:
        """The bots that take work: those that run, and those that were removed and owe answers."""
        return {**self.leaving, **self.bots}

    async def stop_receiving(self) -> None:
        """Receive nothing more."""
        self._stopping = True
        for task in self._receiving.values():
            task.cancel()
        await asyncio.gather(*self._receiving.values(), return_exceptions=True)

    async def close(self) -> None:
        """Let go of everything."""
        self._stopping = True
        for task in (*self._receiving.values(), *self._retiring):
            task.cancel()
        await asyncio.gather(*self._receiving.values(), *self._retiring, return_exceptions=True)
        bots = (*self.bots.values(), *self.leaving.values())
        owned: list[Adapter | Agent] = [*(bot.adapter for bot in bots), *self._living]
        for one in owned:
            await let_go(one)

    def routes(self) -> Sequence[BaseRoute]:
        """What the bots answer on the shared server now."""
        return [route for bot in self.bots.values() for route in bot.adapter.routes()]

    def share(self, bot: str) -> int:
        """How many turns of a bot may run at once."""
        chosen = self.settings.bots.get(bot)
        if chosen is None:
            return self._shares.get(bot, 0)
        most = self.settings.agents[chosen.agent].max_concurrent
        return min(most, chosen.limits.concurrent or most)

    def status(self) -> dict[str, dict[str, object]]:
        """How each bot stands."""
        return {name: self._status(bot) for name, bot in self.bots.items()}

    def _status(self, bot: Bot) -> dict[str, object]:
        standing = self._standing(bot.name)
        told: dict[str, object] = {
            "platform": bot.platform,
            "state": standing.state,
            "detail": standing.detail,
            "running": self.running.of_bot(bot.name),
        }
        if self.ownership.shared:
            told["partitions"] = list(self.ownership.queues(bot.name))
        return told

    def states(self) -> dict[str, AdapterState]:
        """Each bot's state; nobody is to send anything to a process that ends."""
        if self._stopping:
            return dict.fromkeys(self.bots, "stopped")
        return {name: self._standing(name).state for name in self.bots}

    def _standing(self, name: str) -> Standing:
        """How a bot stands here: a stand-by hears at most, and somebody else speaks."""
        standing = self.standings.get(name, Standing())
        if self.ownership.leads(name) or standing.state == "misconfigured":
            return standing
        why = self.ownership.why_not(name)
        return Standing("standby", why) if why else Standing("connecting", "nobody holds it yet")

    async def reload(self, settings: Settings) -> tuple[str, ...]:
        """Take new settings over, bot by bot; what cannot be taken over stays as it was.

        Returns:
            What was not taken over, and why, a line each; empty when everything was.

        Raises:
            LastwordError: Everything stops.
        """
        async with self._reloading:
            if self._stopping:
                raise LastwordError("The gateway is stopping; nothing was changed.")
            problems = [*needs_restart(self.settings, settings)]
            fresh = dict[str, Agent]()
            for chosen in settings.bots.values():
                try:
                    await self._take_over(settings, chosen, fresh)
                except LastwordError as exc:
                    problems.append(f"{self._left_at(chosen.name)}: {exc}")
                except Exception as exc:  # noqa: BLE001  # one bot's trouble stays its own
                    get_logger("runtime").exception("runtime.bot_broke", bot=chosen.name)
                    problems.append(f"{self._left_at(chosen.name)}: {type(exc).__name__}; see the log")
            for name in self.bots.keys() - settings.bots.keys():
                self._made.pop(name, None)
                await self._see_off(name)
            self._retire(settings, fresh)
            self.settings = settings
            return tuple(problems)

    def _left_at(self, bot: str) -> str:
        return f"bot {bot!r} {'stays as it was' if bot in self.bots else 'does not run'}"

    async def _take_over(self, settings: Settings, chosen: BotSettings, fresh: dict[str, Agent]) -> None:
        """Replace one bot where it, or an agent of it, changed."""
        made, parts = self._made.get(chosen.name), made_of(settings, chosen)
        if made == parts:
            await self._heard_again(chosen.name)
            return
        agents = {name: self._agent(settings, name, fresh) for name in agents_of(chosen)}
        old = self.bots.get(chosen.name)
        same = made is not None and same_link(made[0], chosen)
        bot = self._built(settings, chosen, agents, adapter=old.adapter if old is not None and same else None)
        if not same:
            await probed(bot)
            self._replacing.add(chosen.name)
        try:
            if old is not None and not same:
                await self._deafen(old)
                self._later(self._close_after_turns(old.adapter, more=_LAST_SENDS), "adapter retiring")
            self.bots[chosen.name], self._made[chosen.name] = bot, parts
            self._stakes[chosen.name] = stake_of(settings, chosen, agents_of(chosen))
        finally:
            self._replacing.discard(chosen.name)
        if not same:
            self._led.discard(chosen.name)
            self._begun.discard(chosen.name)
        await self.heed()

    def _agent(self, settings: Settings, name: str, fresh: dict[str, Agent]) -> Agent:
        """The agent of a name: the one that runs where nothing of it changed, else a new one."""
        if self._agents_of.get(name) == settings.agents[name]:
            return self._agents[name]
        if name not in fresh:
            fresh[name] = build_agent(settings, name)
            self._living.append(fresh[name])
        return fresh[name]

    def _retire(self, settings: Settings, fresh: dict[str, Agent]) -> None:
        """Put new agents in the place of old ones, and let go of those that no bot asks any more."""
        self._agents.update(fresh)
        self._agents_of.update({name: settings.agents[name] for name in fresh})
        self._dismiss()

    def _dismiss(self) -> None:
        """Let go of the agents that no bot asks any more."""
        asked = {
            id(agent)
            for bot in (*self.bots.values(), *self.leaving.values())
            for agent in (bot.agent, *(route.seat.agent for route in bot.routes))
        }
        self._agents = {name: agent for name, agent in self._agents.items() if id(agent) in asked}
        self._agents_of = {name: made for name, made in self._agents_of.items() if name in self._agents}
        gone = [agent for agent in self._living if id(agent) not in asked]
        self._living = [agent for agent in self._living if id(agent) in asked]
        for agent in gone:
            self._later(self._close_after_turns(agent), "agent retiring")

    def _later(self, work: Coroutine[None, None, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    async def _close_after_turns(self, owned: Adapter | Agent, *, more: float = 0.0) -> None:
        """Let go of something once the turns, and the sends, that began before now have ended."""
        turns = self.running.now()
        until = self.clock.monotonic() + _LAST_TURNS
        try:
            while turns & self.running.now() and self.clock.monotonic() < until:
                await self.clock.sleep(_LOOK)
            await self.clock.sleep(more)
        finally:
            await let_go(owned)

    async def _see_off(self, name: str) -> None:
        """Receive nothing more for a bot that was removed; it goes when it owes nobody an answer."""
        self._shares[name] = self.share(name)
        bot = self.leaving[name] = self.bots.pop(name)
        self._led.discard(name)
        await self._deafen(bot)
        self._later(self._leave(bot), f"leaving {name}")

    async def _leave(self, bot: Bot) -> None:
        until = self.clock.monotonic() + _LAST_TURNS
        quiet = 0
        try:
            while quiet < _QUIET and self.clock.monotonic() < until:
                await self.clock.sleep(_LOOK)
                quiet = 0 if await self._owes(bot.name) else quiet + 1
        finally:
            if self.leaving.get(bot.name) is bot:
                del self.leaving[bot.name], self._shares[bot.name]
                if bot.name not in self.bots:
                    del self._stakes[bot.name]
            await let_go(bot.adapter)
            self._dismiss()

    async def _owes(self, bot: str) -> bool:
        """Whether a bot still answers, or has an answer that was not delivered."""
        if self.running.of_bot(bot):
            return True
        try:
            return bool(await self.store.turns(bot=bot, state="finished", limit=1))
        except StoreError:
            return True

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
        if self._stopping:
            return
        self.standings[bot.name] = Standing()
        task = asyncio.create_task(self._receive(bot), name=f"receive {bot.name}")
        self._receiving[bot.name] = task

    async def _heard_again(self, name: str) -> None:
        """Try a connection once more that was given up: what was wrong may have been put right elsewhere."""
        bot, standing = self.bots.get(name), self.standings.get(name)
        if bot is not None and standing is not None and standing.state == "misconfigured":
            self._led.discard(name)
            await self._deafen(bot)
            await self.heed()

    async def _deafen(self, bot: Bot) -> None:
        """Receive nothing more for a bot."""
        task = self._receiving.pop(bot.name, None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self.standings.pop(bot.name, None)

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
