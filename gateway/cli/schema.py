"""`lastword schema`: the JSON Schema of configurations, for editors."""

from __future__ import annotations

import json

import click

__all__ = ["command", "text"]


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of configurations, with every kind that is installed."""
    click.echo(text(), nl=False)


def text(*, shipped_only: bool = False) -> str:
    """The schema; with what ships alone it is what config/bots.schema.json keeps."""
    from gateway import plugins
    from gateway.settings import schema

    made = schema(
        {
            kind: plugins.options_of("adapter", kind)
            for kind in plugins.kinds("adapter", shipped_only=shipped_only)
        },
        {
            kind: plugins.options_of("agent", kind)
            for kind in plugins.kinds("agent", shipped_only=shipped_only)
        },
    )
    return json.dumps(made, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
