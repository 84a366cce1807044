"""The emulated provider is as strict as a real one, and answers its own client."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import openai
import pytest

from tests.emulators.openai import OpenAIEmulator


@pytest.fixture
async def api() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator() as api:
        yield api


def _client(api: OpenAIEmulator, *, key: str = "") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key=key or api.key, base_url=api.base_url, max_retries=0)


@pytest.mark.parametrize(
    ("marker", "token", "text"),
    [("completed", "stop", "[[completed]]"), ("filter_with_text", "content_filter", "One two")],
)
async def test_emulator_answers_in_one_piece(api: OpenAIEmulator, marker: str, token: str, text: str) -> None:
    async with _client(api) as client:
        answer = await client.chat.completions.create(
            model="small", messages=[{"role": "user", "content": f"[[{marker}]]"}]
        )

    assert (answer.choices[0].finish_reason, answer.choices[0].message.content) == (token, text)


async def test_emulator_gives_queued_answers_first(api: OpenAIEmulator) -> None:
    api.next("length")

    async with _client(api) as client:
        words = [
            (
                await client.chat.completions.create(
                    model="small", messages=[{"role": "user", "content": "hello"}]
                )
            )
            .choices[0]
            .finish_reason
            for _ in range(2)
        ]

    assert words == ["length", "stop"]


async def test_emulator_refuses_a_wrong_key(api: OpenAIEmulator) -> None:
    async with _client(api, key="sk-wrong") as client:
        with pytest.raises(openai.AuthenticationError):
            await client.chat.completions.create(model="small", messages=[{"role": "user", "content": "x"}])

    assert api.problems == ["wrong key"]


async def test_emulator_refuses_a_tool_result_without_its_call(api: OpenAIEmulator) -> None:
    async with _client(api) as client:
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(
                model="small",
                messages=[
                    {"role": "user", "content": "x"},
                    {"role": "tool", "tool_call_id": "call_9", "content": "y"},
                ],
            )

    assert api.problems == ["a tool result without its call"]


async def test_emulator_refuses_an_empty_message(api: OpenAIEmulator) -> None:
    async with _client(api) as client:
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(model="small", messages=[{"role": "user", "content": ""}])

    assert api.problems == ["an empty user message"]
