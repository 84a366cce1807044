"""Every provider that the built-in agent names, ending in every way it can, streamed and not."""

from __future__ import annotations

import pytest

from tests.emulators.providers.answers import SECRET
from tests.emulators.providers.server import Emulator
from tests.integration.agents.providers.asking import DIALECTS, ask, settings
from tests.integration.agents.providers.expected import EXPECTED, LEFT_OUT, End

pytestmark = pytest.mark.filterwarnings("ignore:COSMIC_RAYS is not a valid FinishReason:UserWarning")


@pytest.mark.parametrize("provider", DIALECTS)
def test_every_answer_of_a_provider_is_expected(provider: str) -> None:
    assert set(EXPECTED[provider]) == set(DIALECTS[provider].answers) - LEFT_OUT


def _cases(*, streamed: bool) -> list[object]:
    return [
        pytest.param(provider, name, streamed, end if streamed else end.whole or end, id=f"{provider}-{name}")
        for provider, ends in EXPECTED.items()
        for name, end in ends.items()
        if streamed or not end.streams
    ]


@pytest.mark.parametrize(("provider", "answer", "streamed", "end"), _cases(streamed=True))
async def test_streamed_turn_ends_as_the_provider_ended_it(
    provider: str, answer: str, streamed: bool, end: End
) -> None:
    await _check(provider, answer, end, streamed=streamed)


@pytest.mark.parametrize(("provider", "answer", "streamed", "end"), _cases(streamed=False))
async def test_whole_turn_ends_as_the_provider_ended_it(
    provider: str, answer: str, streamed: bool, end: End
) -> None:
    await _check(provider, answer, end, streamed=streamed)


async def _check(provider: str, answer: str, end: End, *, streamed: bool) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        ended = await ask(settings(api, stream=streamed, max_steps=3), f"[[{answer}]]")

    found = ended.completion
    assert (found.reason, found.token, found.retry_after) == (end.reason, end.token, end.wait)
    assert ended.text == end.text
    assert (len(api.requests), api.problems) == (end.requests, [])
    assert SECRET not in ended.text + repr(found.to_dict())
