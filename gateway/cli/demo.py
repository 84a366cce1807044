"""`lastword demo`: two bots get one message; see how each ending is told."""

from __future__ import annotations

import shutil
import socket
import sys
import tempfile
from importlib import resources
from pathlib import Path

import click

__all__ = ["command"]


@click.command("demo")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535))
@click.option("--open/--no-open", "browser", default=None, help="Open a browser; by default on a terminal.")
@click.option(
    "--serve-on", type=int, hidden=True, help="Serve on this inherited socket; used by the supervisor."
)
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), hidden=True)
def command(*, host: str, port: int, browser: bool | None, serve_on: int | None, folder: Path | None) -> None:
    """Open a local web chat that shows every way a turn can end; needs no token, key or server."""
    if serve_on is not None and folder is not None:
        _serve(serve_on, folder)
    else:
        sys.exit(_supervise(host, port, browser=sys.stdout.isatty() if browser is None else browser))


def _supervise(host: str, port: int, *, browser: bool) -> int:
    from gateway.demo.supervisor import listen, supervise

    listener = listen(host, port)
    with tempfile.TemporaryDirectory(prefix="lastword-demo-") as name:
        folder = Path(name)
        text = resources.files("gateway.demo").joinpath("demo.yaml").read_text("utf-8")
        (folder / "bots.yaml").write_text(text, "utf-8")
        address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
        click.echo(f"The demo is at {address} - stop it with Ctrl+C.")
        if browser and shutil.which("xdg-open" if sys.platform.startswith("linux") else sys.executable):
            click.launch(address)
        return supervise(
            lambda fd: ["-m", "gateway", "demo", "--serve-on", str(fd), "--folder", str(folder)], listener
        )


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _serve(fd: int, folder: Path) -> None:
    from gateway.cli.loading import load_file
    from gateway.cli.serving import serve
    from gateway.demo.page import routes
    from gateway.observability import configure_logging

    configure_logging(level="warning")
    listener = socket.socket(fileno=fd)
    serve(load_file(folder / "bots.yaml"), sockets=[listener], routes=routes(), ready=lambda _: None)
