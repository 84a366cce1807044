"""What a message holds beside text; pure.

Field names are those of Slack's event and file pages (docs.slack.dev, read 2026-11).
"""

from __future__ import annotations

from gateway.messages import Attachment
from gateway_adapters.slack.shapes import Json, items, mapping, text, whole

__all__ = ["attachments", "forwarded"]

_LARGEST = 2**53  # bytes
_GONE = frozenset({"hidden_by_limit", "tombstone"})
_KINDS = ("image", "audio", "video")


def attachments(message: Json) -> tuple[Attachment, ...]:
    """The files beside a message, save those that Slack does not keep any more."""
    return tuple(
        _attachment(mapping(file))
        for file in items(message.get("files"))
        if mapping(file).get("mode") not in _GONE
    )


def forwarded(message: Json) -> str:
    """The words of messages that somebody passes on, in Slack's markup; empty for none."""
    shared = (mapping(one) for one in items(message.get("attachments")))
    told = (
        f"{whole(one.get('author_name')) or '?'}: {whole(one.get('text'))}"
        for one in shared
        if one.get("is_share") and whole(one.get("text")).strip()
    )
    return "\n\n".join(told)


def _attachment(file: Json) -> Attachment:
    mime = whole(file.get("mimetype"))
    return Attachment(
        text(file["id"]), _kind(file, mime), mime=mime, name=whole(file.get("name")), size=_size(file)
    )


def _kind(file: Json, mime: str) -> str:
    """Slack has clips that people record in it: sound, and pictures with sound."""
    if file.get("subtype") == "slack_audio":
        return "voice"
    if file.get("subtype") == "slack_video":
        return "video"
    main = mime.partition("/")[0]
    return main if main in _KINDS else "document"


def _size(file: Json) -> int:
    """Bytes; what no file can have counts as unknown."""
    size = int(file.get("size") or 0)
    return size if 0 <= size < _LARGEST else 0
