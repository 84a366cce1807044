"""Endings that the provider or the way to it brings about."""

from __future__ import annotations

from gateway.completion.shape import Ending, Variant

__all__ = ["FAULTS"]

_CONNECTION = "Connection to the provider failed ({phase}). Check network, proxy, DNS."
_PROVIDER = "Provider fault or overload ({status}). See its status page; add `fallback`."


def _unavailable(operator: str) -> tuple[Variant, ...]:
    return (
        Variant(("contact",), "unavailable.contact", "⚠️", (), operator),
        Variant(("told",), "unavailable.told", "⚠️", (), operator),
        Variant((), "unavailable", "⚠️", (), operator),
    )


def _hiccup(operator: str) -> tuple[Variant, ...]:
    return (
        Variant(("partial",), "hiccup.partial", "⚠️", ("retry",), operator),
        Variant((), "hiccup", "⚠️", ("retry",), operator),
    )


FAULTS: tuple[Ending, ...] = (
    Ending(
        reason="rate_limited",
        meaning="provider asks to slow down",
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=(
            Variant(
                ("wait",), "crowded.wait", "⏳", ("retry",), "Provider asks to slow down for {retry_after} s."
            ),
            Variant(
                (),
                "crowded",
                "⏳",
                ("retry",),
                "Provider asks to slow down. Add `fallback`, raise your tier or lower concurrency.",
            ),
        ),
    ),
    Ending(
        reason="quota_exhausted",
        aliases=("quota_exceeded",),
        meaning="provider account is out of money or quota; waiting does not help",
        after_remedy=True,
        remedy="fix-credentials",
        exit_code=78,
        variants=_unavailable(
            "Provider account out of money or quota. Waiting does not help: top up. Alert owner."
        ),
    ),
    Ending(
        reason="auth_failed",
        meaning="provider rejected the credentials",
        after_remedy=True,
        remedy="fix-credentials",
        exit_code=78,
        variants=_unavailable(
            "Provider rejected the credentials of agent {agent}. Renew the key. Alert owner."
        ),
    ),
    Ending(
        reason="model_not_found",
        meaning="the model does not exist or is not served",
        after_remedy=True,
        remedy="change-model",
        exit_code=78,
        variants=_unavailable("Model not served or no access. Correct `model` or `base_url`. Alert owner."),
    ),
    Ending(
        reason="invalid_request",
        meaning="provider rejected the request itself",
        variants=(
            Variant(
                (),
                "invalid",
                "⚠️",
                ("new",),
                "Provider rejected the request: broken history, tool schema or attachment.",
            ),
        ),
    ),
    Ending(
        reason="provider_error",
        aliases=("overloaded", "server_error"),
        meaning="fault on the provider's side",
        retry_as_is=True,
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=_hiccup(_PROVIDER),
    ),
    Ending(
        reason="network_error",
        meaning="the connection failed",
        retry_as_is=True,
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=_hiccup(_CONNECTION),
    ),
    Ending(
        reason="timeout",
        aliases=("hard_timeout",),
        meaning="a deadline passed",
        retry_as_is=True,
        after_remedy=True,
        remedy="back-off",
        exit_code=75,
        variants=(
            Variant(
                ("partial",),
                "timeout.partial",
                "⏳",
                ("retry",),
                "Deadline passed with partial text ({which}). Raise `timeout`.",
            ),
            Variant(
                (),
                "timeout",
                "⏳",
                ("retry",),
                "Deadline passed ({which}). Raise `timeout`, or find the slow tool.",
            ),
        ),
    ),
)
