"""What holds of every classification, and how long anything may take."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from contextlib import contextmanager

from gateway.completion import ENDINGS, SITES, TurnCompletion, normalise

__all__ = ["SLOWEST", "check", "in_time", "is_clean"]

SLOWEST = 2.0  # seconds of this thread's CPU for one input of a few thousand bytes; usual are thousandths
_LONGEST_WAIT = 32 * 86_400.0


@contextmanager
def in_time() -> Generator[None]:
    """Fails when what is inside takes far longer than it should; what other processes take does not count."""
    began = time.thread_time()
    yield
    took = time.thread_time() - began
    assert took < SLOWEST, f"took {took:.1f} s"


def is_clean(found: TurnCompletion | None) -> bool:
    """Whether it reads as the good end of a turn."""
    return found is not None and (not found.truncated or normalise(found.reason) == "completed")


def check(found: TurnCompletion | None) -> None:
    """A word of the registry, or a provider's unknown word as it came, in a record that can be kept."""
    if found is None:
        return
    assert TurnCompletion.from_dict(found.to_dict()) == found
    assert TurnCompletion.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert found.site in SITES
    assert found.retry_after is None or 0 <= found.retry_after <= _LONGEST_WAIT
    if found.reason in ENDINGS:
        assert found.reason in SITES[found.site] or "*" in SITES[found.site], found
        return
    assert found.truncated
    assert found.reason == found.token
