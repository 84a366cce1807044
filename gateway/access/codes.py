"""One-time codes: short, unambiguous, expiring, and too slow to guess."""

from __future__ import annotations

import secrets

import msgspec

from gateway.abc.store import Store
from gateway.messages import Person

__all__ = ["Codes", "Request", "folded"]

_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no 0, O, 1, I or L
_PAIRING_LENGTH = 6  # shown to admins only, who are let in already
_OWNER_LENGTH = 8  # whoever sends it owns the bot
_HOUR = 3600.0  # seconds a pairing code works, and wrong tries are remembered
_MOST_OPEN = 100  # pairing codes of one bot at once
_MOST_TRIES = 5  # wrong owner codes of one person


class Request(msgspec.Struct, frozen=True):
    """Somebody who wants in."""

    code: str
    person: Person


def folded(text: str) -> str:
    """A code as it is compared: upper case, without blanks and dashes."""
    return "".join(text.upper().split()).replace("-", "")


class Codes:
    """The codes of one bot; each is a fact of the store.

    Args:
        bot: The bot's name.
    """

    def __init__(self, store: Store, bot: str) -> None:
        self._store = store
        self._owner = f"access/{bot}/owner_code"
        self._asked = f"access/{bot}/asked/"
        self._tries = f"access/{bot}/tries/"

    async def owner(self) -> str:
        """The code that claims the bot; the same until it is withdrawn."""
        known = await self._store.get(self._owner)
        if known is None:
            await self._store.swap(self._owner, None, _fresh(_OWNER_LENGTH).encode())
            known = await self._store.get(self._owner)
        return (known or b"").decode()

    async def is_owner(self, text: str, *, person: str) -> bool:
        """Whether a text is the owner's code; after five wrong ones, nobody's within an hour."""
        if len(text) != _OWNER_LENGTH or not set(text) <= set(_ALPHABET):
            return False
        key = f"{self._tries}{person}"
        tries = await self._store.get(key)
        if int(tries or b"0") >= _MOST_TRIES:
            return False
        if secrets.compare_digest(text.encode(), (await self.owner()).encode()):
            return True
        await self._store.set(key, str(int(tries or b"0") + 1).encode(), ttl=_HOUR)
        return False

    async def withdraw_owner(self) -> None:
        """Let the owner's code work no more."""
        await self._store.swap(self._owner, await self._store.get(self._owner), None)

    async def offer(self, person: Person) -> str:
        """A code for somebody who wants in; the same for an hour, empty when too many are open."""
        key = f"{self._asked}{person.id}"
        known = await self._store.get(key)
        if known is None:
            if len(await self._store.scan(self._asked, limit=_MOST_OPEN)) >= _MOST_OPEN:
                return ""
            fresh = msgspec.json.encode(Request(_fresh(_PAIRING_LENGTH), person))
            await self._store.swap(key, None, fresh, ttl=_HOUR)
            known = await self._store.get(key)
        return _decoded(known).code if known is not None else ""

    async def find(self, text: str) -> Request | None:
        """The open request with a code."""
        wanted = folded(text).encode("utf-8", "replace")
        found: Request | None = None
        for _, body in await self._store.scan(self._asked, limit=_MOST_OPEN):
            request = _decoded(body)
            if secrets.compare_digest(request.code.encode(), wanted):
                found = request
        return found

    async def close(self, request: Request) -> None:
        """Let a pairing code work no more."""
        await self._store.swap(f"{self._asked}{request.person.id}", msgspec.json.encode(request), None)


def _fresh(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def _decoded(body: bytes) -> Request:
    return msgspec.json.decode(body, type=Request)
