"""Hand updates in: what they tell of chats is taken note of, the rest is one commit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from gateway.abc.adapter import AdapterContext
from gateway.errors import Uncertain
from gateway.messages import Event, Inbound
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.errors import ODD
from gateway_adapters.telegram.inbound import Me, read_update
from gateway_adapters.telegram.moves import Moves
from gateway_adapters.telegram.news import membership, migration
from gateway_adapters.telegram.shapes import mapping
from gateway_adapters.telegram.wording import Wording

__all__ = ["Reception", "introduced"]

_REMEMBERED = 4096  # messages whose words are known, to tell an edit that changes none


async def introduced(api: Api) -> Me:
    """Who the bot is.

    Raises:
        AdapterError: Telegram did not tell.
    """
    user: object = await api.call("getMe")
    try:
        told = cast("dict[str, object]", user)
        return Me(int(str(told["id"])), str(told.get("username") or ""))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise Uncertain(ODD, status="getMe") from None


class Reception:
    """Where updates come in, by whichever way."""

    def __init__(self, context: AdapterContext, moves: Moves, me: Me) -> None:
        self._context = context
        self._moves = moves
        self._me = me
        self._words: OrderedDict[tuple[str, str], int] = OrderedDict()

    async def take(self, updates: Sequence[tuple[object, bytes]]) -> None:
        """Commit updates, each decoded and as it came, all in one commit.

        A move is kept before the update that tells of it is: once confirmed, nobody tells of it again.

        Raises:
            StoreError: Nothing is committed; do not acknowledge.
        """
        for update, _ in updates:
            await self._hear_news(update)
        events: list[Event] = []
        words: dict[tuple[str, str], int] = {}
        for update, raw in updates:
            events.append(self._event(update, raw, words))
        await self._context.accept(events)
        for key, value in words.items():
            self._words[key] = value
            self._words.move_to_end(key)
        while len(self._words) > _REMEMBERED:
            self._words.popitem(last=False)

    async def _hear_news(self, update: object) -> None:
        moved = migration(update)
        if moved is not None:
            await self._moves.learn(*moved)
        change = membership(update)
        if change is not None:
            self._context.log.info(
                "adapter.membership_changed",
                chat=change.chat,
                private=change.private,
                before=change.before,
                now=change.now,
            )

    def _event(self, update: object, raw: bytes, words: dict[tuple[str, str], int]) -> Event:
        event = read_update(update, raw, self._me)
        inbound = event.inbound
        if inbound is None:
            return event
        if inbound.kind != "action":
            key, now = (inbound.place.chat, inbound.message_id), _reading(update, inbound)
            before = words.get(key, self._words.get(key))
            words[key] = now
            if inbound.kind == "edit" and before == now:
                return Event(raw, dropped="unchanged")
        place = replace(inbound.place, formerly=self._moves.formerly(inbound.place.chat))
        return replace(event, inbound=replace(inbound, place=place))


def _reading(update: object, inbound: Inbound) -> int:
    """A number for what a person reads in a message; another one once that changes."""
    told = mapping(update)
    message = mapping(told["edited_message" if inbound.kind == "edit" else "message"])
    return hash((Wording.of(message).spelt(), *(file.id for file in inbound.attachments)))
