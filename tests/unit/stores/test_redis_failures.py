"""What a server answers instead is told with what to do, and tried again only where that helps."""

from __future__ import annotations

import pytest
from redis import exceptions

from gateway.stores.redis.failures import explained, passes


@pytest.mark.parametrize(
    ("problem", "told", "passing"),
    [
        (exceptions.ConnectionError("Error 111"), "cannot be reached", True),
        (ConnectionResetError("reset"), "cannot be reached", True),
        (exceptions.TimeoutError("slow"), "does not answer in time", True),
        (exceptions.BusyLoadingError("loading"), "still loads its data", True),
        (exceptions.ReadOnlyError("replica"), "is a replica", True),
        (exceptions.AuthenticationError("invalid password"), "refuses the user or password", False),
        (exceptions.AuthenticationError("Authentication required."), "wants a password", False),
        (exceptions.NoPermissionError("no zadd"), "does not allow its user a command", False),
        (exceptions.OutOfMemoryError("command not allowed"), "is full; raise its maxmemory", False),
        (exceptions.MovedError("1 host:1"), "is a cluster", False),
        (exceptions.ResponseError("MISCONF no disk"), "cannot write its disk", False),
        (exceptions.ResponseError("BUSY a script"), "is busy with a script", True),
        (exceptions.ResponseError("WRONGTYPE of a key"), "failed: ResponseError WRONGTYPE", False),
        (exceptions.ResponseError("something private"), "failed: ResponseError", False),
    ],
)
def test_a_failure_is_told_with_what_to_do(problem: Exception, told: str, *, passing: bool) -> None:
    error = explained(problem, "redis://host")

    assert str(error).startswith(f"store 'redis://host' {told}")
    assert "private" not in str(error)
    assert passes(problem) is passing
