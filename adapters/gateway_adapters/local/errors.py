"""The store's faults, translated for delivery."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

from gateway.errors import StoreError, Uncertain, Unreachable

__all__ = ["as_delivery"]


@contextlib.contextmanager
def as_delivery() -> Generator[None, None, None]:
    """Raise what the transcript ran into as the delivery error it means.

    Raises:
        Unreachable: The store kept nothing.
        Uncertain: The store did not answer in time; a second send of the same part does no harm.
    """
    try:
        yield
    except StoreError as exc:
        raise Unreachable("the chat's transcript could not be written", status="store") from exc
    except TimeoutError as exc:
        raise Uncertain("the chat's transcript was not written in time", status="timeout") from exc
