"""Hand in what Slack sends, in the order of each channel: kept first, acknowledged after."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gateway.abc.adapter import AdapterContext
from gateway.errors import StoreError, Uncertain
from gateway.messages import Event
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.errors import ODD
from gateway_adapters.slack.inbound import (
    FOREIGN,
    Known,
    Me,
    read_event,
    read_history,
    read_press,
    read_slash,
)
from gateway_adapters.slack.order import Order
from gateway_adapters.slack.people import People
from gateway_adapters.slack.shapes import MALFORMED, mapping, maybe, moment, whole
from gateway_adapters.slack.threads import Threads
from gateway_adapters.slack.wording import mentioned

__all__ = ["Delivery", "Reception", "introduced"]

_UNLISTED = frozenset({"start", "pair"})  # commands that no menu shows
Kind = Literal["events_api", "interactive", "slash_commands"]

_NAMED = 5  # people named in one message whose names are looked up
_FOREIGN = (
    "events of another workspace arrive, which this bot's token is not for: give each workspace an app of its"
    " own, or a bot with the token of that one"
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing that Slack delivers, decoded and as it came."""

    kind: Kind
    payload: object
    raw: bytes


@dataclass(frozen=True, slots=True)
class _Subject:
    """What must be known before a delivery can be read."""

    channel: str = ""
    thread: str = ""
    person: str = ""
    text: str = ""
    at: float = 0.0


async def introduced(api: Api) -> Me:
    """Who the bot is.

    Raises:
        AdapterError: Slack did not tell.
    """
    told = await api.read("auth.test", {})
    me = Me(
        whole(told.get("user_id")),
        whole(told.get("bot_id")),
        whole(told.get("team_id")),
        whole(told.get("enterprise_id")),
        org=told.get("is_enterprise_install") is True,
    )
    if not (me.user and me.home):
        raise Uncertain(ODD, status="auth.test")
    return me


class Reception:
    """Where everything comes in, by whichever way."""

    def __init__(self, context: AdapterContext, me: Me, people: People, threads: Threads) -> None:
        self._context = context
        self._me = me
        self._people = people
        self._threads = threads
        self._order = Order()
        self._warned = False
        self._listed: tuple[Mapping[str, Sequence[tuple[str, str]]], frozenset[str]] | None = None

    async def take(self, delivery: Delivery, *, again: str = "") -> bool:
        """Commit what was delivered; whether it is this bot's to acknowledge.

        Args:
            delivery: What came.
            again: The how many-eth repetition Slack says it is; empty for none.

        Raises:
            StoreError: Nothing is committed; do not acknowledge.
        """
        subject = _subject(delivery)
        async with self._order.turn(subject.channel, subject.at or self._context.clock.time()):
            event = await self._read(delivery, subject)
            await self._commit([event])
        if again:
            self._context.log.info("adapter.delivered_again", repetition=again[:8])
        if event.dropped == FOREIGN:
            self._warn()
            return False
        await self._hear_news(delivery)
        return True

    async def catch_up(self, channel: str, messages: Sequence[object], *, thread: str = "") -> None:
        """Commit messages of a channel's history, oldest first; those that came before are known.

        Raises:
            StoreError: Nothing is committed.
        """
        async with self._order.turn(channel, 0.0):
            known = await self._known(_Subject(channel, thread))
            events = [
                read_history(message, json.dumps(message).encode(), self._me, known, channel=channel)
                for message in messages
            ]
            # A message that nobody here can read was none before it was read again either.
            await self._commit(
                [await self._completed(event) for event in events if event.inbound is not None]
            )

    async def _read(self, delivery: Delivery, subject: _Subject) -> Event:
        if delivery.kind == "interactive":
            return await self._completed(read_press(delivery.payload, delivery.raw, self._me))
        known = await self._known(subject)
        read = read_slash if delivery.kind == "slash_commands" else read_event
        return await self._completed(read(delivery.payload, delivery.raw, self._me, known))

    async def _known(self, subject: _Subject) -> Known:
        joined = bool(subject.thread) and await self._threads.joined(subject.channel, subject.thread)
        return Known(
            joined,
            await self._people.names(sorted(mentioned(subject.text))[:_NAMED]),
            self._names(self._context.menu),
            await self._latest(subject),
        )

    def _names(self, menu: Mapping[str, Sequence[tuple[str, str]]]) -> frozenset[str]:
        """The commands of a menu, which seldom is another than for the message before."""
        if self._listed is None or self._listed[0] is not menu:
            self._listed = (menu, _UNLISTED.union(name for one in menu.values() for name, _ in one))
        return self._listed[1]

    async def _latest(self, subject: _Subject) -> str | None:
        return await self._threads.latest(subject.channel, subject.person) if subject.person else None

    async def _completed(self, event: Event) -> Event:
        inbound = event.inbound
        if inbound is None:
            return event
        spoken = inbound.addressed and inbound.kind != "edit"
        if spoken:
            await self._threads.meet(inbound)
        sender = await self._people.described(inbound.sender, ask=spoken)
        return replace(event, inbound=replace(inbound, sender=sender))

    async def _commit(self, events: Sequence[Event]) -> None:
        fresh = await self._context.accept(events)
        for event, new in zip(events, fresh, strict=True):
            if event.inbound is None:
                continue
            if not new:
                self._context.log.debug("adapter.event_known")
            try:
                await self._threads.seen(event.inbound)
            except StoreError as exc:
                self._context.log.debug("adapter.reading_position_not_kept", problem=type(exc).__name__)

    async def _hear_news(self, delivery: Delivery) -> None:
        """What events tell though nobody says anything in them."""
        try:
            payload = mapping(delivery.payload)
            event = maybe(payload.get("event"))
        except MALFORMED:
            return
        if payload.get("type") == "app_rate_limited":
            self._context.log.warning(
                "adapter.events_held_back", since=str(payload.get("minute_rate_limited"))[:20]
            )
        elif event.get("type") == "user_change":
            await self._people.changed(event.get("user"))
        elif event.get("type") in ("app_uninstalled", "tokens_revoked"):
            self._context.report("misconfigured", "the app was removed from the workspace: install it again")

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            self._context.log.error("adapter.foreign_workspace", problem=_FOREIGN)


def _subject(delivery: Delivery) -> _Subject:
    try:
        payload = mapping(delivery.payload)
        if delivery.kind == "slash_commands":
            return _Subject(whole(payload.get("channel_id")), person=whole(payload.get("user_id")))
        if delivery.kind == "interactive":
            return _Subject(whole(maybe(payload.get("container")).get("channel_id")))
        event = maybe(payload.get("event"))
        inner = mapping(event.get("message") or event)
        words = whole(inner.get("text"))
        at = moment(whole(event.get("ts")) or "0")
        return _Subject(whole(event.get("channel")), whole(inner.get("thread_ts")), text=words, at=at)
    except MALFORMED:
        return _Subject()
