"""Decide whether somebody may talk to a bot, and what to say when not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.access.codes import Codes, folded
from gateway.access.loops import Loops
from gateway.access.rules import Rules
from gateway.messages import Inbound, Person

__all__ = ["Door", "Verdict"]

_DENIED_AGAIN = 86_400.0  # seconds between two denials to the same person
_CODE_AGAIN = 60.0  # seconds between two times a person is told their code


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


class _Owner(msgspec.Struct, frozen=True):
    """Who claimed the bot, and with which message, so that a repeat of it gets the same answer."""

    person: Person
    message: str


class Door:
    """One bot's door.

    In private, `off` keeps everybody out, `open` nobody; else admins and listed people are let in, and with
    `pairing` also who was approved by a code. While there is no admin, the first person who sends the
    owner's code becomes it. In a group, a message that the group's mode takes is let in when its sender would
    be in private, when the group is listed, or when the bot is open; codes are never said in a group.
    Other bots are heard only when they are listed, and not when they talk too much.

    Args:
        rules: What the operator allows.
        store: Where people and codes are remembered.
        clock: Where time comes from.
        bot: The bot's name, under which people are remembered.
    """

    def __init__(self, rules: Rules, store: Store, clock: Clock, bot: str) -> None:
        self._rules = rules
        self._store = store
        self._clock = clock
        self._codes = Codes(store, bot)
        self._loops = Loops(clock)
        self._prefix = f"access/{bot}/"
        self._let_in: set[str] = set()  # who was found in the store: nobody is taken out while we run
        self._claimed: _Owner | None = None  # once there is an owner, it stays

    async def decide(self, inbound: Inbound) -> Verdict:
        """Whether this message is taken; asked again for the same message, it says the same again."""
        rules = self._rules
        if inbound.sender.bot and (inbound.sender.id not in rules.allow or self._loops.too_many(inbound)):
            return _refused("bots" if inbound.sender.id not in rules.allow else "bots:loop")
        if not inbound.place.private:
            return await self._in_group(inbound)
        if rules.dm == "off":
            return _refused("dm:off", await self._denied(inbound))
        if rules.dm == "open":
            return _taken("dm:open")
        if await self._claims(inbound):
            return _taken("dm:owner_code", "paired")
        if await self._known(inbound.sender.id):
            return _taken(f"dm:{rules.dm}")
        if rules.dm == "allowlist":
            return _refused("dm:allowlist", await self._denied(inbound))
        return await self._pairing(inbound)

    async def owner_code(self) -> str:
        """The code that claims the bot, while it needs an owner; empty otherwise."""
        if self._rules.dm != "pairing" or self._rules.admins or await self._owner() is not None:
            return ""
        return await self._codes.owner()

    async def approve(self, code: str) -> Person | None:
        """Let the person in who was shown a code; `None` when no open request has it."""
        request = await self._codes.find(code)
        if request is None:
            return None
        await self._let(request.person)
        await self._codes.close(request)
        return request.person

    async def is_admin(self, person: str) -> bool:
        """Whether somebody may approve others and stop their turns."""
        if person in self._rules.admins:
            return True
        owner = await self._owner() if self._rules.dm == "pairing" else None
        return owner is not None and owner.person.id == person

    async def _in_group(self, inbound: Inbound) -> Verdict:
        mode = self._rules.groups
        if mode == "off" or not _meant(inbound, mode):
            return _refused(f"groups:{mode}")
        place = inbound.place
        if self._rules.dm == "open" or {place.chat, place.formerly} & set(self._rules.allow):
            return _taken("groups:open")
        if await self._known(inbound.sender.id):
            return _taken("groups:known")
        return _refused("groups:unknown", await self._denied(inbound) if inbound.addressed else "")

    async def _known(self, person: str) -> bool:
        """Whether somebody is listed, or was let in and the bot still goes by that."""
        if person in self._rules.allow or person in self._rules.admins:
            return True
        if self._rules.dm != "pairing":
            return False
        if person not in self._let_in:
            let_in = await self._store.get(f"{self._prefix}person/{person}") is not None
            if not let_in and not await self.is_admin(person):
                return False
            self._let_in.add(person)
        return True

    async def _claims(self, inbound: Inbound) -> bool:
        """Whether this message carries the owner's code, and by it its sender takes the bot."""
        message = _key(inbound)
        if not await self.owner_code():
            return self._claimed is not None and bool(message) and self._claimed.message == message
        if inbound.kind == "action" or inbound.command not in ("", "start"):
            return False
        if not await self._codes.is_owner(folded(inbound.text), person=inbound.sender.id):
            return False
        owner = msgspec.json.encode(_Owner(inbound.sender, message))
        if not await self._store.swap(f"{self._prefix}owner", None, owner):
            return False
        await self._codes.withdraw_owner()
        return True

    async def _owner(self) -> _Owner | None:
        if self._claimed is None:
            body = await self._store.get(f"{self._prefix}owner")
            if body is not None:
                self._claimed = msgspec.json.decode(body, type=_Owner)
        return self._claimed

    async def _let(self, person: Person) -> None:
        body = msgspec.json.encode({"person": person, "at": self._clock.time()})
        await self._store.set(f"{self._prefix}person/{person.id}", body)
        self._let_in.add(person.id)

    async def _pairing(self, inbound: Inbound) -> Verdict:
        code = await self._codes.offer(inbound.sender)
        if not code:
            return _refused("dm:pairing", await self._denied(inbound))
        asks = inbound.command in ("start", "help")
        if not await self._first(f"coded/{inbound.sender.id}", inbound, within=_CODE_AGAIN) and not asks:
            return _refused("dm:pairing")
        return _refused("dm:pairing", "pairing", code)

    async def _denied(self, inbound: Inbound) -> Literal["", "denied"]:
        """`denied` the first time within a day, then nothing."""
        first = await self._first(f"denied/{inbound.sender.id}", inbound, within=_DENIED_AGAIN)
        return "denied" if first else ""

    async def _first(self, what: str, inbound: Inbound, *, within: float) -> bool:
        """Whether something happens to this message for the first time within so many seconds."""
        key, message = f"{self._prefix}{what}", _key(inbound).encode()
        if await self._store.swap(key, None, message, ttl=within):
            return True
        return bool(message) and await self._store.get(key) == message


def _taken(rule: str, say: Literal["", "paired"] = "") -> Verdict:
    return Verdict(allowed=True, rule=rule, say=say)


def _refused(rule: str, say: Literal["", "denied", "pairing"] = "", code: str = "") -> Verdict:
    return Verdict(allowed=False, rule=rule, say=say, code=code)


def _meant(inbound: Inbound, mode: Literal["mention", "reply", "all"]) -> bool:
    """Whether a group's mode takes a message; commands and presses always speak to the bot."""
    if mode == "all" or inbound.kind == "action":
        return True
    if mode == "reply" and inbound.kind == "message" and not inbound.reply_to:
        return False
    return inbound.addressed


def _key(inbound: Inbound) -> str:
    """A message's own key; empty where its platform gives it none."""
    return f"{inbound.place.chat}/{inbound.message_id}" if inbound.message_id else ""
