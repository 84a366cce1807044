"""Files beside a message, as the model is given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    UserContent,
    UserPromptPart,
)

from gateway.abc.agent import File

__all__ = ["ALWAYS", "Prompt", "with_files", "without_files"]

ALWAYS = frozenset({"text"})
"""Kinds that every model can be given: their text stands in the message."""
Prompt: TypeAlias = str | Sequence[UserContent]
_LONGEST = 100_000  # characters of a text file that are given
_MIMES = {"image": "image/jpeg", "voice": "audio/ogg", "audio": "audio/mpeg", "video": "video/mp4"}


def with_files(text: str, files: Sequence[File]) -> Prompt:
    """What is said, with the files beside it."""
    if not files:
        return text
    given: list[UserContent] = [text] if text.strip() else []
    return [*given, *map(_content, files)]


def without_files(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Messages as they are remembered: of each file its kind."""
    return [
        replace(message, parts=[_plain(part) for part in message.parts])
        if isinstance(message, ModelRequest)
        else message
        for message in messages
    ]


def _content(file: File) -> UserContent:
    if file.kind in ALWAYS:
        text = file.data.decode("utf-8", "replace")
        more = "\n[...]" if len(text) > _LONGEST else ""
        return f"The file {file.name or 'without a name'}:\n{text[:_LONGEST]}{more}"
    mime = file.mime or _MIMES.get(file.kind, "application/octet-stream")
    return BinaryContent(file.data, media_type=mime)


def _plain(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, UserPromptPart) or isinstance(part.content, str):
        return part
    return replace(part, content=[_named(item) for item in part.content])


def _named(item: UserContent) -> UserContent:
    return f"[a file: {item.media_type}]" if isinstance(item, BinaryContent) else item
