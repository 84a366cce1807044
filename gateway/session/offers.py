"""Buttons and typed words under an ending: one action per ending, for the person who owns it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import msgspec

from gateway.abc.store import Fact, Store
from gateway.messages import Action, ActionKind
from gateway.session.carrying import Rest, joined, parted

__all__ = ["Offer", "Redeemed", "close_word", "make", "open_word", "redeem", "wait"]

_TTL = 86_400.0  # seconds an offer stays open
_WORD = "open/"
_OFFER = "offer/"


class Offer(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What is offered at one ending.

    Attributes:
        turn: The ended turn.
        person: Who may take it.
        tokens: Token to kind.
        acted: Whether tools with effects had started, so that a retry asks first.
        used: The inbox entry that took it; 0 while it is open.
        due: When a retry makes sense, unix seconds; 0 for at once.
    """

    turn: str
    person: str
    tokens: dict[str, ActionKind]
    acted: bool = False
    used: int = 0
    due: float = 0.0


@dataclass(frozen=True, slots=True)
class Redeemed:
    """What came of taking an offer.

    Attributes:
        state: `taken`, `expired` (gone or used before), or `foreign` (somebody else's).
    """

    state: Literal["taken", "expired", "foreign"]
    kind: ActionKind = "dismiss"
    offer: Offer | None = None


_encoder = msgspec.json.Encoder(order="deterministic")  # compared byte for byte by the store
_decoder = msgspec.json.Decoder(Offer)
_KINDS = frozenset(get_args(ActionKind))


def make(
    turn: str,
    *,
    person: str,
    lane: str,
    kinds: Sequence[ActionKind],
    acted: bool,
    due: float = 0.0,
    label: Callable[[ActionKind], str],
) -> tuple[tuple[Action, ...], tuple[Fact, ...]]:
    """Buttons for an ending, and the facts that make them work."""
    if not kinds:
        return (), (close_word(lane),)
    nonce = secrets.token_hex(4)
    actions = tuple(Action(kind, f"{turn}.{nonce}.{at}", label(kind)) for at, kind in enumerate(kinds))
    offer = Offer(turn, person, {action.token: action.kind for action in actions}, acted, due=due)
    return actions, (
        Fact(f"{_OFFER}{turn}.{nonce}", _encoder.encode(offer), _TTL),
        Fact(f"{_WORD}{lane}", f"{turn}.{nonce}".encode(), _TTL),
    )


def close_word(lane: str) -> Fact:
    """The fact that ends the meaning of typed words in a lane."""
    return Fact(f"{_WORD}{lane}", None)


async def open_word(store: Store, lane: str, kind: ActionKind, *, entry: int) -> str:
    """The token that a typed word takes in a lane now; empty when nothing like it is on offer any more."""
    key = await store.get(f"{_WORD}{lane}")
    body = await store.get(f"{_OFFER}{key.decode()}") if key is not None else None
    if body is None:
        return ""
    offer, _ = _read(body)
    if offer.used not in (0, entry):
        return ""
    return next((token for token, offered in offer.tokens.items() if offered == kind), "")


async def wait(store: Store, token: str) -> float:
    """When the retry behind a token makes sense, unix seconds; 0 for at once, and for what is no retry."""
    body = await store.get(f"{_OFFER}{token.rpartition('.')[0]}")
    if body is None:
        return 0.0
    offer, _ = _read(body)
    return offer.due if offer.tokens.get(token) == "retry" and not offer.used else 0.0


async def redeem(store: Store, token: str, *, person: str, entry: int) -> Redeemed:
    """Take the action behind a token, once for the whole ending.

    An entry that took it before a crash takes it again.
    """
    key = f"{_OFFER}{token.rpartition('.')[0]}"
    body = await store.get(key)
    if body is None:
        return Redeemed("expired")
    offer, rest = _read(body)
    kind = offer.tokens.get(token)
    if kind is None or offer.used not in (0, entry):
        return Redeemed("expired")
    if offer.person != person:
        return Redeemed("foreign")
    taken = msgspec.structs.replace(offer, used=entry)
    told = _encoder.encode(joined(msgspec.to_builtins(taken), rest) if rest is not None else taken)
    if offer.used != entry and not await store.swap(key, body, told, ttl=_TTL):
        return Redeemed("expired")
    return Redeemed("taken", kind, taken)


def _read(body: bytes) -> tuple[Offer, Rest | None]:
    """An offer and what is not known of it; kinds of a later version are part of that."""
    try:
        return _decoder.decode(body), None
    except msgspec.ValidationError:
        known, rest = parted(msgspec.json.decode(body), Offer)
    made = cast("dict[str, object]", known)
    tokens = cast("dict[str, object]", made.get("tokens", {}))
    later = {token: kind for token, kind in tokens.items() if kind not in _KINDS}
    made["tokens"] = {token: kind for token, kind in tokens.items() if token not in later}
    rest = rest or Rest({}, {}, {})
    rest.inside["tokens"] = Rest(later, {}, {})
    return msgspec.convert(made, Offer), rest
