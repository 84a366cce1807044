"""structlog for us and for every library, one line an event, secrets masked last."""

from __future__ import annotations

import hashlib
import json
import logging
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, cast

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from gateway.observability.redaction import is_secret_key, redact

__all__ = ["bound", "configure_logging", "get_logger"]

_QUIET = ("httpx", "httpcore", "httpx2", "httpcore2", "uvicorn.access", "watchfiles")
_TEXTS = frozenset({"text", "content", "prompt", "answer", "reply", "body", "raw"})  # what people said
_PLAIN = frozenset({int, float, bool, type(None)})
_OURS = frozenset({"level", "timestamp"})  # written by the processors here
_LONGEST = 32_000  # characters of one value; masking a huge one would hold every bot up
_MANY = 50  # entries of a map from which on it is a dump of something, not facts


_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def get_logger(room: str) -> structlog.stdlib.BoundLogger:
    """A logger of one room; events are `room.what_happened`.

    It ends in `logging`, whether or not `configure_logging` was called: in somebody else's program it is as
    quiet as that program wants it, and structlog's own configuration there stays theirs.
    """
    logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger(f"lastword.{room}"),
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return logger


@contextmanager
def bound(*, bot: str, conversation: str, turn: str) -> Generator[None]:
    """Name bot, conversation (hashed) and turn on every line written inside, libraries' included."""
    digest = hashlib.blake2s(conversation.encode(), digest_size=6).hexdigest()
    tokens = structlog.contextvars.bind_contextvars(bot=bot, turn=turn, **{"gen_ai.conversation.id": digest})
    try:
        yield
    finally:
        structlog.contextvars.reset_contextvars(**tokens)


def configure_logging(*, json: bool | None = None, level: str = "info") -> None:
    """Send every log line to standard error.

    Args:
        json: JSON lines or a console's; `None` for JSON unless standard error is a terminal.
        level: The least level that is written.
    """
    as_json = not sys.stderr.isatty() if json is None else json
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_SHARED, _name_of_library],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.StackInfoRenderer(),
                structlog.processors.format_exc_info,
                _masked,
                structlog.processors.JSONRenderer(serializer=_dump)
                if as_json
                else structlog.dev.ConsoleRenderer(
                    colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
                ),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _name_of_library(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record = event.get("_record")
    if record is not None:
        event["library"] = record.name
    return event


def _masked(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Mask by key and by value, after exceptions became text; what people said is only counted."""
    for key, value in event.items():
        if key not in _OURS and (type(value) not in _PLAIN or is_secret_key(key)):
            event[key] = _safe(key, value)
    return event


def _safe(key: str, value: object) -> object:
    if value and is_secret_key(key):
        return "***"
    if isinstance(value, str | bytes):
        if key in _TEXTS:
            return f"({len(value)} long)"
        text = value if isinstance(value, str) else repr(value)
        return redact(text if len(text) <= _LONGEST else f"…{text[-_LONGEST:].partition(' ')[2]}")
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value)
        if len(items) > _MANY:
            return f"({len(items)} entries)"
        return {str(name): _safe(str(name), one) for name, one in items.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_safe("", one) for one in cast("Iterable[object]", value)]
    if type(value) in _PLAIN:
        return value
    return redact(str(value))


def _dump(event: dict[str, Any], **_: object) -> str:
    """The line; half a character or a huge number costs time, never the line."""
    try:
        return orjson.dumps(event, default=str).decode()
    except orjson.JSONEncodeError:
        return json.dumps(event, default=str)
