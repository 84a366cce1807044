"""Fetch the files beside a message for an agent, or say why it cannot be read."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Collection

from gateway.abc.agent import File
from gateway.errors import AdapterError, FileTooLarge
from gateway.messages import Attachment, Inbound
from gateway.session.bots import Bot

__all__ = ["Unreadable", "check_readable", "fetch", "in_words"]

_HEARD = frozenset({"voice", "audio"})
_PATIENCE = 60.0  # seconds all files of one message may take
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml", "application/x-yaml")


class Unreadable(Exception):
    """A message that cannot be read.

    Attributes:
        word: The registry's word for what stands in the way.
        limit: The greatest size that is taken, in words; empty where size is not the matter.
    """

    def __init__(self, word: str, *, limit: str = "") -> None:
        super().__init__(word)
        self.word = word
        self.limit = limit


def check_readable(inbound: Inbound, *, accepts: Collection[str], limit: int) -> None:
    """Judge a message by what is known of it before anything is fetched.

    A question about a picture that nobody sees would get a confident answer about nothing, so a message with
    a file that the agent is not given ends here even when text stands beside it.

    Raises:
        Unreadable: The agent cannot be given all of it.
    """
    for file in inbound.attachments:
        if kind_of(file) not in accepts:
            raise Unreadable("voice" if file.kind in _HEARD else "kind")
        if file.size > limit:
            raise Unreadable("large", limit=in_words(limit))
    if inbound.unreadable:
        raise Unreadable("other")


async def fetch(bot: Bot, inbound: Inbound) -> tuple[File, ...]:
    """The files beside a message.

    Raises:
        Unreadable: One of them could not be had.
    """
    files: list[File] = []
    try:
        async with asyncio.timeout(_PATIENCE):
            for file in inbound.attachments:
                data = await bot.adapter.fetch(file, limit=bot.largest_file)
                files.append(File(kind_of(file), _mime(file), file.name, data))
    except FileTooLarge as exc:
        raise Unreadable("large", limit=in_words(bot.largest_file)) from exc
    except (AdapterError, TimeoutError) as exc:
        raise Unreadable("fetch") from exc
    return tuple(files)


def kind_of(file: Attachment) -> str:
    """The kind of a file; a picture or a text that was sent as a document counts as what it is."""
    mime = _mime(file)
    if file.kind in ("document", "other"):
        if mime.startswith("image/"):
            return "image"
        if mime.startswith(_TEXTS):
            return "text"
    return file.kind


def in_words(size: int) -> str:
    """A size as people read it."""
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{max(size // 1_000, 1)} kB"


def _mime(file: Attachment) -> str:
    return (file.mime or mimetypes.guess_type(file.name)[0] or "").partition(";")[0].strip().lower()
