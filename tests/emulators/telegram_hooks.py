"""The webhook as Telegram keeps it: one address, a secret, retries, and what went wrong last."""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from tests.emulators.telegram_rules import Refused, number
from tests.emulators.telegram_updates import Signal, Updates
from tests.emulators.wire import Json

__all__ = ["Hooks"]

_PORTS = (443, 80, 88, 8443)
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_CEILING = 64  # times the first delay


class Hooks:
    """One bot's webhook.

    Attributes:
        reach: Where public addresses lead, by `https://host`; the others have no host.
        first: Seconds before an update is posted again; doubles with every failure (a second at Telegram).
        posts: Every post as `(update_id, status)`, in order; 0 where no answer came.
        kind: The content type of the posts.
        mangle: Makes a post's body something else, by `update_id`.
    """

    def __init__(self, updates: Updates, signal: Signal) -> None:
        self.reach: dict[str, str] = {}
        self.first = 0.02
        self.posts: list[tuple[int, int]] = []
        self.kind = "application/json"
        self.mangle: dict[int, bytes] = {}
        self.secret = ""
        self.most = 40
        self.error: tuple[int, str] = (0, "")
        self.strict_pace = True
        self._updates = updates
        self._signal = signal
        self._set_at = float("-inf")
        self._busy: set[str] = set()
        self._delays: dict[int, tuple[float, float]] = {}  # by update: not before, the delay after that

    def set(self, params: Json) -> bool:
        """Take an address; see `setWebhook`."""
        url = str(params.get("url", ""))
        if url:
            self._check(url, params)
        now = time.monotonic()
        if self.strict_pace and now - self._set_at < 1.0:
            raise Refused(429, "Too Many Requests: retry after 1", {"retry_after": 1})
        self._set_at = now
        self.secret = str(params.get("secret_token", ""))
        self.most = number(params.get("max_connections")) or 40
        self.error = (0, "")
        self._delays.clear()
        self._updates.hook(url, params.get("allowed_updates"))
        return True

    def info(self) -> Json:
        """See `getWebhookInfo`."""
        told: Json = {
            "url": self._updates.webhook,
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates),
            "max_connections": self.most,
            "allowed_updates": self._updates.allowed,
        }
        at, message = self.error
        return told | ({"last_error_date": at, "last_error_message": message} if message else {})

    async def run(self) -> None:
        """Post what waits, each chat's in order, until cancelled."""
        async with (
            httpx.AsyncClient(trust_env=False, timeout=5.0, verify=False) as client,  # noqa: S501  # loopback
            asyncio.TaskGroup() as posts,
        ):
            while True:
                await self._signal.wait(self.first)
                if not self._updates.webhook:
                    continue
                for update in self._due():
                    posts.create_task(self._post(client, update))

    def _due(self) -> list[Json]:
        now = time.monotonic()
        found: list[Json] = []
        passed: set[str] = set()
        for update in self._updates.waiting():
            queue = _queue(update)
            free = queue not in self._busy and queue not in passed
            passed.add(queue)
            if not free or len(self._busy) >= self.most:
                continue
            if self._delays.get(_id(update), (0.0, 0.0))[0] <= now:
                self._busy.add(queue)
                found.append(update)
        return found

    async def _post(self, client: httpx.AsyncClient, update: Json) -> None:
        url, status, wrong = self._updates.webhook, 0, ""
        parts = urlsplit(url)
        base = self.reach.get(f"{parts.scheme}://{parts.netloc}")
        headers = {"content-type": self.kind, "host": parts.netloc}
        if self.secret:
            headers["x-telegram-bot-api-secret-token"] = self.secret
        body = self.mangle.get(_id(update)) or json.dumps(update).encode()
        try:
            if base is None:
                wrong = f"Failed to resolve host: {parts.hostname}"
            else:
                answer = await client.post(f"{base}{parts.path}", content=body, headers=headers)
                status = answer.status_code
                if not 200 <= status < 300:
                    wrong = f"Wrong response from the webhook: {status} {answer.reason_phrase}"
        except httpx.HTTPError as exc:
            wrong = f"Connection failed: {type(exc).__name__}"
        self.posts.append((_id(update), status))
        self._over(update, wrong)

    def _over(self, update: Json, wrong: str) -> None:
        self._busy.discard(_queue(update))
        if wrong:
            self.error = (int(time.time()), wrong)
            _, delay = self._delays.get(_id(update), (0.0, self.first))
            later = min(delay * 2, self.first * _CEILING)
            self._delays[_id(update)] = (time.monotonic() + delay, later)
        else:
            self._updates.done(update)
        self._signal.wake()

    def _check(self, url: str, params: Json) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https":
            raise Refused(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook")
        if (parts.port or 443) not in _PORTS:
            raise Refused(
                400, "Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"
            )
        secret = params.get("secret_token")
        if secret and not _SECRET.fullmatch(str(secret)):
            raise Refused(400, "Bad Request: secret token contains unallowed characters")
        if "max_connections" in params and not 1 <= number(params["max_connections"]) <= 100:
            raise Refused(400, "Bad Request: max_connections is out of range")


def _id(update: Json) -> int:
    return number(update.get("update_id"))


def _queue(update: Any) -> str:
    """Updates of one chat are posted one after the other."""
    for value in cast("Json", update).values():
        inner: Any = cast("Json", value).get("message", value) if isinstance(value, dict) else None
        chat: Any = cast("Json", inner).get("chat") if isinstance(inner, dict) else None
        if isinstance(chat, dict):
            return str(cast("Json", chat).get("id"))
    return f"update {_id(update)}"
