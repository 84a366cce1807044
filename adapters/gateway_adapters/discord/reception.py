"""Hand dispatches in: what they tell of servers is taken note of, what people do is committed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from gateway.abc.adapter import AdapterContext
from gateway.messages import Event, Inbound
from gateway_adapters.discord.inbound import INTERACTION, Me, guild_of, handle_of, read_dispatch
from gateway_adapters.discord.languages import Languages
from gateway_adapters.discord.marks import Marks
from gateway_adapters.discord.places import channel_of
from gateway_adapters.discord.shapes import MALFORMED, mapping, snowflake, whole

__all__ = ["Reception"]

_REMEMBERED = 4096  # messages whose words are known, to tell an edit that changes none
_LOCALE, _SERVERS = "locale/", 2500
_DEFAULT = "en-US"  # a server that never chose a language says so too


class Reception:
    """Where dispatches come in, live or caught up on.

    Args:
        greet: Told each command and press once it is kept, and what it is answered by.
    """

    def __init__(
        self, context: AdapterContext, marks: Marks, me: Me, *, greet: Callable[[Inbound, str], object]
    ) -> None:
        self._context = context
        self._marks = marks
        self._me = me
        self._greet = greet
        self._languages = Languages()
        self._words: OrderedDict[str, int] = OrderedDict()
        self._before: list[tuple[str, int]] = []  # words that were known before what is committed now

    async def load(self) -> None:
        """Read what was kept of servers: a session that is gone on with does not tell of them again.

        Raises:
            StoreError: It could not be read.
        """
        for key, value in await self._context.scan(_LOCALE, limit=_SERVERS):
            self._languages.server(key.removeprefix(_LOCALE), value.decode("utf-8", "replace"))

    async def take(self, kind: str, data: object, raw: bytes) -> None:
        """Commit a dispatch that is no message, or take note of it.

        Raises:
            StoreError: It is not kept; try again.
        """
        if kind in ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE"):
            await self._hear_of_server(kind, data)
        elif kind == INTERACTION:
            event = self._event(kind, data, raw)
            await self._commit([event], [guild_of(data)], handle=handle_of(data))
        elif not kind:
            await self._context.accept([Event(raw, dropped="unparsable")])

    async def take_messages(self, messages: Sequence[tuple[str, object, bytes]]) -> None:
        """Commit dispatches of `MESSAGES`, in order, all in one commit.

        Raises:
            StoreError: None is kept; try again.
        """
        events = self._events(messages)
        await self._commit(events, [guild_of(data) for _, data, _ in messages])

    async def catch_up(self, messages: Sequence[tuple[object, bytes]], *, guild: str) -> None:
        """Commit messages of one channel that were missed, oldest first, all in one commit.

        Raises:
            StoreError: None is kept.
        """
        events = self._events([("MESSAGE_CREATE", *one) for one in messages])
        await self._commit(events, [guild] * len(events))

    async def _commit(self, events: Sequence[Event], guilds: Sequence[str], *, handle: str = "") -> None:
        try:
            fresh = await self._context.accept(events)
        except BaseException:
            self._unlearn()
            raise
        self._before.clear()
        for event, guild, new in zip(events, guilds, fresh, strict=True):
            inbound = event.inbound
            if inbound is None:
                continue
            if handle and new:
                self._greet(inbound, handle)
            if inbound.kind != "edit":
                met = inbound.place.private or inbound.addressed
                identity = handle.partition(":")[0] or inbound.message_id
                await self._marks.read(channel_of(inbound.place), identity, guild, known=not met)

    def _events(self, messages: Sequence[tuple[str, object, bytes]]) -> list[Event]:
        try:
            return [self._event(*one) for one in messages]
        except BaseException:
            self._unlearn()
            raise

    def _unlearn(self) -> None:
        """Know of words what was known before them: what comes again is no edit that changes nothing."""
        while self._before:
            message, words = self._before.pop()
            self._words[message] = words

    def _event(self, kind: str, data: object, raw: bytes) -> Event:
        event = read_dispatch(kind, data, raw, self._me)
        inbound = event.inbound
        if inbound is None:
            return event
        if kind != INTERACTION and self._is_unchanged(inbound):
            return Event(raw, dropped="unchanged")
        sender = inbound.sender
        language = self._languages.of(
            sender.id, text=inbound.text, told=sender.language, guild=guild_of(data)
        )
        return replace(event, inbound=replace(inbound, sender=replace(sender, language=language)))

    def _is_unchanged(self, inbound: Inbound) -> bool:
        """Whether an edit leaves the words as they were, which are remembered for a while."""
        now = hash((inbound.command, inbound.text, *(file.id for file in inbound.attachments)))
        before = self._words.get(inbound.message_id)
        self._before.append((inbound.message_id, before or 0))
        self._words[inbound.message_id] = now
        self._words.move_to_end(inbound.message_id)
        if len(self._words) > _REMEMBERED:
            self._words.popitem(last=False)
        return inbound.kind == "edit" and before == now

    async def _hear_of_server(self, kind: str, data: object) -> None:
        try:
            told = mapping(data)
            guild = snowflake(told["id"])
            if kind == "GUILD_DELETE":
                if not told.get("unavailable"):
                    self._context.log.info("adapter.membership_changed", guild=guild, now="left")
                return
            locale = whole(told.get("preferred_locale"))
            chosen = locale != _DEFAULT or "COMMUNITY" in (told.get("features") or ())
        except MALFORMED:
            return
        known = locale if chosen else ""
        if known != self._languages.of_server(guild):
            await self._context.keep(_LOCALE + guild, known.encode())
            self._languages.server(guild, known)
