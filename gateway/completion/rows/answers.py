"""Endings of the answer itself: what the agent and its model did."""

from __future__ import annotations

from gateway.completion.shape import Ending, Variant

__all__ = ["ANSWERS"]

ANSWERS: tuple[Ending, ...] = (
    Ending(
        reason="completed",
        aliases=("", "stop", "end_turn"),
        meaning="the agent finished by itself",
        told=False,
        exit_code=0,
        status="ok",
        variants=(Variant((), "", "", (), "Finished normally."),),
    ),
    Ending(
        reason="max_steps",
        aliases=("recursion_limit", "max_turn_requests", "max_iterations"),
        meaning="step budget used up",
        after_remedy=True,
        remedy="resume",
        exit_code=3,
        status="truncated",
        variants=(
            Variant(
                (),
                "max_steps",
                "⏳",
                ("continue",),
                "Step budget used up ({steps}). Raise `max_steps` or reduce tool calls.",
            ),
        ),
    ),
    Ending(
        reason="length_truncated",
        aliases=("output_truncated", "length", "max_tokens"),
        meaning="answer hit the output limit",
        after_remedy=True,
        remedy="resume",
        exit_code=3,
        status="length_truncated",
        variants=(
            Variant(
                ("empty",),
                "length.empty",
                "⏳",
                ("retry",),
                "Output limit used up with no text, often by reasoning. Raise or unset `max_tokens`.",
            ),
            Variant(
                (),
                "length",
                "⏳",
                ("continue",),
                "Output limit reached. Raise `max_tokens` or set `auto_continue`.",
            ),
        ),
    ),
    Ending(
        reason="cancelled",
        meaning="the user (or somebody allowed to) stopped it",
        retry_as_is=True,
        exit_code=130,
        variants=(
            Variant(
                (),
                "cancelled",
                "🛑",
                ("retry",),
                "Stopped by {who} through {how}; {n} queued messages kept or dropped.",
            ),
        ),
    ),
    Ending(
        reason="refused",
        aliases=("content_refusal", "refusal"),
        meaning="the model declined",
        after_remedy=True,
        remedy="change-request",
        exit_code=4,
        status="refused",
        variants=(
            Variant(
                ("partial",),
                "refused.partial",
                "🛑",
                (),
                "Model declined after some text ({token}). Exchange kept out of history.",
            ),
            Variant(
                (),
                "refused",
                "🛑",
                (),
                "Model declined ({token}). Not a fault; if frequent, check instructions.",
            ),
        ),
    ),
    Ending(
        reason="content_filtered",
        aliases=("content_filter", "guardrail", "blocked_by_policy"),
        meaning="a filter or guardrail (provider's or the agent's) blocked prompt or answer",
        after_remedy=True,
        remedy="change-request",
        exit_code=4,
        status="content_filtered",
        variants=(
            Variant(
                ("partial",),
                "filtered.partial",
                "🛑",
                (),
                "Provider filter cut a running answer ({token}). Review filter settings.",
            ),
            Variant(
                (),
                "filtered",
                "🛑",
                (),
                "Provider filter blocked prompt or answer ({token}). Review filter settings.",
            ),
        ),
    ),
    Ending(
        reason="empty_response",
        aliases=("empty",),
        meaning="nothing a person could read came back",
        retry_as_is=True,
        after_remedy=True,
        remedy="change-model",
        variants=(
            Variant(
                (),
                "empty",
                "⚠️",
                ("retry",),
                "No readable text: blank, thoughts only or tool calls only. Check model and tools.",
            ),
        ),
    ),
    Ending(
        reason="stream_cut",
        aliases=("incomplete",),
        meaning="the stream stopped with no terminal event",
        retry_as_is=True,
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=(
            Variant(
                ("partial",),
                "hiccup.partial",
                "⚠️",
                ("retry",),
                "Stream ended without a terminal event after {n} characters.",
            ),
            Variant((), "hiccup", "⚠️", ("retry",), "Stream ended without a terminal event and without text."),
        ),
    ),
    Ending(
        reason="context_overflow",
        aliases=("context_length_exceeded",),
        meaning="prompt plus history exceed the input window",
        after_remedy=True,
        remedy="reduce-context",
        variants=(
            Variant(
                ("message",),
                "overflow.message",
                "⏳",
                (),
                "One message exceeds the input window, even without history.",
            ),
            Variant(
                (),
                "overflow",
                "⏳",
                ("new",),
                "Input window exceeded after compaction. Lower `history` or enable compaction.",
            ),
        ),
    ),
)
