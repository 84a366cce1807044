"""A small HTTP/1.1 server whose answers can be spoilt: cut, delayed, held, or never sent."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from email.utils import formatdate
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

import h11

Json = dict[str, Any]


@dataclass(slots=True)
class Request:
    """One request, body decoded into parameters.

    Attributes:
        gone: Whether the client has left.
    """

    method: str
    path: str
    headers: dict[str, str]
    params: Json
    gone: Callable[[], bool]


@dataclass(slots=True)
class Reply:
    """What to answer.

    Attributes:
        cut: Whether the connection is reset instead of an answer.
        raw: The body as it is, in place of JSON.
    """

    status: int = 200
    body: Json = field(default_factory=dict[str, Any])
    cut: bool = False
    raw: bytes | None = None


Answer = Callable[[Request], Awaitable[Reply]]


class Wire:
    """Serves one handler on a loopback port of its own."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._open):
            task.cancel()
        if self._open:
            await asyncio.wait(self._open)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        try:
            await self._converse(reader, writer)
        except (ConnectionError, h11.ProtocolError):
            pass
        except asyncio.CancelledError:
            return
        finally:
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        while True:
            request = await _read(connection, reader)
            if request is None:
                return
            answering = asyncio.ensure_future(self._answer(request))
            try:
                reply = await answering
            except asyncio.CancelledError:
                answering.cancel()
                raise
            if reply.cut:
                _reset(writer)
                return
            body = json.dumps(reply.body).encode() if reply.raw is None else reply.raw
            head = [("content-type", "application/json"), ("content-length", str(len(body)))]
            head.append(("date", formatdate(usegmt=True)))
            writer.write(connection.send(h11.Response(status_code=reply.status, headers=head)) or b"")
            writer.write(connection.send(h11.Data(data=body)) or b"")
            writer.write(connection.send(h11.EndOfMessage()) or b"")
            await writer.drain()
            if connection.our_state is h11.MUST_CLOSE:
                return
            connection.start_next_cycle()


async def _read(connection: h11.Connection, reader: asyncio.StreamReader) -> Request | None:
    head: h11.Request | None = None
    body = b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65_536))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            headers = {name.decode().lower(): value.decode() for name, value in head.headers}
            target = head.target.decode()
            if "://" in target:  # a proxy is told the whole address
                target = f"/{target.split('/', 3)[3]}"
            path, _, query = target.partition("?")
            params: Json = dict(parse_qsl(query, keep_blank_values=True))
            params |= _body(headers.get("content-type", ""), body)
            return Request(head.method.decode(), unquote(path), headers, params, reader.at_eof)
        elif isinstance(event, h11.ConnectionClosed):
            return None


def _body(kind: str, body: bytes) -> Json:
    if kind.startswith("application/json"):
        return dict(json.loads(body or b"{}"))
    if kind.startswith("multipart/form-data"):
        return _fields(kind, body)
    return dict(parse_qsl(body.decode(), keep_blank_values=True))


def _fields(kind: str, body: bytes) -> Json:
    """The fields of a multipart form; a file's content is left as bytes."""
    message = BytesParser(policy=HTTP).parsebytes(f"content-type: {kind}\r\n\r\n".encode() + body)
    fields: Json = {}
    for part in message.iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            fields[name] = content if part.get_filename() else content.decode()
    return fields


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset, as a broken network does."""
    sock = writer.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
