"""Find out whose token it is, and ask for another one while the platform refuses it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import click
from pydantic import BaseModel, SecretStr

from gateway import plugins
from gateway.cli.asking import TRIES, Interview, wrong_with
from gateway.cli.drafting import reference
from gateway.cli.keeping import Secrets
from gateway.cli.probing import facts_of
from gateway.cli.setup import guide
from gateway.errors import LastwordError, PluginError, Unauthorised
from gateway.observability import register_secret
from gateway.settings import PLATFORM_VARIABLES

__all__ = ["Introduction"]

Facts = Mapping[str, str]


class Introduction:
    """One bot's credentials on their way into a configuration.

    Raises:
        PluginError: There is no such platform.
    """

    def __init__(self, platform: str, interview: Interview, secrets: Secrets) -> None:
        self._platform = platform
        self._interview = interview
        self._secrets = secrets
        self._model: type[BaseModel] = plugins.options_of("adapter", platform)
        self._wanted = [name for name in self._of_secrets() if self._model.model_fields[name].is_required()]

    def made(self, *, token: str, api_base: str, probe: bool) -> tuple[dict[str, str], Facts]:
        """The platform's options as they stand in the file, and what it says about the bot.

        Args:
            token: As it was given; empty to look it up or ask.
            api_base: The platform's server; empty for the usual one.
            probe: Whether the platform may be asked who it is.

        Raises:
            click.ClickException: What was given is wrong, or every try was.
        """
        if token and "token" not in self._wanted:
            raise click.UsageError(f"--token is not for {self._platform}. Nothing was written.")
        more = {"api_base": api_base} if api_base else {}
        for again in range(TRIES if self._wanted and self._interview.asks else 1):
            values = self._secrets_of(token, more, again=again > 0)
            facts, told = self._judged(values | more, probe=probe and bool(self._wanted))
            if not told:
                self._greet(facts)
                return {name: self._kept(name, value) for name, value in values.items()} | more, facts
            click.echo(told, err=True)
        raise click.ClickException("Nothing was written.")

    def _of_secrets(self) -> list[str]:
        return [name for name, key in self._model.model_fields.items() if key.annotation is SecretStr]

    def _secrets_of(self, token: str, more: dict[str, str], *, again: bool) -> dict[str, str]:
        """The secrets that are always needed, and then those that are missed beside them."""
        values = {name: self._secret(name, token, again=again) for name in self._wanted}
        missed = wrong_with(self._model, values | more)
        for name in self._of_secrets():
            if name in missed and name not in values:
                self._wanted.append(name)
                values[name] = self._secret(name, token, again=again)
        return values

    def _secret(self, name: str, token: str, *, again: bool) -> str:
        """A secret: given, kept already, or typed unseen."""
        found = "" if again else self._at_hand(name, token)
        if not found:
            if not self._interview.asks:
                given = ", or give --token" if name == "token" else ""
                raise click.UsageError(f"set {self._variable(name)}{given}. Nothing was written.")
            if not again and name == self._wanted[0] and guide(self._platform):
                click.echo(
                    f"`lastword setup {self._platform}` tells how to get one. What you type is not shown."
                )
            about = (self._model.model_fields[name].description or "").rstrip(".")
            found = self._interview.secret(f"Its {name} ({about})")
        register_secret(found)
        return found

    def _at_hand(self, name: str, token: str) -> str:
        if name == "token" and token:
            return token
        variable = self._variable(name)
        found = self._secrets.find(variable)
        if found:
            click.echo(f"{variable} stands in {self._secrets.home(variable)} and is used.")
        return found

    def _judged(self, values: Mapping[str, str], *, probe: bool) -> tuple[Facts, str]:
        """What the platform says about the bot, and what is wrong with its credentials.

        A line that is down says nothing about them, so they are taken as they are.
        """
        wrong = wrong_with(self._model, values)
        for key in wrong.keys() - set(self._wanted):
            option = f"--{key.replace('_', '-')}"
            raise click.UsageError(
                f"{option} is not for {self._platform}, or is no address. Nothing was written."
            )
        if wrong:
            return {}, "; ".join(f"The {key} {told}." for key, told in wrong.items())
        if not probe:
            return {}, ""
        try:
            options, base = self._model.model_validate(values), self._secrets.file.parent
            return asyncio.run(facts_of(self._platform, options, bot="init", base=base)), ""
        except Unauthorised as exc:
            return {}, f"{exc}."
        except PluginError as exc:
            click.echo(f"{exc}.", err=True)
        except LastwordError as exc:
            told = f"{exc}: the token stays unchecked; `lastword check --probe` asks again."
            click.echo(told, err=True)
        return {}, ""

    def _greet(self, facts: Facts) -> None:
        who = [facts[key] for key in ("name", "address") if key in facts]
        if who:
            click.echo(f"This is {', '.join(who)}.")

    def _kept(self, name: str, value: str) -> str:
        return reference(self._secrets.keep(self._variable(name), value))

    def _variable(self, name: str) -> str:
        known = PLATFORM_VARIABLES.get(self._platform, {})
        return known.get(name, f"{self._platform}_{name}".upper())
