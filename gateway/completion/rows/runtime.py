"""Endings that the gateway and the agent's runtime decide, and the row of every unknown word."""

from __future__ import annotations

from gateway.completion.shape import Button, Ending, Icon, Remedy, Variant

__all__ = ["RUNTIME", "UNKNOWN"]

_CHANGE: Remedy = "change-request"


def _one(group: str, icon: Icon, operator: str, *buttons: Button) -> tuple[Variant, ...]:
    return (Variant((), group, icon, buttons, operator),)


def _file(when: str, operator: str, *buttons: Button) -> Variant:
    return Variant((when,) if when else (), f"file.{when or 'message'}", "⚠️", buttons, operator)


RUNTIME: tuple[Ending, ...] = (
    Ending(
        reason="budget_exhausted",
        aliases=("budget_exceeded",),
        meaning="a limit the operator set for the person or the bot is used up",
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=(
            Variant(
                ("bot",),
                "budget.bot",
                "⏳",
                (),
                "Budget of the bot reached ({which}). Raise `limits` or wait; alert once.",
            ),
            Variant(
                (),
                "budget",
                "⏳",
                (),
                "Budget of this person reached ({which}). Works as configured; no alert.",
            ),
        ),
    ),
    Ending(
        reason="tool_error",
        meaning="a tool failed and ended the turn",
        after_remedy=True,
        remedy=_CHANGE,
        variants=_one(
            "helper",
            "⚠️",
            "Tool {name} failed and ended the turn ({class}). Check that tool or MCP server.",
            "retry",
        ),
    ),
    Ending(
        reason="tool_error_budget",
        meaning="too many failed tool calls in a row",
        after_remedy=True,
        remedy=_CHANGE,
        exit_code=3,
        status="truncated",
        variants=_one("stuck", "⚠️", "{n} failed tool calls in a row ({name}). Check that tool."),
    ),
    Ending(
        reason="tool_loop_guard",
        aliases=("tool_loop",),
        meaning="the same call repeated with no progress",
        after_remedy=True,
        remedy=_CHANGE,
        exit_code=3,
        status="truncated",
        variants=_one(
            "stuck", "⚠️", "Same call repeated {n} times without progress ({name}). Check instructions."
        ),
    ),
    Ending(
        reason="approval_stop",
        aliases=("approval_denied",),
        meaning="an approval was denied or expired",
        exit_code=4,
        variants=(
            Variant(
                ("expired",),
                "denied.expired",
                "⏳",
                ("retry",),
                "Approval {id} expired after {seconds} s without an answer.",
            ),
            Variant((), "denied", "🛑", (), "Approval {id} denied by {who}."),
        ),
    ),
    Ending(
        reason="interrupt_drain_guard",
        meaning="too many approval rounds in one turn",
        after_remedy=True,
        remedy=_CHANGE,
        exit_code=3,
        status="truncated",
        variants=_one(
            "stuck", "⚠️", "Too many approval rounds in one turn ({n}). Allow safe tools in advance."
        ),
    ),
    Ending(
        reason="suspended",
        aliases=("paused", "pause_turn", "input_required"),
        meaning="parked, waiting for a person; resumable",
        after_remedy=True,
        remedy="resume",
        told_when="no question was delivered",
        exit_code=3,
        status="truncated",
        variants=_one("waiting", "⏳", "Parked for a person since {time}; expires {time}."),
    ),
    Ending(
        reason="abandoned",
        meaning="nobody listens any more (client gone)",
        told_when="the chat is still reachable",
        exit_code=130,
        variants=_one(
            "cancelled",
            "🛑",
            "Nobody listened any more (client gone). Shown if the chat returns.",
            "retry",
        ),
    ),
    Ending(
        reason="aborted",
        aliases=("shutdown", "drained"),
        meaning="the gateway was stopped or restarted mid-turn",
        retry_as_is=True,
        after_remedy=True,
        remedy="resume",
        exit_code=75,
        variants=(
            Variant(
                ("resumable",),
                "restarted.resume",
                "⏳",
                ("continue", "retry"),
                "Gateway stopped or crashed mid-turn; tools started: {n}.",
            ),
            Variant(
                (),
                "restarted",
                "⏳",
                ("retry",),
                "Gateway stopped or crashed mid-turn; no tool had started.",
            ),
        ),
    ),
    Ending(
        reason="superseded",
        meaning="a newer message of the same person replaced this turn",
        told=False,
        variants=(
            Variant(
                ("visible",),
                "replaced",
                "🛑",
                (),
                "Replaced by turn {turn}; the newer turn carries the outcome.",
            ),
            Variant((), "", "", (), "Replaced by turn {turn}; the newer turn carries the outcome."),
        ),
    ),
    Ending(
        reason="busy",
        aliases=("queue_full", "admission_rejected"),
        meaning="not accepted: queue or concurrency bound reached",
        retry_as_is=True,
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=_one(
            "busy", "⏳", "Queue or concurrency bound reached ({which}={n}). Raise it or add a replica."
        ),
    ),
    Ending(
        reason="input_unreadable",
        meaning="attachment or voice could not be fetched, was too large or of an unknown kind",
        retry_as_is=True,
        after_remedy=True,
        remedy=_CHANGE,
        variants=(
            _file("large", "Attachment over `max_attachment` ({bytes})."),
            _file("kind", "Attachment type {mime} not accepted by this agent."),
            _file("fetch", "Download from the platform failed ({status}).", "retry"),
            _file("voice", "No transcription configured, or it failed ({class})."),
            _file("", "Message kind {kind} not supported (sticker, poll, call …)."),
        ),
    ),
    Ending(
        reason="error",
        aliases=("failed", "unknown"),
        meaning="an exception nothing recognised",
        retry_as_is=True,
        variants=_one(
            "error",
            "⚠️",
            "Unrecognised exception {class} at {site}; trace in the record. Report it.",
            "retry",
        ),
    ),
)

UNKNOWN = Ending(
    reason="",
    meaning="a word the registry does not know",
    retry_as_is=True,
    variants=_one("generic", "⏳", "Unknown reason word {token}; kept as is. Add an alias.", "retry"),
)
