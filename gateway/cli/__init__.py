"""The `lastword` command; each subcommand is imported when it runs."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping

import click

from gateway.errors import ConfigError, LastwordError

__all__ = ["COMMANDS", "main"]

COMMANDS: Mapping[str, str] = {
    "init": "Write a first configuration, by three questions.",
    "setup": "Tell what to do on a platform, and what it says about a bot.",
    "demo": "Open a local web chat that shows every way a turn can end.",
    "run": "Run the bots of a configuration.",
    "status": "Tell how the bots of a running gateway stand.",
    "service": "Let systemd keep the gateway running.",
    "reload": "Let the running gateway take a changed configuration over.",
    "check": "Check a configuration, and show what it comes to.",
    "backup": "Copy the store while the gateway runs.",
    "restore": "Put a copy of the store back.",
    "forget": "Remove all that is kept of a person or a chat.",
    "why": "Tell how one turn ended, and why.",
    "turns": "List the last turns.",
    "dead": "Show what nobody got, and deliver or drop it.",
    "pair": "Let the person in who was shown a code.",
    "ask": "Ask an agent once; the exit code says how it ended.",
    "test": "Try an agent of your own before people do.",
    "notes": "Preview every text people read.",
    "classify": "Tell what an answer or error of a provider means.",
    "schema": "Print the JSON Schema of configurations.",
}
_BAD_CONFIG, _FAILED, _INTERRUPTED = 78, 1, 130


class _Lazy(click.Group):
    """Lists commands without importing them; `gateway.cli.NAME` holds each as `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        found = importlib.import_module(f"gateway.cli.{cmd_name}").command
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # click's own signature
    if value:
        from gateway import __version__

        click.echo(f"lastword {__version__}")
        ctx.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def _group() -> None:
    """A chat-bot gateway that never goes quiet."""


def main() -> None:
    """Run the command line and leave with the code that says how it went.

    A traceback shows only where `LASTWORD_DEBUG` is set.
    """
    try:
        code = _group.main(prog_name="lastword", standalone_mode=False)
    except click.ClickException as exc:
        exc.show()
        code = exc.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = _INTERRUPTED
    except ConfigError as exc:
        code = _failed(exc, str(exc), _BAD_CONFIG)
    except LastwordError as exc:
        code = _failed(exc, f"Error: {exc}", _FAILED)
    except Exception as exc:  # noqa: BLE001  # the outermost edge: a traceback tells an operator nothing
        told = f"Lastword broke ({type(exc).__name__}); set LASTWORD_DEBUG=1 to see where."
        code = _failed(exc, told, _FAILED)
    sys.exit(code if isinstance(code, int) else 0)


def _failed(exc: Exception, told: str, code: int) -> int:
    if os.environ.get("LASTWORD_DEBUG"):
        raise exc
    click.echo(told, err=True)
    return code
