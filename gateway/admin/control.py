"""The local socket of a running gateway: commands that write go through it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec

from gateway.errors import LastwordError
from gateway.observability import get_logger

__all__ = ["ControlServer", "Handler", "ask", "ask_all", "socket_named", "socket_path"]

_LONGEST = 100  # bytes of a UNIX socket's path that every system takes
_ANSWER = 10.0  # seconds
_LONGEST_ANSWER = 180.0  # seconds any request may take
_LINE = 64 * 1024  # bytes of one request
_BESIDE = 16  # gateways of one configuration on one machine that commands can reach

Handler = Callable[[Mapping[str, object]], Awaitable[dict[str, object]]]


def socket_path(store: Path) -> Path:
    """Where the gateway that holds a store file listens."""
    beside = store.with_name(f"{store.name}.sock")
    if len(os.fsencode(beside)) <= _LONGEST:
        return beside
    return socket_named(str(store))


def socket_named(what: str) -> Path:
    """Where the gateway of this user listens that is known by a name, such as its store's address."""
    digest = hashlib.sha256(os.fsencode(what)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"lastword-{os.getuid()}-{digest}.sock"


def _paths(path: Path) -> Sequence[Path]:
    """Where gateways listen that share a store."""
    return (path, *(path.with_name(f"{path.name}.{number}") for number in range(2, _BESIDE + 1)))


class ControlServer:
    """Answers requests of one JSON object a line, from this user only.

    Args:
        path: The socket's path; removed at the end.
        handlers: What can be asked, by the request's `do`.
        shared: Whether other gateways may use the store, which then listen beside this one.
    """

    def __init__(self, path: Path, handlers: Mapping[str, Handler], *, shared: bool = False) -> None:
        self._path = path
        self._handlers = handlers
        self._shared = shared
        self._lock = -1
        self._server: asyncio.Server | None = None
        self._log = get_logger("admin")

    async def __aenter__(self) -> Self:
        """Listen; whoever holds the store, or the lock beside the socket, takes a leftover away."""
        if self._shared:
            self._path, self._lock = _free_path(self._path)
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._serve, path=str(self._path), limit=_LINE)
        finally:
            os.umask(before)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_LONGEST_ANSWER):
                line = await reader.readline()
                writer.write(msgspec.json.encode(await self._answer(line)) + b"\n")
                await writer.drain()
        except (TimeoutError, OSError, ValueError):
            self._log.warning("admin.request_broke")
        finally:
            await _closed(writer)

    async def _answer(self, line: bytes) -> dict[str, object]:
        try:
            request = msgspec.json.decode(line, type=dict[str, object])
            handler = self._handlers.get(str(request.get("do", "")))
            if handler is None:
                return {"ok": False, "problem": f"unknown request {request.get('do')!r}"}
            return {"ok": True, **await handler(request)}
        except (LastwordError, msgspec.MsgspecError) as exc:
            return {"ok": False, "problem": str(exc)}
        except Exception as exc:  # noqa: BLE001  # whoever asked gets an answer, whatever the handler does
            self._log.exception("admin.request_broke")
            return {"ok": False, "problem": f"the gateway broke on it ({type(exc).__name__}); see its log"}


def _free_path(path: Path) -> tuple[Path, int]:
    """A path that no gateway on this machine listens at, and the lock that keeps it ours.

    Raises:
        LastwordError: So many do already that no command would reach another.
    """
    for one in _paths(path):
        lock = os.open(one.with_name(f"{one.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return one, lock
    raise LastwordError(f"{_BESIDE} gateways of this configuration run on this machine already.")


async def ask(
    path: Path, request: Mapping[str, object], *, patience: float = _ANSWER
) -> dict[str, object] | None:
    """Ask a running gateway, for `patience` seconds at most; `None` when nobody listens.

    Raises:
        LastwordError: It listens but does not answer.
    """
    for one in _paths(path):
        answer = await _ask(one, request, patience)
        if answer is not None:
            return answer
    return None


async def ask_all(
    path: Path, request: Mapping[str, object], *, patience: float = _ANSWER
) -> list[dict[str, object]]:
    """Ask every running gateway of this machine that shares a store; none when nobody listens.

    Raises:
        LastwordError: One listens but does not answer.
    """
    answers = await asyncio.gather(*(_ask(one, request, patience) for one in _paths(path)))
    return [answer for answer in answers if answer is not None]


async def _ask(path: Path, request: Mapping[str, object], patience: float) -> dict[str, object] | None:
    try:
        reader, writer = await asyncio.open_unix_connection(str(path))
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    try:
        async with asyncio.timeout(patience):
            writer.write(msgspec.json.encode(dict(request)) + b"\n")
            await writer.drain()
            line = await reader.readline()
        return msgspec.json.decode(line, type=dict[str, object])
    except (TimeoutError, OSError, msgspec.MsgspecError) as exc:
        raise LastwordError(f"The gateway behind {str(path)!r} does not answer; is it stopping?") from exc
    finally:
        await _closed(writer)


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
