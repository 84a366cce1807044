"""`lastword schema`: the JSON Schema of configurations, for editors."""

from __future__ import annotations

import json

import click

__all__ = ["command", "text"]


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of configurations."""
    click.echo(text(), nl=False)


def text() -> str:
    """The schema as it is kept in config/bots.schema.json."""
    from gateway import plugins
    from gateway.settings import schema

    made = schema(
        {kind: plugins.options_of("adapter", kind) for kind in plugins.kinds("adapter")},
        {kind: plugins.options_of("agent", kind) for kind in plugins.kinds("agent")},
    )
    return json.dumps(made, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
