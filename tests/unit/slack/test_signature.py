"""Whether a request is Slack's own."""

from __future__ import annotations

import pytest

from gateway_adapters.slack.signature import signature, signed

_SECRET, _BODY, _AT = "0123456789abcdef", b'{"type":"event_callback"}', 1_796_000_000


def _is_signed(**changed: object) -> bool:
    given: dict[str, object] = {"timestamp": str(_AT), "body": _BODY, "now": float(_AT)}
    given["given"] = signature(_SECRET, str(_AT), _BODY)
    return signed(_SECRET, **{**given, **changed})  # type: ignore[arg-type]


def test_signature_agrees_with_slacks_own_example() -> None:
    """The example on Slack's page about verifying requests."""
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554"
        b"%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )

    made = signature("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", body)

    assert made == "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"


def test_signed_body_is_taken() -> None:
    assert _is_signed()


@pytest.mark.parametrize(
    "changed",
    [
        {"body": _BODY + b" "},
        {"timestamp": str(_AT + 1)},
        {"given": ""},
        {"given": "v0="},
        {"given": "v0=é"},
        {"given": signature("other secret", str(_AT), _BODY)},
        {"now": _AT + 301.0},
        {"now": _AT - 301.0},
        {"timestamp": ""},
        {"timestamp": "１７９６００００００"},
        {"timestamp": "1" * 5000},
    ],
)
def test_anything_else_is_refused(changed: dict[str, object]) -> None:
    assert not _is_signed(**changed)
