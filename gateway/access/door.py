"""Decide whether somebody may talk to a bot, and what to say when not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.access.codes import Codes, folded
from gateway.access.rules import Rules
from gateway.messages import Inbound, Person

__all__ = ["Door", "Verdict"]

_TOLD_FOR = 86_400.0  # seconds between two denials to the same person
_CODE_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether somebody is let in.

    Attributes:
        rule: The rule that decided, for the record, such as `dm:pairing`.
        say: What to tell the person; empty for nothing (they were told, or the agent answers).
        code: The pairing code to tell.
    """

    allowed: bool
    rule: str
    say: Literal["", "denied", "pairing", "paired"] = ""
    code: str = ""


class Door:
    """One bot's door.

    Args:
        rules: What the operator allows.
        bot: The bot's name, under which people are remembered.
    """

    def __init__(self, rules: Rules, store: Store, clock: Clock, bot: str) -> None:
        self._rules = rules
        self._store = store
        self._clock = clock
        self._codes = Codes(store, bot)
        self._prefix = f"access/{bot}/"
        self._let_in: set[str] = set()  # who was found in the store; nobody is taken out while we run

    async def decide(self, inbound: Inbound) -> Verdict:
        """Whether this message is taken."""
        person = inbound.sender.id
        if not inbound.place.private:
            return await self._in_group(inbound)
        if self._rules.dm == "open":
            return Verdict(True, "dm:open")
        if await self._known(person):
            return Verdict(True, f"dm:{self._rules.dm}")
        if self._rules.dm == "off":
            return Verdict(False, "dm:off", await self._once(person))
        if await self._claims(inbound):
            return Verdict(True, "dm:owner_code", "paired")
        if self._rules.dm == "allowlist":
            return Verdict(False, "dm:allowlist", await self._once(person))
        return await self._pairing(inbound)

    async def owner_code(self) -> str:
        """The code that claims the bot, while it needs an owner; empty otherwise."""
        if self._rules.dm in ("open", "off") or self._rules.admins:
            return ""
        if await self._store.get(f"{self._prefix}owner") is not None:
            return ""
        return await self._codes.owner()

    async def approve(self, code: str) -> Person | None:
        """Let the person in who was shown a code; `None` when it is not open."""
        person = await self._codes.redeem(code)
        if person is not None:
            await self._let(person)
        return person

    async def is_admin(self, person: str) -> bool:
        """Whether somebody may approve others and stop their turns."""
        if person in self._rules.admins:
            return True
        owner = await self._store.get(f"{self._prefix}owner")
        return owner is not None and msgspec.json.decode(owner, type=Person).id == person

    async def _in_group(self, inbound: Inbound) -> Verdict:
        """In a group: everybody of a listed or open one, else only who may write in private."""
        if self._rules.dm == "open" or inbound.place.chat in self._rules.allow:
            return Verdict(True, "groups:open")
        if await self._known(inbound.sender.id):
            return Verdict(True, "groups:known")
        return Verdict(False, "groups:unknown", await self._once(f"{inbound.place.chat}/{inbound.sender.id}"))

    async def _known(self, person: str) -> bool:
        if person in self._let_in or person in self._rules.allow or person in self._rules.admins:
            return True
        if self._rules.dm == "off":
            return await self.is_admin(person)
        if await self._store.get(f"{self._prefix}person/{person}") is None:
            return False
        self._let_in.add(person)
        return True

    async def _claims(self, inbound: Inbound) -> bool:
        """Whether this message carries the owner's code, and takes the bot."""
        text = inbound.text
        if not await self.owner_code() or len(folded(text)) != _CODE_LENGTH:
            return False
        if not await self._codes.may_try(inbound.sender.id) or not await self._codes.spend_owner(text):
            return False
        await self._store.set(f"{self._prefix}owner", msgspec.json.encode(inbound.sender))
        await self._let(inbound.sender)
        return True

    async def _let(self, person: Person) -> None:
        await self._store.set(f"{self._prefix}person/{person.id}", msgspec.json.encode(person))
        self._let_in.add(person.id)

    async def _pairing(self, inbound: Inbound) -> Verdict:
        person = inbound.sender
        told = f"{self._prefix}told/{person.id}"
        code = await self._codes.offer(person)
        if not code:
            return Verdict(False, "dm:pairing", await self._once(person.id))
        if await self._store.get(told) == code.encode() and inbound.command != "start":
            return Verdict(False, "dm:pairing")
        await self._store.set(told, code.encode(), ttl=_TOLD_FOR)
        return Verdict(False, "dm:pairing", "pairing", code)

    async def _once(self, who: str) -> Literal["", "denied"]:
        """`denied` the first time within the period, then nothing."""
        key = f"{self._prefix}denied/{who}"
        return "denied" if await self._store.swap(key, None, b"1", ttl=_TOLD_FOR) else ""
