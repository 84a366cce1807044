"""A strict OpenAI chat-completions server on loopback that ends in every way a provider can.

An answer is chosen by `api.next(...)`, else by a marker such as `[[length]]` in the person's last message,
else it repeats that message. What a real server would refuse is refused here too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Self

from tests.emulators.openai_answers import ANSWERS, SECRET, Answer, answer_for
from tests.emulators.openai_rules import RefusedError, check

__all__ = ["ANSWERS", "SECRET", "Answer", "OpenAIEmulator"]


class OpenAIEmulator:
    """The server; `async with OpenAIEmulator() as api`.

    Attributes:
        key: The only API key it takes.
        requests: The bodies of every request that was let in, in order.
        problems: What was wrong with requests that were not.
    """

    def __init__(self, *, key: str = "sk-emulated") -> None:
        self.key = key
        self.requests: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self._queue: list[Answer] = []
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()

    @property
    def base_url(self) -> str:
        """What an operator would write as `base_url`."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}/v1"

    def next(self, *answers: Answer | str) -> None:
        """What the next requests get, whatever they say; a text names one of `ANSWERS`."""
        self._queue += [ANSWERS[answer] if isinstance(answer, str) else answer for answer in answers]

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
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        try:
            asked = check(method=method, path=path, headers=headers, body=body, key=self.key)
        except (RefusedError, KeyError, TypeError, ValueError) as exc:
            self.problems.append(str(exc))
            status = exc.status if isinstance(exc, RefusedError) else 400
            await _whole(writer, status, {"error": {"message": str(exc), "type": "invalid_request_error"}})
            return True
        self.requests.append(asked)
        answer = self._queue.pop(0) if self._queue else answer_for(asked["messages"])
        if answer.hang == "before":
            await reader.read()
            return False
        if answer.status != 200:
            await _whole(writer, answer.status, {"error": answer.error}, answer.headers)
            return True
        if not asked.get("stream"):
            await _whole(writer, 200, _completion(asked, answer), answer.headers)
            return True
        return await self._stream(asked, answer, reader, writer)

    async def _stream(
        self,
        asked: Mapping[str, Any],
        answer: Answer,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for chunk in _chunks(asked, answer):
            await _frame(writer, json.dumps(chunk))
            if answer.pace:
                await asyncio.sleep(answer.pace)
        if answer.hang == "after":
            await reader.read()
            return False
        if answer.cut:
            await asyncio.sleep(0.01)  # what was sent arrives before the line breaks
            writer.transport.abort()
            return False
        await _frame(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def _message(asked: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    text = answer.text if answer.text is not None else str(asked["messages"][-1].get("content"))
    message: dict[str, Any] = {
        "role": "assistant",
        "content": text or None,
        "refusal": answer.refusal or None,
    }
    if answer.thoughts:
        message["reasoning_content"] = answer.thoughts
    if answer.call is not None:
        message["tool_calls"] = [_call(asked, answer.call)]
    return message


def _call(asked: Mapping[str, Any], call: tuple[str, str]) -> dict[str, Any]:
    name, arguments = call
    known = {tool["function"]["name"] for tool in asked.get("tools", ())}
    assert name in known, f"the model was not told of a tool {name!r}"
    number = sum(message["role"] == "tool" for message in asked["messages"])
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _envelope(asked: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_790_000_000, "model": asked["model"]}


def _completion(asked: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(asked, answer), "finish_reason": answer.token, "logprobs": None}
    return _envelope(asked, "chat.completion") | {"choices": [choice], "usage": _USAGE}


def _chunks(asked: Mapping[str, Any], answer: Answer) -> Iterator[dict[str, Any]]:
    message = _message(asked, answer)
    yield _chunk(asked, {"role": "assistant", "content": ""})
    for field in ("reasoning_content", "content", "refusal"):
        for piece in re.findall(r"\s*\S+|\s+$", message.get(field) or ""):
            yield _chunk(asked, {field: piece})
    for call in message.get("tool_calls", ()):
        yield _chunk(asked, {"tool_calls": [{"index": 0, **call}]})
    if answer.error is not None:
        yield {"error": dict(answer.error)}
        return
    if answer.token is not None:
        yield _chunk(asked, {}, token=answer.token)
    if not answer.cut and dict[str, Any](asked.get("stream_options") or {}).get("include_usage"):
        yield _envelope(asked, "chat.completion.chunk") | {"choices": [], "usage": _USAGE}


def _chunk(asked: Mapping[str, Any], delta: dict[str, Any], *, token: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": token, "logprobs": None}
    return _envelope(asked, "chat.completion.chunk") | {"choices": [choice]}


async def _frame(writer: asyncio.StreamWriter, data: str) -> None:
    payload = f"data: {data}\n\n".encode()
    writer.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")
    await writer.drain()


async def _whole(
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


_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
