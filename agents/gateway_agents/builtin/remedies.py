"""What the built-in agent does about an ending by itself before anybody is told; pure."""

from __future__ import annotations

import random
from dataclasses import dataclass

from gateway.abc.agent import RemedyKind
from gateway.completion.model import TurnCompletion

__all__ = ["ELSEWHERE", "PASSING", "Means", "Situation", "Step"]

PASSING = frozenset(
    {"rate_limited", "provider_error", "network_error", "stream_cut", "timeout", "empty_response"}
)
"""Endings that may not come again when the same is asked again."""
ELSEWHERE = PASSING | {"quota_exhausted", "auth_failed", "model_not_found"}
"""Endings that another model may not have."""
_UNFINISHED = frozenset({"empty_response", "max_steps", "tool_loop_guard", "tool_error_budget"})
_FIRST, _CEILING = 0.5, 8.0  # seconds of backoff
_SOON = 3.0  # seconds of a known wait that are waited though another model is at hand
_MARGIN = 2.0  # seconds that must be left after a wait for an answer to come at all


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the turn stands when an attempt has ended.

    Attributes:
        completion: How the attempt ended.
        remaining: Seconds until the turn's deadline.
        spoke: Whether the last message of the model holds text.
        shown: Whether the person sees any text.
        acted: Whether any tool started.
        remembers: Whether there is a history that could be made shorter.
        calling: Whether the last message of the model holds a tool call.
    """

    completion: TurnCompletion
    remaining: float
    spoke: bool
    shown: bool
    acted: bool
    remembers: bool
    calling: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next.

    Attributes:
        wait: Seconds to wait before it.
    """

    kind: RemedyKind
    wait: float = 0.0


@dataclass(slots=True)
class Means:
    """What one turn may still do by itself; every step is taken from it.

    Attributes:
        retries: Times the same model may be asked again; renewed for another model.
        patience: Seconds the turn may spend waiting.
        fallbacks: Other models left.
        continuations: Times a cut answer may be gone on with.
    """

    retries: int
    patience: float
    fallbacks: int
    continuations: int
    may_compact: bool = True
    may_finalise: bool = True
    tries: int = 0

    def next(self, at: Situation) -> Step | None:
        """The next step, taken from the means; `None` when the ending is to be told."""
        reason = at.completion.reason
        if at.remaining <= _MARGIN:
            return None
        if reason == "context_overflow" and self.may_compact and at.remembers:
            self.may_compact = False
            return Step("compact")
        if reason == "length_truncated" and self.continuations and at.spoke and not at.calling:
            self.continuations -= 1
            return Step("auto_continue")
        if reason in _UNFINISHED and self.may_finalise and at.acted and not at.shown:
            self.may_finalise = False
            return Step("finalise")
        return self._again(at)

    def _again(self, at: Situation) -> Step | None:
        """The same model once more, or the next one."""
        reason = at.completion.reason
        wait = self._wait(at.completion.retry_after)
        patient = wait <= min(self.patience, at.remaining - _MARGIN)
        near = not self.fallbacks or wait <= _SOON
        if reason in PASSING and self.tries < self.retries and patient and near:
            self.tries += 1
            self.patience -= wait
            return Step("retry", wait)
        if reason in ELSEWHERE and self.fallbacks:
            self.fallbacks -= 1
            self.tries = 0
            return Step("fallback")
        return None

    def _wait(self, asked: float | None) -> float:
        """What the provider asks for, else a growing, spread pause."""
        if asked is not None:
            return asked
        grown: float = _FIRST * 2**self.tries
        return min(grown * random.uniform(0.7, 1.3), _CEILING)  # noqa: S311  # spread, no secret
