"""Run a gateway in this process, with its control socket and its signals."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal

import click
from starlette.routing import BaseRoute

from gateway.admin.control import ControlServer, Handler
from gateway.admin.dead import Picked, work
from gateway.admin.forgetting import asked
from gateway.admin.reloading import Reloader
from gateway.admin.systemd import ServiceManager
from gateway.cli.loading import control_socket
from gateway.errors import LastwordError
from gateway.runtime import Runtime, handle_signals
from gateway.settings import Settings
from gateway.stores import is_shared

__all__ = ["announce", "serve"]

_NOT_UP = "The gateway is starting or stopping; try again in a moment."


def serve(
    settings: Settings,
    *,
    sockets: Sequence[socket.socket] | None = None,
    routes: Sequence[BaseRoute] = (),
    ready: Callable[[str], None] | None = None,
    reload: Callable[[], Settings] | None = None,
) -> None:
    """Run until stopped; returns after a clean stop.

    Args:
        settings: What to run.
        sockets: See `Runtime`.
        routes: See `Runtime`.
        ready: Called with the base address once everything is up.
        reload: Reads the settings anew when their files change; `None` to run on as it is.
    """
    manager = ServiceManager()
    say = ready or announce(settings)

    def up(base: str) -> None:
        say(base)
        manager.ready(f"Answers at {base}")

    runtime = Runtime(settings, sockets=sockets, routes=routes, ready=up)
    with contextlib.suppress(asyncio.CancelledError):
        _runner()(_serve(runtime, reload, manager))


def announce(settings: Settings) -> Callable[[str], None]:
    """Tell where the gateway answers, and where its web chats are."""

    def say(base: str) -> None:
        for bot in settings.bots.values():
            if bot.platform == "local":
                path = getattr(bot.options, "path", "") or f"/chat/{bot.name}"
                click.echo(f"Chat with {bot.name!r} at {base}{path}", err=True)
        click.echo(f"Lastword is running; {base} answers. Stop with Ctrl+C.", err=True)

    return say


def _runner() -> Callable[[Coroutine[Any, Any, None]], None]:
    if sys.platform == "win32":
        return asyncio.run
    try:
        import uvloop
    except ImportError:
        return asyncio.run
    return uvloop.run


async def _serve(runtime: Runtime, reload: Callable[[], Settings] | None, manager: ServiceManager) -> None:
    handle_signals(runtime, stopping=manager.stopping)
    reloader = Reloader(runtime, reload, lambda line: click.echo(line, err=True)) if reload else None
    shared = is_shared(runtime.settings.store)
    path = control_socket(runtime.settings)
    runtime.beside = ControlServer(path, _handlers(runtime, reloader), shared=shared)
    watching = asyncio.create_task(reloader.watch(), name="reload") if reloader is not None else None
    try:
        async with manager:
            await runtime.run()
    finally:
        if watching is not None:
            watching.cancel()


def _handlers(runtime: Runtime, reloader: Reloader | None) -> dict[str, Handler]:
    """What commands may ask of a running gateway."""

    async def pair(request: Mapping[str, object]) -> dict[str, object]:
        return await _pair(runtime, str(request.get("code", "")), str(request.get("bot", "")))

    async def read_anew(_: Mapping[str, object]) -> dict[str, object]:
        if reloader is None:
            raise LastwordError("This gateway was not started from a file; restart it instead.")
        return {"problems": list(await reloader.reload())}

    async def status(_: Mapping[str, object]) -> dict[str, object]:
        return await runtime.status()

    async def dead(request: Mapping[str, object]) -> dict[str, object]:
        return await _dead(runtime, request)

    async def forget(request: Mapping[str, object]) -> dict[str, object]:
        if runtime.fleet is None:
            raise LastwordError(_NOT_UP)
        return {"count": await asked(runtime.fleet.store, request)}

    return {"dead": dead, "forget": forget, "pair": pair, "reload": read_anew, "status": status}


async def _dead(runtime: Runtime, request: Mapping[str, object]) -> dict[str, object]:
    if runtime.fleet is None:
        raise LastwordError(_NOT_UP)
    older = request.get("older", 0.0)
    picked = Picked(
        str(request.get("key", "")),
        str(request.get("bot", "")),
        float(older) if isinstance(older, int | float) else 0.0,
    )
    what: Literal["requeue", "drop"] = "requeue" if request.get("what") == "requeue" else "drop"
    done = await work(runtime.fleet.store, what, picked, bots=frozenset(runtime.bots), clock=runtime.clock)
    return {"count": done.count, "problems": list(done.problems)}


async def _pair(runtime: Runtime, code: str, only: str) -> dict[str, object]:
    for bot in runtime.bots.values():
        if only and bot.name != only:
            continue
        person = await bot.door.approve(code)
        if person is not None:
            return {"bot": bot.name, "person": person.id, "name": person.name}
    raise LastwordError(f"No open pairing request has the code {code!r}; codes work for one hour.")
