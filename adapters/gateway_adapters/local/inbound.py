"""What the page posts, read into what it means."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from gateway.messages import Event, Inbound, Person, Place

__all__ = ["TEXT_LIMIT", "Unacceptable", "echo", "read_action", "read_message", "read_stop"]

TEXT_LIMIT = 16_000  # characters
_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_]{0,31})(?:\s+(.*))?", re.DOTALL | re.ASCII)
_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,4}", re.ASCII)

_Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{8,64}$")]
_Token = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,48}$")]


class Unacceptable(Exception):
    """A post that means nothing.

    Attributes:
        why: One word for the page: `malformed`, `empty` or `too_long`.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class _Posted(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: _Id
    language: str = ""


_Model = TypeVar("_Model", bound=_Posted)


class _Message(_Posted):
    text: str


class _Action(_Posted):
    token: _Token


def read_message(body: bytes, *, person: str, at: float) -> Event:
    """A typed message, or a typed command.

    Raises:
        Unacceptable: It is malformed, blank or too long.
    """
    posted = _parse(_Message, body)
    text = posted.text.replace("\x00", "").strip()
    if not text:
        raise Unacceptable("empty")
    if len(text) > TEXT_LIMIT:
        raise Unacceptable("too_long")
    sender = _person(person, posted)
    command = _COMMAND.fullmatch(text)
    if command is None:
        return _event(body, Inbound("message", Place(person), sender, text=text, message_id=posted.id, at=at))
    name, rest = command.group(1).lower(), (command.group(2) or "").strip()
    return _event(
        body, Inbound("command", Place(person), sender, text=rest, message_id=posted.id, at=at, command=name)
    )


def read_action(body: bytes, *, person: str, at: float) -> Event:
    """A pressed button.

    Raises:
        Unacceptable: It is malformed.
    """
    posted = _parse(_Action, body)
    inbound = Inbound(
        "action",
        Place(person),
        _person(person, posted),
        message_id=posted.id,
        at=at,
        action=posted.token,
        press=posted.id,
    )
    return _event(body, inbound)


def read_stop(body: bytes, *, person: str, at: float) -> Event:
    """The Stop button, which says what `/stop` says.

    Raises:
        Unacceptable: It is malformed.
    """
    posted = _parse(_Posted, body)
    inbound = Inbound(
        "command", Place(person), _person(person, posted), message_id=posted.id, at=at, command="stop"
    )
    return _event(body, inbound)


def echo(inbound: Inbound) -> dict[str, Any]:
    """What the page shows of a thing the person did."""
    if inbound.kind == "action":
        return {"token": inbound.action}
    if inbound.kind == "command":
        return {"text": f"/{inbound.command} {inbound.text}".rstrip()}
    return {"text": inbound.text}


def _parse(model: type[_Model], body: bytes) -> _Model:
    try:
        return model.model_validate_json(body)
    except ValidationError as exc:
        raise Unacceptable("malformed") from exc


def _person(person: str, posted: _Posted) -> Person:
    known = _LANGUAGE.fullmatch(posted.language) is not None
    return Person(person, language=posted.language if known else "")


def _event(body: bytes, inbound: Inbound) -> Event:
    return Event(body, (f"{inbound.place.chat}/{inbound.message_id}",), inbound)
