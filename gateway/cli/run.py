"""`lastword run`: run the bots of a configuration."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("run")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--json-logs/--console-logs", default=None, help="Log format; by default JSON unless on a terminal."
)
@click.option("--log-level", default="info", type=click.Choice(["debug", "info", "warning", "error"]))
def command(file: Path | None, *, json_logs: bool | None, log_level: str) -> None:
    """Run the bots of FILE (default: bots.yaml, then config/bots.yaml) until stopped."""
    from gateway import plugins
    from gateway.cli.loading import find_file, load_file, load_last_good
    from gateway.cli.serving import announce, serve
    from gateway.observability import configure_logging
    from gateway.settings import keep_good

    configure_logging(json=json_logs, level=log_level)
    settings, own = load_last_good(file)
    path = find_file(file)
    say = announce(settings)

    def ready(base: str) -> None:
        if own:
            keep_good(settings, options=plugins.options_of)
        say(base)

    serve(settings, ready=ready, reload=None if path is None else lambda: load_file(path))
