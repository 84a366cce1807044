"""One-time codes: short, unambiguous, expiring, and slow to guess."""

from __future__ import annotations

import secrets

import msgspec

from gateway.abc.store import Store
from gateway.messages import Person

__all__ = ["Codes", "folded"]

_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no 0, O, 1, I or L
_LENGTH = 8
_TTL = 3600.0  # seconds a pairing code works
_MOST_PENDING = 100  # open codes of one bot
_MOST_TRIES = 5  # wrong codes of one person within _TTL

_encode = msgspec.json.encode


def folded(text: str) -> str:
    """A code as it is compared: upper case, without blanks and dashes."""
    return "".join(text.upper().split()).replace("-", "")


class Codes:
    """The codes of one bot."""

    def __init__(self, store: Store, bot: str) -> None:
        self._store = store
        self._prefix = f"access/{bot}/"

    async def owner(self) -> str:
        """The code that claims the bot; the same until it is used."""
        key = f"{self._prefix}owner_code"
        known = await self._store.get(key)
        if known is None:
            await self._store.swap(key, None, _fresh().encode())
            known = await self._store.get(key)
        return (known or b"").decode()

    async def spend_owner(self, text: str) -> bool:
        """Whether a text is the owner's code, used up by this call."""
        known = await self._store.get(f"{self._prefix}owner_code")
        if known is None or not secrets.compare_digest(folded(text).encode(), known):
            return False
        return await self._store.swap(f"{self._prefix}owner_code", known, None)

    async def offer(self, person: Person) -> str:
        """A code for somebody who wants in; the same while it works, empty when too many wait."""
        mine = f"{self._prefix}asked/{person.id}"
        known = await self._store.get(mine)
        if known is not None:
            return known.decode()
        if len(await self._store.scan(f"{self._prefix}code/", limit=_MOST_PENDING)) >= _MOST_PENDING:
            return ""
        code = _fresh()
        await self._store.set(f"{self._prefix}code/{code}", _encode(person), ttl=_TTL)
        await self._store.set(mine, code.encode(), ttl=_TTL)
        return code

    async def redeem(self, text: str) -> Person | None:
        """The person a code was offered to; it works once."""
        key = f"{self._prefix}code/{folded(text)}"
        body = await self._store.get(key)
        if body is None or not await self._store.swap(key, body, None):
            return None
        person = msgspec.json.decode(body, type=Person)
        asked = f"{self._prefix}asked/{person.id}"
        await self._store.swap(asked, await self._store.get(asked), None)
        return person

    async def may_try(self, person: str) -> bool:
        """Count a wrong code; `False` when there were too many."""
        key = f"{self._prefix}tries/{person}"
        tries = int(await self._store.get(key) or b"0")
        await self._store.set(key, str(tries + 1).encode(), ttl=_TTL)
        return tries < _MOST_TRIES


def _fresh() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
