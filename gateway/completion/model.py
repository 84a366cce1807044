"""The public record of how a turn ended, and the contract functions around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast

__all__ = ["AgentReply", "Source", "TurnCompletion", "append_completion_note"]

Source = Literal["", "metadata", "exception", "control", "delivery"]

_MAX_STEPS = '⏳ I stopped after reaching the step limit — reply "continue" to carry on.'
_CANCELLED = "🛑 This turn was interrupted before it finished — send it again to retry."
_ERROR = "⚠️ This turn ended early due to an error — please try again."
_GENERIC = "⏳ This turn ended early — please try again."
_FIXED = {"max_steps": _MAX_STEPS, "cancelled": _CANCELLED, "error": _ERROR}
_CLEAN = frozenset({"completed", ""})


@dataclass(frozen=True, slots=True)
class TurnCompletion:
    """How one turn ended.

    Attributes:
        reason: A word of the registry, or an unknown word kept as it came.
        detail: Text that replaces the built-in note, when the agent sets it.
        site: Where the reason was decided, such as `agent.step_budget`.
        source: What kind of evidence decided it.
        provider: The provider that said so, when it is known; never guessed.
        token: The provider's raw word or status; `None` is the fact that it said nothing.
        retry_after: Seconds the provider asked to wait.
        steps: Model requests used.
        actions_ran: Whether a tool with effects had started; `None` when unknown.
    """

    reason: str = "completed"
    detail: str = ""
    site: str = ""
    source: Source = ""
    provider: str = ""
    token: str | None = None
    retry_after: float | None = None
    steps: int | None = None
    actions_ran: bool | None = None

    @property
    def truncated(self) -> bool:
        """Whether the turn ended in any way but cleanly."""
        return self.reason not in _CLEAN

    @property
    def code(self) -> str:
        """`reason@site`, both halves always."""
        return f"{self.reason or 'completed'}@{self.site or 'unknown'}"

    def note(self) -> str:
        """The dependency-free English note; empty for a clean end, `detail` verbatim when set."""
        if not self.truncated:
            return ""
        return self.detail or _FIXED.get(self.reason, _GENERIC)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping; unset fields are left out."""
        out: dict[str, Any] = {"reason": self.reason}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "reason" and value not in ("", None):
                out[field.name] = value
        return out

    @classmethod
    def from_dict(cls, data: object) -> TurnCompletion:
        """Read what `to_dict` wrote; unknown keys and odd values are ignored, nothing raises."""
        try:
            return cls._read(data)
        except Exception:  # noqa: BLE001  # a foreign mapping may raise anything
            return cls("error")

    @classmethod
    def _read(cls, data: object) -> TurnCompletion:
        if not isinstance(data, Mapping):
            return cls()
        known = cast("Mapping[object, object]", data)
        reason = _text(known.get("reason", "completed"))
        source = _text(known.get("source"))
        token = known.get("token")
        return cls(
            reason=reason if "reason" in known else "completed",
            detail=_text(known.get("detail")),
            site=_text(known.get("site")),
            source=cast("Source", source)
            if source in ("metadata", "exception", "control", "delivery")
            else "",
            provider=_text(known.get("provider")),
            token=token if isinstance(token, str) else None,
            retry_after=_number(known.get("retry_after")),
            steps=_whole(known.get("steps")),
            actions_ran=_flag(known.get("actions_ran")),
        )


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What an agent gives back: the text, and how the turn ended when it knows."""

    text: str = ""
    completion: TurnCompletion | None = None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping; absent parts are left out."""
        out: dict[str, Any] = {}
        if self.text:
            out["text"] = self.text
        if self.completion is not None:
            out["completion"] = self.completion.to_dict()
        return out

    @classmethod
    def from_dict(cls, data: object) -> AgentReply:
        """Read what `to_dict` wrote; unknown keys and odd values are ignored, nothing raises."""
        try:
            return cls._read(data)
        except Exception:  # noqa: BLE001  # a foreign mapping may raise anything
            return cls()

    @classmethod
    def _read(cls, data: object) -> AgentReply:
        if not isinstance(data, Mapping):
            return cls()
        known = cast("Mapping[object, object]", data)
        completion = known.get("completion")
        return cls(
            text=_text(known.get("text")),
            completion=TurnCompletion.from_dict(cast("object", completion))
            if isinstance(completion, Mapping)
            else None,
        )


def append_completion_note(text: str, completion: TurnCompletion | None, *, enabled: bool = False) -> str:
    """The text with the note after a blank line; byte for byte the text when off, absent or clean."""
    if not enabled or completion is None:
        return text
    note = completion.note()
    if not note:
        return text
    return f"{text}\n\n{note}" if text else note


def _text(value: object) -> str:
    return str.__str__(value) if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
