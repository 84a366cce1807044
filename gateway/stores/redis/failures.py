"""What the server or the way to it may answer instead, in our words."""

from __future__ import annotations

import ssl

from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    ConnectionError,  # noqa: A004  # the library's names
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,  # noqa: A004  # the library's names
    TryAgainError,
)

from gateway.errors import StoreError

__all__ = ["Unconfirmed", "explained", "passes"]


class Unconfirmed(RedisError):
    """No replica has a write yet."""


_PASSING = (
    Unconfirmed,
    ConnectionError,
    TimeoutError,
    ReadOnlyError,
    ClusterDownError,
    TryAgainError,
    OSError,
)
_LASTING = (AuthenticationError, AuthorizationError)
_PASSING_WORDS = ("BUSY", "LOADING", "MASTERDOWN", "UNKILLABLE")


def passes(problem: Exception) -> bool:
    """Whether the same call may succeed a little later, by itself."""
    if isinstance(problem, _LASTING) or _of_tls(problem):
        return False
    return isinstance(problem, _PASSING) or _word(problem) in _PASSING_WORDS


def explained(problem: Exception, shown: str) -> StoreError:
    """An error that says what happened and what to do; what the server wrote stays in the chain."""
    return StoreError(f"store {shown!r} {_said(problem)}")


def _said(problem: Exception) -> str:
    if _of_tls(problem):
        return "does not prove who it is by TLS; check ca=FILE and the host's name"
    match problem:
        case AuthenticationError() if "required" in str(problem):
            return "wants a password; write it like redis://:PASSWORD@host in `store:`"
        case AuthenticationError() | AuthorizationError():
            return "refuses the user or password; check them in `store:`"
        case Unconfirmed():
            return "has no replica that confirms its writes; start one, or check its link to the primary"
        case BusyLoadingError():
            return "still loads its data; it comes up by itself, or its log says why not"
        case TimeoutError():
            return "does not answer in time; check the server and the network"
        case ConnectionError() | OSError():
            return "cannot be reached; start it, or correct its address in `store:`"
        case NoPermissionError():
            return "does not allow its user a command; allow it @all on the store's keys"
        case OutOfMemoryError():
            return "is full; raise its maxmemory, or shorten retention"
        case ReadOnlyError():
            return "is a replica; name the primary, or say sentinel=NAME"
        case MovedError():
            return "is a cluster; name a single server, or one behind Sentinel"
        case _:
            return _by_word(problem)


def _by_word(problem: Exception) -> str:
    word = _word(problem)
    match word:
        case "MISCONF":
            return "cannot write its disk and takes no writes; check its disk and its log"
        case "RESTORING":
            return "is being restored, or was restored in part; let `lastword restore FILE` come to its end"
        case "BUSY":
            return "is busy with a script that does not end; check who else uses it"
        case _:
            return f"failed: {type(problem).__name__} {word}".rstrip()


def _word(problem: Exception) -> str:
    """The code word a server's answer begins with."""
    if not isinstance(problem, ResponseError):
        return ""
    word = str(problem).partition(" ")[0]
    return word if word.isupper() else ""


def _of_tls(problem: BaseException) -> bool:
    seen: BaseException | None = problem
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return True
        seen = seen.__cause__ or seen.__context__
    return isinstance(problem, RedisError) and "CERTIFICATE_VERIFY_FAILED" in str(problem)
