"""Load a configuration: gather, merge, validate; every problem of it at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path as File
from typing import cast

from pydantic import BaseModel, SecretStr

from gateway.errors import ConfigError
from gateway.observability import register_secret
from gateway.settings.assembly import Assembly, OptionsOf
from gateway.settings.models import Settings
from gateway.settings.problems import Problems
from gateway.settings.sources import gathered
from gateway.settings.tree import Data, Mark, Table, tree_of

__all__ = ["OptionsOf", "from_environment", "load"]


def load(
    path: File, *, options: OptionsOf, env: Mapping[str, str] | None = None, home: File | None = None
) -> Settings:
    """The settings of a file.

    Secrets in it are masked in every log line from now on.

    Args:
        path: The file; a `.env` beside it is read too.
        options: Gives the model of a kind's options; raises PluginError for a kind that cannot be had.
        env: Variables to fill in; the process's own by default.
        home: Where relative paths start from; the file's folder by default.

    Raises:
        ConfigError: With every problem, `file:line:column: path: what, and what to do`.
    """
    problems = Problems()
    known = os.environ if env is None else env
    tree, files = gathered(path, env=known, problems=problems, home=home)
    made = _assembled(tree, home or path.parent, options, problems)
    return made.model_copy(update={"files": files})


def from_environment(env: Mapping[str, str], *, options: OptionsOf) -> Settings | None:
    """One paired Telegram bot from `TELEGRAM_TOKEN` and `LASTWORD_MODEL`; `None` when no token is set.

    It tells endings, as the files that `check` and the examples show do; `TELEGRAM_API_BASE` is optional.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    token, model = env.get("TELEGRAM_TOKEN", ""), env.get("LASTWORD_MODEL", "")
    if not token:
        return None
    if not model:
        told = "LASTWORD_MODEL is not set: set it beside TELEGRAM_TOKEN, such as openai-chat:gpt-5-mini"
        raise ConfigError([f"environment: {told}"])
    bot: dict[str, Data] = {
        "platform": "telegram",
        "token": token,
        "agent": "model",
        "surface_completion_reason": True,
    }
    if env.get("TELEGRAM_API_BASE"):
        bot["api_base"] = env["TELEGRAM_API_BASE"]
    data: dict[str, Data] = {"version": 1, "agents": {"model": {"model": model}}, "bots": {"telegram": bot}}
    problems = Problems()
    problems.hide(token)
    return _assembled(tree_of(data, Mark("environment")), File(), options, problems)


def _assembled(tree: Table, folder: File, options: OptionsOf, problems: Problems) -> Settings:
    settings = Assembly(tree, folder.resolve(), options=options, problems=problems).settings()
    for options in (
        *(bot.options for bot in settings.bots.values()),
        *(agent.options for agent in settings.agents.values()),
    ):
        _register(options)
    return settings


def _register(value: object) -> None:
    """Mask every secret inside from now on."""
    if isinstance(value, SecretStr):
        register_secret(value.get_secret_value())
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            _register(getattr(value, name))
    elif isinstance(value, Mapping):
        for one in cast("Mapping[object, object]", value).values():
            _register(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in cast("Iterable[object]", value):
            _register(one)
