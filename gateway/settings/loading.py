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

__all__ = ["PLATFORM_VARIABLES", "OptionsOf", "from_environment", "load"]


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


PLATFORM_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "telegram": {"token": "TELEGRAM_TOKEN", "api_base": "TELEGRAM_API_BASE"},
    "slack": {"token": "SLACK_BOT_TOKEN", "app_token": "SLACK_APP_TOKEN", "api_base": "SLACK_API_BASE"},
    "discord": {"token": "DISCORD_TOKEN", "api_base": "DISCORD_API_BASE"},
}
"""By platform and key of a bot, the variable it is looked for in; a platform's first one decides."""


def from_environment(env: Mapping[str, str], *, options: OptionsOf) -> Settings | None:
    """A paired bot for each platform whose token is set, answered by `LASTWORD_MODEL`.

    `None` where no token is set. The variables are `TELEGRAM_TOKEN`, `DISCORD_TOKEN`, and `SLACK_BOT_TOKEN`
    with `SLACK_APP_TOKEN`; `PORT` is the server's. The bots tell endings, as the files that `check` and the
    examples show do.

    Raises:
        ConfigError: A variable is missing or wrong.
    """
    problems = Problems()
    bots: dict[str, Data] = {}
    for platform, variables in PLATFORM_VARIABLES.items():
        given: dict[str, Data] = {key: env[name] for key, name in variables.items() if env.get(name)}
        if "token" in given:
            bots[platform] = {
                "platform": platform,
                "agent": "model",
                "surface_completion_reason": True,
                **given,
            }
            problems.hide(str(given["token"]))
    if not bots:
        return None
    model = env.get("LASTWORD_MODEL", "")
    if not model:
        told = "LASTWORD_MODEL is not set: set it beside the token, such as openai-chat:gpt-5-mini"
        raise ConfigError([f"environment: {told}"])
    data: dict[str, Data] = {"version": 1, "agents": {"model": {"model": model}}, "bots": bots}
    if env.get("PORT"):
        data["server"] = {"port": env["PORT"]}
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
