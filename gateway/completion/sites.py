"""Where an ending is decided, and which word each place may set."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["ANY", "SITES", "sites_of"]

ANY = "*"
"""Stands for every word, unknown ones included: the place passes on what an agent says."""

_REQUEST = ("content_filtered", "context_overflow", "invalid_request", "model_not_found")
_ACCOUNT = ("rate_limited", "quota_exhausted", "auth_failed")
_TRANSPORT = ("provider_error", "network_error", "timeout", "stream_cut")
_STEPS = ("max_steps", "tool_loop_guard", "tool_error_budget", "interrupt_drain_guard")
_ANSWER = ("completed", "length_truncated", "refused", "empty_response", "suspended", "cancelled")

SITES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "session.returned": ("completed", "empty_response"),
        "session.command": ("completed",),
        "session.confirm": ("completed",),
        "session.deadline": ("timeout",),
        "session.idle": ("timeout",),
        "session.stop": ("cancelled",),
        "session.shutdown": ("aborted",),
        "session.restart": ("aborted", "error"),
        "session.poison": ("error",),
        "session.queue": ("busy", "superseded"),
        "session.approval": ("approval_stop", "interrupt_drain_guard", "suspended"),
        "session.client": ("abandoned",),
        "session.unreadable": ("input_unreadable",),
        "session.unclassified": ("empty_response", "error"),
        "agent.reply": (ANY,),
        "agent.last_stop_reason": (ANY,),
        "agent.exception": (
            *_REQUEST,
            *_ACCOUNT,
            *_TRANSPORT,
            *_STEPS,
            *_ANSWER[1:],
            "budget_exhausted",
            "error",
        ),
        "agent.step_budget": _STEPS,
        "agent.budget": ("budget_exhausted",),
        "agent.stream": ("stream_cut",),
        "agent.tool": ("tool_error", "tool_error_budget", "tool_loop_guard"),
        "provider.response": (ANY,),
        "provider.error": (
            *_REQUEST,
            *_ACCOUNT,
            *_TRANSPORT,
            *_ANSWER[1:],
            "max_steps",
            "tool_error",
            "error",
        ),
        "media.fetch": ("input_unreadable",),
        "access.limits": ("budget_exhausted", "busy"),
        "delivery.sender": (),
    }
)


def sites_of(reason: str) -> tuple[str, ...]:
    """The sites that may set `reason`, in the order of `SITES`."""
    return tuple(site for site, reasons in SITES.items() if reason in reasons or ANY in reasons)
