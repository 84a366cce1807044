"""Exceptions of any class, with anything inside, end as something that can be told."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import cast

from gateway.completion import classify_exception
from tests.fuzz.checks import check, in_time, is_clean
from tests.fuzz.trees import grow, named

__all__ = ["exception", "raised"]


class _Mute(Exception):
    """Cannot be printed."""

    def __str__(self) -> str:
        raise ZeroDivisionError


class _Untouchable(Exception):
    """Raises at every touch."""

    def __getattribute__(self, name: str) -> object:
        raise ZeroDivisionError(name)

    def __str__(self) -> str:
        raise ZeroDivisionError


_BASES: tuple[type[BaseException], ...] = (
    Exception,
    RuntimeError,
    OSError,
    TimeoutError,
    ConnectionError,
    ValueError,
    KeyError,
    BaseException,
    KeyboardInterrupt,
    _Mute,
    _Untouchable,
)
_MOST_MEMBERS = 8


class _Raiser:
    """Makes exceptions of descriptions, one of each, so that circles stay circles."""

    def __init__(self) -> None:
        self._made: dict[int, BaseException] = {}

    def make(self, told: object) -> BaseException:
        parts = named(told)
        if not parts:
            return RuntimeError(told)
        if id(told) not in self._made:
            exc = self._bare(parts)
            self._made[id(told)] = exc
            self._fill(exc, parts)
        return self._made[id(told)]

    def _bare(self, parts: Mapping[str, object]) -> BaseException:
        members = parts.get("members")
        message = parts.get("message")
        if isinstance(members, list):
            made = [self.make(one) for one in cast("list[object]", members)[:_MOST_MEMBERS]]
            return BaseExceptionGroup(str(type(message)), made or [RuntimeError(message)])
        base = parts.get("base")
        bases = (_BASES[base % len(_BASES)] if isinstance(base, int) else Exception,)
        return _class(parts.get("class"), parts.get("module"), bases)(message)

    def _fill(self, exc: BaseException, parts: Mapping[str, object]) -> None:
        for name, value in named(parts.get("carried")).items():
            if not name.startswith("__"):
                with suppress(Exception):  # a slot, a property, a name with half a character
                    setattr(exc, name, value)
        if "cause" in parts:
            exc.__cause__ = self.make(parts["cause"])
        if "context" in parts:
            exc.__context__ = self.make(parts["context"])


def _class(name: object, module: object, bases: tuple[type[BaseException], ...]) -> type[BaseException]:
    spelt = name if isinstance(name, str) and str.isidentifier(name) else "SomeError"
    space = {"__module__": module if isinstance(module, str) else "sdk"}
    return cast("type[BaseException]", type(str.__str__(spelt), bases, space))


def raised(told: object) -> BaseException:
    """The exception that a description tells of.

    Its keys are `class`, `module`, `base` (a number), `message`, `carried` (attributes), `cause`, `context`
    and `members` (of a group).
    """
    return _Raiser().make(told)


def exception(data: bytes) -> None:
    """Read an exception, and those of Python's own with words of a person inside."""
    told = grow(data)
    try:
        exc = raised(told)
    except (RecursionError, ZeroDivisionError):  # the description itself is too odd to make one of
        return
    with in_time():
        found = classify_exception(exc)
    check(found)
    assert not is_clean(found)
    words = named(told).get("message")
    if type(words) is str:
        for own in (KeyError(words), ValueError(words), FileNotFoundError(2, "No such file", words)):
            assert classify_exception(own).reason == "error", words
