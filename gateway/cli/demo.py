"""`lastword demo`: two bots get one message; see how each ending is told."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from importlib import resources
from pathlib import Path

import click

from gateway.errors import LastwordError

__all__ = ["command"]


@click.command("demo")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="0 takes a free one.",
    show_default="8080, or a free one where that is taken",
)
@click.option("--open/--no-open", "browser", default=None, help="Open a browser; by default on a terminal.")
@click.option(
    "--serve-on", type=int, hidden=True, help="Serve on this inherited socket; used by the supervisor."
)
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), hidden=True)
def command(
    *, host: str, port: int | None, browser: bool | None, serve_on: int | None, folder: Path | None
) -> None:
    """Open a local web chat that shows every way a turn can end; needs no token, key or server."""
    if serve_on is not None and folder is not None:
        _serve(serve_on, folder)
    else:
        sys.exit(_supervise(host, port, browser=_has_screen() if browser is None else browser))


def _supervise(host: str, port: int | None, *, browser: bool) -> int:
    if sys.platform == "win32":
        raise LastwordError(
            "The demo needs Linux or macOS: it hands its socket on when the gateway is killed."
        )
    from gateway.demo.supervisor import PORT, listen, supervise

    listener = listen(host, port)
    taken = listener.getsockname()[1]
    if port is None and taken != PORT:
        click.echo(f"Port {PORT} is taken, so the demo uses {taken}.")
    with tempfile.TemporaryDirectory(prefix="lastword-demo-") as name, listener:
        folder = Path(name)
        text = resources.files("gateway.demo").joinpath("demo.yaml").read_text("utf-8")
        (folder / "bots.yaml").write_text(text, "utf-8")
        address = f"http://{_shown(host)}:{taken}/"
        click.echo(f"The demo is at {address} - stop it with Ctrl+C.")
        if browser:
            click.launch(address)
        code = supervise(
            lambda fd: ["-m", "gateway", "demo", "--serve-on", str(fd), "--folder", str(folder)],
            listener,
            restarted=lambda: click.echo("The gateway was killed; starting it again."),
        )
    if code == 0:
        click.echo("The demo has stopped.")
    return code


def _shown(host: str) -> str:
    """The host as it stands in an address a browser can open."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared, not bound
    return f"[{name}]" if ":" in name else name


def _has_screen() -> bool:
    """Whether somebody sits here who would see a browser open."""
    if not sys.stdout.isatty():
        return False
    if not sys.platform.startswith("linux"):
        return True
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(shown and shutil.which("xdg-open"))


def _serve(fd: int, folder: Path) -> None:
    from gateway.cli.loading import load_file
    from gateway.cli.serving import serve
    from gateway.demo.page import routes
    from gateway.demo.supervisor import stop_with_parent
    from gateway.observability import configure_logging

    configure_logging(level="warning")
    stop_with_parent()
    listener = socket.socket(fileno=fd)
    serve(load_file(folder / "bots.yaml"), sockets=[listener], routes=routes(), ready=lambda _: None)
