"""Settings become bots: agents, adapters, doors and texts put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gateway import plugins
from gateway.abc.adapter import Adapter
from gateway.abc.agent import Agent
from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.access import Door
from gateway.errors import ConfigError
from gateway.notes import Notebook, NoteSettings, validate_overrides
from gateway.observability import get_logger
from gateway.session import Bot, Deadlines, Limits, Quota, Reset, Route, Seat
from gateway.settings import AgentSettings, BotSettings, LimitsSettings, RouteSettings, Settings

__all__ = ["agents_of", "build_agent", "build_bot", "check_texts"]


def agents_of(bot: BotSettings) -> tuple[str, ...]:
    """The names of the agents that a bot needs."""
    return tuple(dict.fromkeys((bot.agent, *(route.agent for route in bot.routes if route.agent))))


def build_agent(settings: Settings, name: str) -> Agent:
    """The agent of a name.

    Raises:
        PluginError: What runs it is not installed.
        AgentError: It names something that cannot be built.
    """
    chosen = settings.agents[name]
    agent = plugins.create_agent(chosen.kind, chosen.options, name=name, base=settings.folder)
    for warning in getattr(agent, "warnings", ()):
        get_logger("runtime").warning("agent.warned", agent=name, warning=warning)
    return agent


def check_texts(settings: Settings, chosen: BotSettings) -> None:
    """Judge a bot's own texts.

    Raises:
        ConfigError: With every problem, where it stands.
    """
    problems = [
        f"{settings.where(('bots', chosen.name, 'notes', 'texts', *path))}:"
        f" bots.{chosen.name}.notes.texts.{'.'.join(path)}: {text}"
        for path, text in validate_overrides(chosen.notes.texts)
    ]
    if problems:
        raise ConfigError(problems)


def build_bot(
    settings: Settings,
    chosen: BotSettings,
    *,
    agents: Mapping[str, Agent],
    store: Store,
    clock: Clock,
    adapter: Adapter | None = None,
) -> Bot:
    """The bot of its settings.

    Args:
        settings: The whole configuration.
        chosen: The bot's part of it.
        agents: Every agent that the bot needs.
        store: Where its people are remembered.
        clock: Where time comes from.
        adapter: Its connection, when that is there already.

    Raises:
        ConfigError: A text of its own is not right.
        PluginError: Its platform is not installed.
    """
    check_texts(settings, chosen)
    bot = Bot(
        name=chosen.name,
        platform=chosen.platform,
        adapter=adapter
        or plugins.create_adapter(chosen.platform, chosen.options, bot=chosen.name, base=settings.folder),
        agent=agents[chosen.agent],
        agent_name=chosen.agent,
        door=Door(chosen.access, store, clock, chosen.name),
        notebook=Notebook(chosen.notes.texts, fallback=chosen.fallback_language),
        notes=_notes(chosen),
        language="" if chosen.language == "auto" else chosen.language,
        fallback=chosen.fallback_language,
        deadlines=_deadlines(settings.agents[chosen.agent]),
        streaming=chosen.streaming != "off",
        groups=chosen.access.groups,
        on_restart=chosen.on_restart,
        mid_turn=chosen.mid_turn,
        largest_file=chosen.max_attachment,
        limits=_limits(chosen.limits),
        routes=tuple(_route(settings, chosen, route, agents) for route in chosen.routes),
    )
    return _conversing(bot, chosen)


def _conversing(bot: Bot, chosen: BotSettings) -> Bot:
    """The bot with what it keeps of a conversation, and for how long it owes an answer."""
    return replace(
        bot,
        history=chosen.session.history,
        debounce=chosen.session.debounce,
        scope=chosen.session.scope,
        reset=Reset(chosen.session.reset.idle, chosen.session.reset.daily),
        overhears=chosen.session.group_context,
        ttl=chosen.delivery.ttl,
        late_after=chosen.delivery.late_after,
    )


def _notes(chosen: BotSettings) -> NoteSettings:
    return NoteSettings(
        surface=chosen.surface_completion_reason,
        never_silent=chosen.never_silent,
        contact=chosen.notes.contact,
        reference=chosen.notes.reference,
    )


def _limits(limits: LimitsSettings) -> Limits:
    person, whole = limits.turns_per_person, limits.turns
    return Limits(
        Quota(person.number, person.seconds) if person is not None else None,
        Quota(whole.number, whole.seconds) if whole is not None else None,
        limits.queue,
        limits.concurrent_per_person or 0,
    )


def _route(settings: Settings, bot: BotSettings, route: RouteSettings, agents: Mapping[str, Agent]) -> Route:
    name = route.agent or bot.agent
    seat = Seat(agents[name], name, _deadlines(settings.agents[name]), route.instructions)
    return Route(route.chat, route.topic or "", seat)


def _deadlines(agent: AgentSettings) -> Deadlines:
    return Deadlines(agent.timeout, agent.idle_timeout)
