"""Make settings of a tree: agents first, then bots with their defaults, then the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path as File
from typing import Literal

from pydantic import BaseModel, SecretStr

from gateway.errors import ConfigError, PluginError
from gateway.settings.kinds import NOT_YET, kind_of
from gateway.settings.models import AgentSettings, BotSettings, Settings
from gateway.settings.origins import origins_of
from gateway.settings.problems import Problems, suggestion
from gateway.settings.tree import Items, Leaf, Mark, Path, Table, Tree, merged
from gateway.settings.vocabulary import AGENT, BOT, TOP, refuse_later, refuse_unknown
from gateway.settings.wording import keys_of, validated, without_nulls

__all__ = ["Assembly", "OptionsOf"]

Side = Literal["adapter", "agent"]
OptionsOf = Callable[[Side, str], type[BaseModel]]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")  # lanes put / and ! behind a bot's name
_KEYS_BELOW = "should hold keys: write them indented below it"


class Assembly:
    """One configuration on its way from a tree to settings.

    Args:
        tree: The whole configuration.
        folder: Where relative paths start from.
        options: Gives the model of a kind's options.
        problems: Takes what is wrong.
    """

    def __init__(self, tree: Table, folder: File, *, options: OptionsOf, problems: Problems) -> None:
        self._folder = folder
        self._options = options
        self._problems = problems
        self._top = refuse_unknown(refuse_later(tree, (), problems, level=""), (), TOP, problems)
        self._defaults = refuse_later(self._section("defaults"), ("defaults",), problems, level="bots")
        self._agents: dict[str, AgentSettings] = {}
        self._bots: dict[str, BotSettings] = {}
        self._effective: dict[str, Tree] = {}
        self._used: set[str] = set(BOT)  # keys of `defaults:` that mean something to some bot

    def settings(self) -> Settings:
        """The settings.

        Raises:
            ConfigError: With every problem found, also those noted before.
        """
        agents = self._section("agents")
        for name, tree in agents.entries.items():
            if self._named(name, agents.keys[name], ("agents", name)):
                self._agent(name, tree, ("agents", name))
        bots = self._section("bots")
        for name, tree in bots.entries.items():
            if self._named(name, bots.keys[name], ("bots", name)):
                self._bot(name, tree)
        if not bots.entries:
            self._problems.add(self._top.mark, (), "there are no bots: add one under `bots:`")
        self._judge_defaults()
        self._judge_tokens()
        self._judge_alerts()
        made = self._whole(bots)
        if made is None or self._problems:
            raise ConfigError(self._problems.lines())
        return made

    def _section(self, name: str) -> Table:
        tree = self._top.entries.get(name)
        if isinstance(tree, Table):
            return tree
        if tree is not None and not (isinstance(tree, Leaf) and tree.value is None):
            self._problems.add(tree.mark, (name,), _KEYS_BELOW)
        return Table(self._top.mark)

    def _named(self, name: str, mark: Mark, path: Path) -> bool:
        if _NAME.fullmatch(name):
            return True
        self._problems.add(mark, path, "is no name: use letters, digits, - and _ only, at most 63")
        return False

    def _whole(self, bots: Table) -> Settings | None:
        effective = Table(bots.mark, self._effective, bots.keys)
        whole = Table(self._top.mark, {**self._top.entries, "bots": effective}, self._top.keys)
        core = without_nulls(self._top.leaving(frozenset({"agents", "bots", "defaults", "include"})))
        if "version" not in core.entries:
            self._problems.add(self._top.mark, (), "`version: 1` is missing: add it as the first line")
        given = {
            "agents": self._agents,
            "bots": self._bots,
            "folder": self._folder,
            "origins": origins_of(whole),
        }
        return validated(Settings, core, (), problems=self._problems, given=given)

    def _agent(self, name: str, tree: Tree, path: Path) -> bool:
        if not isinstance(tree, Table):
            self._problems.add(tree.mark, path, _KEYS_BELOW)
            return False
        kind = kind_of(tree, path, self._problems)
        model = self._model("agent", kind, tree, "kind", path) if kind else None
        if model is None:
            return False
        own = tree.only(keys_of(model))  # a kind's own key wins over a word kept for later
        rest = refuse_later(tree.leaving(keys_of(model)), path, self._problems, level="agents")
        core = without_nulls(refuse_unknown(rest, path, AGENT | keys_of(model), self._problems))
        options = validated(model, own, path, problems=self._problems)
        given = {"name": name, "kind": kind, "options": options}
        made = validated(AgentSettings, core, path, problems=self._problems, given=given)
        if made is not None:
            self._agents[name] = made
        return made is not None

    def _bot(self, name: str, tree: Tree) -> None:
        path: Path = ("bots", name)
        if not isinstance(tree, Table):
            self._problems.add(tree.mark, path, _KEYS_BELOW)
            return
        own = refuse_later(tree, path, self._problems, level="bots")
        platform = own.entries.get("platform") or self._defaults.entries.get("platform")
        kind = platform.value if isinstance(platform, Leaf) else None
        if not isinstance(kind, str) or not kind:
            mark = tree.mark if platform is None else platform.mark
            self._problems.add(
                mark, (*path, "platform"), "is missing: add `platform: telegram`, slack, discord or local"
            )
            return
        model = self._model("adapter", kind, merged(self._defaults, own), "platform", path)
        known = BOT | keys_of(model) if model is not None else BOT
        self._used |= known
        whole = merged(self._defaults.only(known), own)
        if isinstance(whole, Table):
            whole = _token_as(whole, known, path, self._problems)
            self._effective[name] = whole
            self._built(name, kind, model, whole, path)

    def _built(self, name: str, kind: str, model: type[BaseModel] | None, tree: Table, path: Path) -> None:
        core = without_nulls(tree.only(BOT))
        options = None
        if model is not None:
            refuse_unknown(tree, path, BOT | keys_of(model), self._problems)
            own = tree.only(keys_of(model) - BOT)
            options = validated(model, own, path, problems=self._problems)
        given: dict[str, object] = {"name": name, "platform": kind, "options": options}
        if "agent" in core.entries:
            given["agent"] = self._agent_of(name, core.entries["agent"], path)
        core = self._routed(name, core, path)
        if kind == "local":
            core = _opened(core)
        made = validated(BotSettings, core, path, problems=self._problems, given=given)
        if made is not None:
            self._bots[name] = made

    def _routed(self, bot: str, core: Table, path: Path) -> Table:
        """The bot with the agents of its routes named; one written inline is called after the route."""
        routes = core.entries.get("routes")
        if not isinstance(routes, Items):
            return core
        items: list[Tree] = []
        for number, route in enumerate(routes.items):
            tree = route
            if isinstance(route, Table) and "agent" in route.entries:
                mark = route.entries["agent"].mark
                name = self._agent_of(
                    f"{bot}.routes.{number}", route.entries["agent"], (*path, "routes", number)
                )
                tree = Table(route.mark, {**route.entries, "agent": Leaf(mark, name)}, route.keys)
            items.append(tree)
        return Table(core.mark, {**core.entries, "routes": Items(routes.mark, tuple(items))}, core.keys)

    def _agent_of(self, bot: str, tree: Tree, path: Path) -> str:
        """The name of a bot's agent; one written inline is called after the bot."""
        if isinstance(tree, Table):
            self._agent(f"{bot}.agent", tree, (*path, "agent"))
            return f"{bot}.agent"
        name = tree.value if isinstance(tree, Leaf) else None
        if not isinstance(name, str):
            told = "should be the name of an agent, or an agent written here"
            self._problems.add(tree.mark, (*path, "agent"), told)
            return ""
        known = self._section("agents").entries
        if name not in known:
            hint = suggestion(name, known) or "; add it under `agents:`"
            if ":" in name:
                hint = f"; for a model or code, write agent: {{model: {name}}} or agent: {{target: {name}}}"
            self._problems.add(tree.mark, (*path, "agent"), f"there is no agent {name!r}{hint}")
        return name

    def _model(self, side: Side, kind: str, tree: Tree, key: str, path: Path) -> type[BaseModel] | None:
        try:
            return self._options(side, kind)
        except PluginError as exc:
            said = tree.entries.get(key) if isinstance(tree, Table) else None
            mark = tree.mark if said is None else said.mark
            told = str(exc)
            if side == "agent" and kind in NOT_YET:
                told = f"{NOT_YET[kind]} is not available in this version: use model:, target: or factory:"
            self._problems.add(mark, (*path, key), told)
            return None

    def _judge_defaults(self) -> None:
        if self._bots or self._effective:
            refuse_unknown(self._defaults, ("defaults",), frozenset(self._used), self._problems)

    def _judge_alerts(self) -> None:
        alerts = self._top.entries.get("alerts")
        named = alerts.entries.get("bot") if isinstance(alerts, Table) else None
        if isinstance(named, Leaf) and isinstance(named.value, str) and named.value not in self._effective:
            hint = suggestion(named.value, self._effective) or "; name one under `bots:`"
            self._problems.add(named.mark, ("alerts", "bot"), f"there is no bot {named.value!r}{hint}")

    def _judge_tokens(self) -> None:
        """Two bots on one token would take each other's messages."""
        seen: dict[tuple[str, str], str] = {}
        for bot in self._bots.values():
            token = getattr(bot.options, "token", None)
            if not isinstance(token, SecretStr) or not token.get_secret_value():
                continue
            first = seen.setdefault((bot.platform, token.get_secret_value()), bot.name)
            tree = self._effective[bot.name]
            if first != bot.name and isinstance(tree, Table):
                mark = tree.entries.get("token", tree).mark
                told = f"bot {first!r} has the same token: give each bot its own"
                self._problems.add(mark, ("bots", bot.name, "token"), told)


def _token_as(tree: Table, known: frozenset[str], path: Path, problems: Problems) -> Table:
    """The table with `bot_token` under its other name, `token`."""
    if "bot_token" not in tree.entries or "token" not in known:
        return tree
    rest = tree.leaving(frozenset({"bot_token"}))
    if "token" in tree.entries:
        told = "is another name of `token`: keep one of them"
        problems.add(tree.keys["bot_token"], (*path, "bot_token"), told)
        return rest
    entries = {**rest.entries, "token": tree.entries["bot_token"]}
    return Table(tree.mark, entries, {**rest.keys, "token": tree.keys["bot_token"]})


def _opened(core: Table) -> Table:
    """A web chat is the operator's own loopback page, so it is open where nothing else is said."""
    access = core.entries.get("access", Table(core.mark))
    if not isinstance(access, Table) or "dm" in access.entries:
        return core
    opened = Table(access.mark, {**access.entries, "dm": Leaf(core.mark, "open")}, access.keys)
    return Table(core.mark, {**core.entries, "access": opened}, core.keys)
