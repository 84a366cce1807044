"""structlog for us and for every library, one line an event, secrets masked last."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from gateway.observability.redaction import is_secret_key, redact

__all__ = ["bound", "configure_logging", "get_logger"]

_QUIET = ("httpx", "httpcore", "httpx2", "httpcore2", "uvicorn.access", "watchfiles")
_SAFE_KEYS = frozenset({"token_count", "input_tokens", "output_tokens"})


def get_logger(room: str) -> structlog.stdlib.BoundLogger:
    """A logger of one room; events are `room.what_happened`."""
    return structlog.stdlib.get_logger(f"lastword.{room}")


@contextmanager
def bound(*, bot: str, conversation: str, turn: str) -> Iterator[None]:
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
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _name_of_library],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.StackInfoRenderer(),
                structlog.processors.format_exc_info,
                _masked,
                structlog.processors.JSONRenderer(serializer=_dump)
                if as_json
                else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=_plain),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _plain(stream: Any, exc_info: Any) -> None:  # noqa: ANN401  # structlog's own signature
    """Never reached: exceptions are text before the renderer sees them."""


def _name_of_library(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record = event.get("_record")
    if record is not None:
        event["library"] = record.name
    return event


def _masked(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Mask by key and by value, after exceptions became text."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = "***" if value and _secret(key) else redact(value)
        elif _secret(key) and value:
            event[key] = "***"
        elif isinstance(value, Mapping | list | tuple):
            event[key] = redact(str(value)) if _looks_long(value) else _inside(value)
    return event


def _secret(key: str) -> bool:
    return key not in _SAFE_KEYS and is_secret_key(key)


def _looks_long(value: object) -> bool:
    return isinstance(value, Mapping) and len(value) > 50  # a dump of something, not facts


def _inside(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: "***" if _secret(str(key)) else _inside(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_inside(one) for one in value]
    return value


def _dump(event: dict[str, Any], **_: object) -> str:
    return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
