"""Who people are: their name and their language, asked of Slack once and kept."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, RateLimited, StoreError
from gateway.messages import Person
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.errors import MissingScope
from gateway_adapters.slack.shapes import MALFORMED, Json, mapping, maybe, whole

__all__ = ["People"]

_REMEMBERED = 4096
_KEPT = 30 * 86_400.0  # seconds; Slack tells of changes, unless it did while nobody listened
_PATIENCE = 1.2  # seconds; a message is acknowledged within three
_AGAIN = 600.0  # seconds until a refusal is put to the test again
_LONGEST = 80  # characters of a name


@dataclass(frozen=True, slots=True)
class _Profile:
    name: str
    language: str


class People:
    """What is known of the people of one workspace."""

    def __init__(self, api: Api, context: AdapterContext) -> None:
        self._api = api
        self._context = context
        self._known: OrderedDict[str, _Profile] = OrderedDict()
        self._asking_from = float("-inf")

    async def described(self, person: Person, *, ask: bool) -> Person:
        """A person with their name and language, as far as that is known.

        Args:
            person: Who.
            ask: Whether Slack is asked about somebody who is not known.
        """
        profile = await self._profile(person.id) or (await self._asked(person.id) if ask else None)
        if profile is None:
            return person
        return replace(person, name=profile.name or person.name, language=profile.language)

    async def names(self, people: Iterable[str]) -> dict[str, str]:
        """What some of them are called."""
        found = {one: await self._profile(one) for one in people}
        return {one: profile.name for one, profile in found.items() if profile is not None and profile.name}

    async def changed(self, user: object) -> None:
        """Take note of a change that Slack tells of; of people who never spoke to the bot nothing is kept."""
        try:
            told = mapping(user)
            person, profile = whole(told["id"]), _read(told)
        except MALFORMED:
            return
        if await self._profile(person) is not None:
            await self._keep(person, profile)

    async def _profile(self, person: str) -> _Profile | None:
        if person in self._known:
            self._known.move_to_end(person)
            return self._known[person]
        try:
            kept = await self._context.recall(f"person/{person}")
        except StoreError:
            return None
        try:
            told = mapping(json.loads(kept or b"null"))
            profile = _Profile(whole(told["name"]), whole(told["language"]))
        except MALFORMED:
            return None
        self._remember(person, profile)
        return profile

    async def _asked(self, person: str) -> _Profile | None:
        now = self._context.clock.monotonic()
        if now < self._asking_from:
            return None
        try:
            async with asyncio.timeout(_PATIENCE):
                told = await self._api.read("users.info", {"user": person, "include_locale": "true"})
            profile = _read(mapping(told["user"]))
        except RateLimited as exc:
            self._asking_from = now + exc.retry_after
        except MissingScope as exc:
            self._asking_from = now + _AGAIN
            self._context.log.warning("adapter.people_unknown", problem=str(exc))
        except (AdapterError, TimeoutError, *MALFORMED) as exc:
            self._context.log.debug("adapter.people_unknown", problem=type(exc).__name__)
        else:
            await self._keep(person, profile)
            return profile
        return None

    async def _keep(self, person: str, profile: _Profile) -> None:
        self._remember(person, profile)
        body = json.dumps({"name": profile.name, "language": profile.language}).encode()
        try:
            await self._context.keep(f"person/{person}", body, ttl=_KEPT)
        except StoreError as exc:
            self._context.log.debug("adapter.people_not_kept", problem=type(exc).__name__)

    def _remember(self, person: str, profile: _Profile) -> None:
        self._known[person] = profile
        self._known.move_to_end(person)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


def _read(user: Json) -> _Profile:
    """The name that others see, and the language of the client, such as `en-US`."""
    profile = maybe(user.get("profile"))
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    name = next((name for one in names if (name := whole(one).strip())), "")
    return _Profile(name[:_LONGEST], whole(user.get("locale"))[:35])
