"""A dropped file, read into what it means; pure."""

from __future__ import annotations

import mimetypes
import re
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from gateway.messages import Attachment, Event, Inbound, Person, Place

__all__ = ["NAME", "read"]

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a chat may be called, since its folder is; nothing leads out of the outbox."""
_COMMAND = re.compile(r"/([a-z][a-z0-9_]{0,31})(?:\s+(.*))?", re.DOTALL | re.ASCII | re.IGNORECASE)

_Name = Annotated[str, StringConstraints(pattern=rf"^{NAME.pattern}$")]
_File = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,126}$")]


class _Dropped(BaseModel):
    """What a file may hold; the README says what it means."""

    chat: _Name
    sender: _Name | None = Field(default=None, alias="from")
    name: str = ""
    language: str = ""
    text: str = ""
    files: tuple[_File, ...] = ()
    on: str = ""
    edits: str = ""
    press: Annotated[str, StringConstraints(max_length=48)] = ""


def read(file: str, raw: bytes, *, at: float, bot: str) -> Event:
    """What a file means that was dropped under a name; a repetition has the same name."""
    try:
        dropped = _Dropped.model_validate_json(raw)
    except ValidationError:
        return Event(raw, dropped="unparsable")
    if not (dropped.text.strip() or dropped.files or dropped.press):
        return Event(raw, dropped="empty")
    return Event(raw, dedupe=(file,), inbound=_inbound(file, dropped, at=at, bot=bot))


def _inbound(file: str, dropped: _Dropped, *, at: float, bot: str) -> Inbound:
    person, text = dropped.sender or dropped.chat, dropped.text.replace("\0", "").strip()
    place = Place(dropped.chat, private=person == dropped.chat)
    sender = Person(person, name=dropped.name, language=dropped.language)
    if dropped.press:  # the message is ours here, the one that `disarm` is to take the buttons off
        return Inbound(
            "action", place, sender, message_id=dropped.on, at=at, action=dropped.press, press=file
        )
    command = None if dropped.edits else _COMMAND.fullmatch(text)
    return Inbound(
        kind="edit" if dropped.edits else "command" if command else "message",
        place=place,
        sender=sender,
        text=(command.group(2) or "").strip() if command else text,
        message_id=dropped.edits or file,
        at=at,
        addressed=place.private or bool(command or dropped.on) or f"@{bot}" in text,
        command=command.group(1).lower() if command else "",
        reply_to=dropped.on,
        attachments=tuple(map(_attachment, dropped.files)),
    )


def _attachment(name: str) -> Attachment:
    mime = mimetypes.guess_type(name)[0] or ""
    kind = mime.partition("/")[0]
    return Attachment(name, kind if kind in ("image", "audio", "video") else "document", mime, name)
