"""`lastword run`: run the bots of a configuration."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("run")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--json-logs/--console-logs", default=None, help="Log format; by default JSON unless on a terminal."
)
@click.option("--log-level", default="info", type=click.Choice(["debug", "info", "warning", "error"]))
def command(file: Path | None, *, json_logs: bool | None, log_level: str) -> None:
    """Run the bots of FILE (default: bots.yaml, then config/bots.yaml) until stopped."""
    from gateway import plugins
    from gateway.cli.loading import find_file, load_file, load_kept, load_last_good
    from gateway.cli.serving import announce, serve
    from gateway.errors import AgentError, ConfigError, PluginError
    from gateway.observability import configure_logging
    from gateway.settings import keep_good

    configure_logging(json=json_logs, level=log_level)
    settings, own = load_last_good(file)
    path = find_file(file)
    reload = None if path is None else lambda: load_file(path)
    up = False

    def ready(base: str) -> None:
        nonlocal up
        up = True
        if own:
            keep_good(settings, options=plugins.options_of)
        announce(settings)(base)

    try:
        serve(settings, ready=ready, reload=reload)
    except (AgentError, ConfigError, PluginError) as broken:  # it validates, and cannot be built
        kept = load_kept(file, broken) if own and not up else None
        if kept is None:
            raise
        serve(kept, reload=reload)
