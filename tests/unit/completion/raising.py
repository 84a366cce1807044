"""Exceptions of classes that no test needs to import."""

from __future__ import annotations

from typing import cast


def named(
    name: str,
    message: str = "",
    *,
    bases: tuple[type, ...] = (Exception,),
    module: str = "sdk",
    **carried: object,
) -> BaseException:
    """An exception of a class that no test needs to import."""
    kind = cast("type[BaseException]", type(name, bases, {"__module__": module}))
    exc = kind(message)
    for key, value in carried.items():
        setattr(exc, key, value)
    return exc
