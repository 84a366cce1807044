"""A person in the web chat, for tests: speaks its HTTP like the page does, and survives gateways."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any, Self

import httpx

Line = dict[str, Any]


class Visitor:
    """One browser; reads what it is shown from the event stream.

    Attributes:
        answers: Everything the bot said, in the order of the transcript.
        previews: Texts it was shown growing.
        chat: The id of its chat, which is its person's too.
        last: The last message it posted.
    """

    def __init__(self, address: str, chat: str, *, language: str = "en") -> None:
        self.answers: list[Line] = []
        self.previews: list[str] = []
        self.address = address
        self.language = language
        self._chat = chat
        self._after = 0
        self.chat = ""
        self.last: dict[str, str] = {}
        self._cookies = httpx.Cookies()
        self._listening: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._post("session", {})
        self._listening = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait({self._listening})

    async def say(self, text: str) -> str:
        """Post a message until the server has it; its id."""
        said = uuid.uuid4().hex
        self.last = {"id": said, "text": text, "language": self.language}
        await self._post("message", self.last)
        return said

    async def repeat(self) -> None:
        """Post the last message again, as a page does that missed the answer."""
        await self._post("message", self.last)

    async def press(self, kind: str) -> None:
        """Press the newest button of a kind."""
        token = next(
            action["token"]
            for answer in reversed(self.answers)
            for action in answer.get("actions", ())
            if action["kind"] == kind
        )
        await self._post("action", {"id": uuid.uuid4().hex, "token": token, "language": self.language})

    async def stop(self) -> None:
        """Press Stop."""
        await self._post("stop", {"id": uuid.uuid4().hex, "language": self.language})

    async def answered(self, count: int, *, timeout: float = 20.0) -> Line:
        """Wait until the bot said so many things; the last of them."""
        await self.until(lambda: len(self.answers) >= count, timeout=timeout)
        return self.answers[count - 1]

    async def until(self, holds: Callable[[], object], *, timeout: float = 20.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout):
            while not holds():
                await asyncio.sleep(0.01)

    async def history(self, address: str = "") -> list[tuple[str, Line]]:
        """The lines, by kind, of a page that is loaded anew, from another address if one is given."""
        lines: list[tuple[str, Line]] = []
        kind = ""
        url = f"{address or self.address}{self._chat}/events"
        async with (
            httpx.AsyncClient(cookies=self._cookies, timeout=10.0) as client,
            client.stream("GET", url) as response,
        ):
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data" and kind == "state":
                    break
                elif name == "data":
                    lines.append((kind, json.loads(value)))
        return lines

    async def _post(self, path: str, body: dict[str, str]) -> None:
        async with asyncio.timeout(30.0):
            while True:
                try:
                    async with httpx.AsyncClient(cookies=self._cookies, timeout=10.0) as client:
                        response = await client.post(f"{self.address}{self._chat}/{path}", json=body)
                        self._cookies.update(client.cookies)
                    if response.status_code < 500:
                        response.raise_for_status()
                        self.chat = str(response.json()["chat"])
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)

    async def _listen(self) -> None:
        while True:
            try:
                await self._stream()
            except httpx.TransportError:
                await asyncio.sleep(0.05)

    async def _stream(self) -> None:
        async with (
            httpx.AsyncClient(cookies=self._cookies, timeout=httpx.Timeout(10.0, read=30.0)) as client,
            client.stream("GET", f"{self.address}{self._chat}/events?after={self._after}") as response,
        ):
            kind = ""
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    self._heard(kind, json.loads(value))

    def _heard(self, kind: str, data: Line) -> None:
        self._after = max(self._after, int(data.get("n", 0)))
        if kind == "answer":
            self.answers.append(data)
        elif kind == "preview":
            self.previews.append(str(data["html"]))
