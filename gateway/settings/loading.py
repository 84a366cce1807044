"""Load a configuration: read, fill, merge, validate; every problem of it at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ValidationError

from gateway.errors import ConfigError, PluginError
from gateway.settings.models import AgentSettings, BotSettings, Settings
from gateway.settings.problems import Report, suggestion
from gateway.settings.substitution import read_dotenv, substitute
from gateway.settings.tree import Key, Tree, read

__all__ = ["OptionsOf", "from_environment", "load"]

OptionsOf = Callable[[Literal["adapter", "agent"], str], type[BaseModel]]
Map = dict[str, Any]

_LATER = {
    "alerts", "approvals", "budgets", "delivery", "limits", "logging", "mid_turn", "partitions", "retention",
    "roles", "routes", "schedules", "tools",
}  # fmt: skip
_TOP = {"version", "store", "server", "public_url", "defaults", "agents", "bots", "include"}
_KINDS = (("model", "builtin"), ("target", "python"), ("factory", "python"), ("script", "scripted"))
_AGENT_CORE = frozenset(AgentSettings.model_fields) - {"name", "options"}
_BOT_CORE = frozenset(BotSettings.model_fields) - {"name", "options"}


def load(path: Path, *, options: OptionsOf, env: Mapping[str, str] | None = None) -> Settings:
    """The settings of a file.

    Args:
        path: The file.
        options: Gives the options model of an adapter or agent kind; raises PluginError for unknown ones.
        env: Variables to fill in; the process's own by default.

    Raises:
        ConfigError: With every problem, `file:line:column: path: what, and what to do`.
    """
    tree = _files(path)
    folder = path.resolve().parent
    known = {**read_dotenv(folder / ".env"), **(os.environ if env is None else env)}
    substitute(tree, env=known, base=folder)
    return _Build(tree, folder, options).settings()


def from_environment(env: Mapping[str, str], *, options: OptionsOf) -> Settings | None:
    """One paired Telegram bot from `TELEGRAM_TOKEN` and `LASTWORD_MODEL`; `None` when they are not set.

    Raises:
        ConfigError: They are set, and wrong.
    """
    if not env.get("TELEGRAM_TOKEN") or not env.get("LASTWORD_MODEL"):
        return None
    agent = {"model": env["LASTWORD_MODEL"]}
    bot = {"platform": "telegram", "token": env["TELEGRAM_TOKEN"], "agent": "model"}
    if env.get("TELEGRAM_API_BASE"):
        bot["api_base"] = env["TELEGRAM_API_BASE"]
    data = {
        "version": 1,
        "defaults": {"surface_completion_reason": True},
        "agents": {"model": agent},
        "bots": {"telegram": bot},
    }
    return _Build(Tree(data), Path.cwd(), options).settings()


def _files(path: Path) -> Tree:
    """The file and what it includes, as one tree."""
    tree = read(path, name=str(path))
    data = tree.data
    if not isinstance(data, dict):
        raise ConfigError([f"{path}:1:1: the file must hold keys such as `agents:` and `bots:`"])
    patterns = data.get("include") or []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        for found in sorted(path.resolve().parent.glob(str(pattern))):
            _include(tree, cast("Map", data), read(found, name=str(found)), str(found))
    return tree


def _include(tree: Tree, data: Map, other: Tree, name: str) -> None:
    """Merge an included file: its agents and bots join, anything else is refused."""
    tree.problems += other.problems
    included = other.data if isinstance(other.data, dict) else {}
    for section, entries in cast("Map", included).items():
        if section not in ("agents", "bots") or not isinstance(entries, dict):
            tree.problems.append(
                f"{other.where((section,))}: {section}: an included file holds agents and bots"
            )
            continue
        target = data.setdefault(section, {})
        for key, value in cast("Map", entries).items():
            if key in target:
                where = tree.where((section, key))
                tree.problems.append(
                    f"{other.where((section, key))}: {section}.{key}: stands at {where} already"
                )
            else:
                target[key] = value
    for at, position in other.positions.items():
        tree.positions.setdefault(at, position)
    if not included:
        tree.problems.append(f"{name}:1:1: an included file holds agents and bots")


class _Build:
    """One configuration on its way from data to settings."""

    def __init__(self, tree: Tree, folder: Path, options: OptionsOf) -> None:
        self._tree = tree
        self._data = cast("Map", tree.data)
        self._folder = folder
        self._options = options
        self._report = Report(tree)
        self._agents: dict[str, AgentSettings] = {}
        self._bots: dict[str, BotSettings] = {}

    def settings(self) -> Settings:
        self._unknown((), self._data, _TOP)
        for name, agent in self._section("agents").items():
            self._agent(name, agent, ("agents", name))
        for name, bot in self._section("bots").items():
            self._bot(name, bot)
        if not self._section("bots"):
            self._report.add((), "there are no bots; add `bots:` with one bot at least")
        top = {
            key: value
            for key, value in self._data.items()
            if key in ("version", "store", "server", "public_url")
        }
        if "version" not in self._data:
            self._report.add((), "`version: 1` is missing; add it as the first line")
            top["version"] = 1
        try:
            made = Settings(
                **top, agents=self._agents, bots=self._bots, folder=self._folder, origin=self._tree
            )
        except ValidationError as exc:
            self._report.refused((), exc, _TOP)
            made = None
        if self._report.lines or made is None:
            raise ConfigError(self._report.lines)
        return made

    def _section(self, name: str) -> Map:
        value = self._data.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._report.add((name,), "must hold names with their settings")
            return {}
        return cast("Map", value)

    def _unknown(self, path: tuple[Key, ...], data: Map, known: set[str]) -> None:
        for key in data:
            if key in _LATER and key not in known:
                self._report.add((*path, key), "is reserved for a later version; take it out")
            elif key not in known:
                self._report.add(
                    (*path, key),
                    f"unknown key{suggestion(key, known) or '; known here: ' + ', '.join(sorted(known))}",
                )

    def _agent(self, name: str, value: object, path: tuple[Key, ...]) -> None:
        if not isinstance(value, dict):
            self._report.add(path, "must hold the agent's settings")
            return
        data = cast("Map", value)
        kind = str(data.get("kind") or next((kind for key, kind in _KINDS if key in data), ""))
        if not kind:
            self._report.add(path, "say what kind of agent it is: give it a `model`, a `target`, or a `kind`")
            return
        core = {key: one for key, one in data.items() if key in _AGENT_CORE and key != "kind"}
        rest = {key: one for key, one in data.items() if key not in _AGENT_CORE}
        made = self._validated("agent", kind, rest, path, _AGENT_CORE)
        try:
            self._agents[name] = AgentSettings(name=name, kind=kind, options=made, **core)
        except ValidationError as exc:
            self._report.refused(path, exc, _AGENT_CORE)

    def _bot(self, name: str, value: object) -> None:
        path: tuple[Key, ...] = ("bots", name)
        if not isinstance(value, dict):
            self._report.add(path, "must hold the bot's settings")
            return
        own = cast("Map", value)
        data = _merged(self._section("defaults"), own)
        platform = data.get("platform")
        if not isinstance(platform, str) or not platform:
            self._report.add(path, "`platform` is missing; it is telegram or local")
            return
        data = self._with_agent(name, data, path)
        if platform == "local":
            data["access"] = {"dm": "open"} | cast("Map", data.get("access") or {})
        for key in sorted(set(data) & _LATER):
            self._report.add((*path, key), "is reserved for a later version; take it out")
        core = {key: one for key, one in data.items() if key in _BOT_CORE}
        rest = {key: one for key, one in data.items() if key not in _BOT_CORE | _LATER}
        made = self._validated("adapter", platform, rest, path, _BOT_CORE)
        try:
            self._bots[name] = BotSettings(name=name, options=made, **core)
        except ValidationError as exc:
            self._report.refused(path, exc, _BOT_CORE)

    def _with_agent(self, name: str, data: Map, path: tuple[Key, ...]) -> Map:
        """The bot with its agent by name; one written inline gets the bot's name."""
        agent = data.get("agent")
        if isinstance(agent, dict):
            inline = f"{name}.agent"
            self._agent(inline, cast("Map", agent), (*path, "agent"))
            return data | {"agent": inline}
        if agent is None:
            self._report.add(path, "`agent` is missing; name one of `agents:`, or write one inline")
            return data | {"agent": ""}
        if agent not in self._section("agents"):
            near = suggestion(str(agent), self._section("agents"))
            self._report.add(
                (*path, "agent"), f"there is no agent {str(agent)!r}{near or '; add it under `agents:`'}"
            )
        return data

    def _validated(
        self,
        side: Literal["adapter", "agent"],
        kind: str,
        data: Map,
        path: tuple[Key, ...],
        core: frozenset[str],
    ) -> BaseModel | None:
        try:
            model = self._options(side, kind)
        except PluginError as exc:
            self._report.add((*path, "platform" if side == "adapter" else "kind"), str(exc))
            return None
        names = core | {field.alias or key for key, field in model.model_fields.items()}
        try:
            return model.model_validate(data)
        except ValidationError as exc:
            self._report.refused(path, exc, names)
            return None


def _merged(below: Map, above: Map) -> Map:
    """`above` over `below`: maps merge, anything else replaces."""
    out = dict(below)
    for key, value in above.items():
        lower = out.get(key)
        if isinstance(lower, dict) and isinstance(value, dict):
            out[key] = _merged(cast("Map", lower), cast("Map", value))
        else:
            out[key] = value
    return out
