"""The server behind every emulated provider.

An answer is chosen by `api.next(...)`, else by a marker such as `[[length]]` in the person's last message,
else it repeats that message. What a real server would refuse is refused here too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

from tests.emulators.providers.answers import Answer, Asked, Refused, choose

__all__ = ["Dialect", "Emulator", "Request", "frame"]


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; the names of its headers are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        """The body, an object.

        Raises:
            Refused: It is none.
        """
        if not self.headers.get("content-type", "").startswith("application/json"):
            raise Refused(415, "not JSON")
        try:
            asked: object = json.loads(self.body)
        except ValueError as exc:
            raise Refused(400, "unreadable JSON") from exc
        if not isinstance(asked, dict):
            raise Refused(400, "the body is no object")
        return cast("dict[str, Any]", asked)


class Dialect(Protocol):
    """One protocol of a provider.

    Attributes:
        model: What an operator would write as `model`.
        root: The path of what an operator would write as `base_url`.
        answers: What it answers, by name.
        streams: The content type of a stream.
    """

    @property
    def model(self) -> str: ...
    @property
    def root(self) -> str: ...
    @property
    def answers(self) -> Mapping[str, Answer]: ...
    @property
    def streams(self) -> str: ...

    def read(self, request: Request, *, key: str) -> Asked:
        """The request, when everything about it is right.

        Raises:
            Refused: Something is not.
        """
        ...

    def whole(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        """The answer in one piece."""
        ...

    def frames(self, asked: Asked, answer: Answer) -> Iterator[bytes]:
        """The answer as a stream; nothing terminal where it is cut."""
        ...

    def fault(self, status: int, error: Mapping[str, Any]) -> dict[str, Any]:
        """The body of an error."""
        ...

    def refusal(self, refused: Refused) -> Mapping[str, Any]:
        """The error for a request that is not taken."""
        ...


def frame(data: object, *, event: str = "") -> bytes:
    """One server-sent event."""
    named = f"event: {event}\n" if event else ""
    return f"{named}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


class Emulator:
    """The server; `async with Emulator(dialect) as api`.

    Attributes:
        key: The only API key it takes.
        requests: The bodies of every request that was let in, in order.
        problems: What was wrong with requests that were not.
    """

    def __init__(self, dialect: Dialect, *, key: str = "sk-emulated") -> None:
        self.dialect = dialect
        self.key = key
        self.requests: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self._queue: list[Answer] = []
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()

    @property
    def origin(self) -> str:
        """Where the server is, with no path."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    @property
    def base_url(self) -> str:
        """What an operator would write as `base_url`."""
        return self.origin + self.dialect.root

    def next(self, *answers: Answer | str) -> None:
        """What the next requests get, whatever they say; a text names one of the dialect's answers."""
        self._queue += [
            self.dialect.answers[answer] if isinstance(answer, str) else answer for answer in answers
        ]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._lines:
            writer.transport.abort()
        while self._lines:  # each line's own task takes it out
            await asyncio.sleep(0.001)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.add(writer)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            writer.close()
            self._lines.discard(writer)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the line stays open."""
        request = await _receive(reader, writer)
        try:
            asked = self.dialect.read(request, key=self.key)
        except (Refused, KeyError, TypeError, ValueError, AttributeError) as exc:
            refused = exc if isinstance(exc, Refused) else Refused(400, repr(exc))
            self.problems.append(str(refused))
            body = self.dialect.fault(refused.status, self.dialect.refusal(refused))
            await _send(writer, refused.status, body)
            return True
        self.requests.append(asked.body)
        answer = self._queue.pop(0) if self._queue else choose(asked, self.dialect.answers)
        if answer.hang == "before":
            await reader.read()
            return False
        if answer.error is not None and (answer.status != 200 or not asked.streamed):
            body = self.dialect.fault(answer.status, answer.error)
            await _send(writer, answer.status, body, answer.headers)
            return True
        if not asked.streamed:
            return await _piece(self.dialect.whole(asked, answer), answer, reader, writer)
        return await self._stream(asked, answer, reader, writer)

    async def _stream(
        self, asked: Asked, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: {self.dialect.streams}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        writer.write(head.encode())
        for payload in self.dialect.frames(asked, answer):
            writer.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")
            await writer.drain()
            if answer.pace:
                await asyncio.sleep(answer.pace)
        if answer.hang == "after":
            await reader.read()
            return False
        if answer.cut:
            return await _break(writer)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


async def _receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
    if headers.get("expect") == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    path, _, query = target.partition("?")
    return Request(method, path, query, headers, body)


async def _piece(
    body: Mapping[str, Any], answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """An answer in one piece; cut in its middle, or held there."""
    if not (answer.cut or answer.hang):
        await _send(writer, 200, body)
        return True
    payload = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    writer.write(head.encode() + payload[: len(payload) // 2])
    await writer.drain()
    if answer.cut:
        return await _break(writer)
    await reader.read()
    return False


async def _break(writer: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(0.01)  # what was sent arrives before the line breaks
    writer.transport.abort()
    return False


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> None:
    payload = json.dumps(body).encode()
    lines = {"Content-Type": "application/json", "Content-Length": str(len(payload))} | dict(headers or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + payload)
    await writer.drain()
