"""Finding a message again whose result was never learnt: each carries its part's id, and history tells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, cast

from gateway.abc.adapter import AdapterContext
from gateway.abc.clock import Clock
from gateway.errors import DeadTarget, Rejected, StoreError, Unreachable
from gateway.messages import Place
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.errors import MissingScope
from gateway_adapters.slack.shapes import MALFORMED, items, mapping, maybe, whole

__all__ = ["Ledger", "marked"]

_EVENT = "lastword_part"
_KEPT = 86_400.0  # seconds; as long as an answer may wait to be delivered
_EARLIER = 120.0  # seconds that Slack's clock may be behind ours
_REMEMBERED = 4096
_PAGES, _PAGE = 3, 200
_SCOPES = {"channels:history", "groups:history", "im:history", "mpim:history"}


def marked(part: str) -> dict[str, Any]:
    """The metadata that a message is known again by."""
    return {"event_type": _EVENT, "event_payload": {"part": part}}


class Ledger:
    """What was begun to be sent."""

    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._context: AdapterContext | None = None
        self._blind = False
        self._tried: OrderedDict[str, float] = OrderedDict()  # in this life

    @property
    def reconciles(self) -> bool:
        """Whether messages can be found again, as far as is known: the token may read all histories."""
        granted = self._api.granted
        return not self._blind and (not granted or granted >= _SCOPES)

    def begin(self, context: AdapterContext) -> None:
        """Keep marks with a context."""
        self._context = context

    async def begun(self, part: str) -> float | None:
        """Mark that a part is about to be sent; when that was begun before, `None` if never.

        Raises:
            Unreachable: The mark could not be kept, and nothing was sent.
        """
        tried = self._tried.get(part)
        if tried is not None:
            return tried
        now = self._clock.time()
        before = await self._kept(part, now)
        self._tried[part] = now if before is None else before  # only once the next process knows it too
        if len(self._tried) > _REMEMBERED:
            self._tried.popitem(last=False)
        return before

    async def _kept(self, part: str, now: float) -> float | None:
        """Keep the mark; when it was kept before, `None` if never."""
        if self._context is None:  # an answer from before a start, maybe
            return now - _KEPT
        try:
            before = await self._context.recall(f"sent/{part}")
            if before is None:
                await self._context.keep(f"sent/{part}", str(int(now)).encode(), ttl=_KEPT)
                return None
        except StoreError as exc:
            raise Unreachable("the store cannot be written", status="store") from exc
        return float(before) if before.isdigit() else now - _KEPT

    async def found(self, place: Place, part: str, *, since: float) -> str:
        """The timestamp of the message that carries a part; empty when there is none.

        Raises:
            AdapterError: Slack did not tell, though it may be asked again.
        """
        if not self.reconciles:
            return ""
        try:
            return await self._search(place, part, since)
        except MissingScope:
            self._blind = True
        except (DeadTarget, Rejected):
            pass  # the send itself tells what is the matter with the place
        return ""

    async def message(self, place: Place, ts: str) -> Mapping[str, Any] | None:
        """A message of the bot's as it stands; `None` where it cannot be read.

        Raises:
            AdapterError: Slack did not tell.
        """
        told = await self._page(place, {"latest": ts, "oldest": ts, "inclusive": "true", "limit": "5"})
        return next((one for one in _messages(told) if one.get("ts") == ts), None)

    async def _search(self, place: Place, part: str, since: float) -> str:
        params = {"oldest": f"{since - _EARLIER:.6f}", "limit": str(_PAGE), "include_all_metadata": "true"}
        cursor = ""
        for _ in range(_PAGES):
            told = await self._page(place, params | ({"cursor": cursor} if cursor else {}))
            for one in _messages(told):
                data = one.get("metadata")
                if isinstance(data, Mapping) and dict(cast("Mapping[str, Any]", data)) == marked(part):
                    return whole(one.get("ts"))
            cursor = _cursor(told)
            if not cursor:
                break
        return ""

    async def _page(self, place: Place, params: dict[str, Any]) -> Mapping[str, Any]:
        where = {"channel": place.chat} | ({"ts": place.thread} if place.thread else {})
        method = "conversations.replies" if place.thread else "conversations.history"
        return await self._api.read(method, where | params)


def _cursor(told: Mapping[str, Any]) -> str:
    try:
        return whole(maybe(told.get("response_metadata")).get("next_cursor"))
    except TypeError:
        return ""


def _messages(told: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for one in items(told.get("messages")):
        try:
            yield mapping(one)
        except MALFORMED:
            continue
