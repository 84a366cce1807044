"""However a turn ended, the next request is one that the provider takes."""

from __future__ import annotations

import pytest

from gateway.testing.turn import remember, turn_request
from tests.emulators.providers.server import Emulator
from tests.integration.agents.providers.asking import DIALECTS, ask, settings

_BROKEN_OFF = (
    "length",
    "length_empty",
    "filter_with_text",
    "refusal",
    "thoughts",
    "whitespace",
    "cut",
    "eof",
    "eof_empty",
    "error_frame",
    "tools",
    "broken_tools",
    "cut_tool",
    "pause",
    "pause_silent",
    "guardrail",
    "malformed",
    "blocked",
    "failed_with_text",
    "cancelled",
)
_CASES = [
    (provider, answer)
    for provider, dialect in DIALECTS.items()
    for answer in _BROKEN_OFF
    if answer in dialect.answers
]


@pytest.mark.parametrize(("provider", "answer"), _CASES)
async def test_turn_goes_on_after_any_end(provider: str, answer: str) -> None:
    """No tool call stays without its result, no message is empty, and whose turn it is stays right."""
    async with Emulator(DIALECTS[provider]) as api:
        written = settings(api, max_steps=2)
        first = turn_request(f"[[{answer}]]")
        ended = await ask(written, first)
        history = remember(first, ended.result, ended.context)
        api.next("rest")
        rest = await ask(written, turn_request("continue", turn="t2", history=history, resume=True))

    assert (rest.completion.reason, rest.text, api.problems) == ("completed", "eleven twelve.", [])
