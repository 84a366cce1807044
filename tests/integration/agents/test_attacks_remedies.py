"""Remedies that take longer than the agent may be quiet."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway_agents.builtin.seam import joined
from tests.emulators.openai import Answer, OpenAIEmulator
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running

CHAT = 4711


def _yaml(tg: TelegramEmulator, api: OpenAIEmulator, more: str = "") -> str:
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  helper:
    model: "openai-chat:small"
    api_key: "{api.key}"
    base_url: "{api.base_url}"
    timeout: 20s
    idle_timeout: 1s
    {more}
bots:
  support:
    platform: telegram
    token: "{tg.token}"
    api_base: "{tg.base}"
    agent: helper
    surface_completion_reason: true
    access: {{dm: open}}
"""


async def test_wait_before_a_retry_is_no_silence(tmp_path: Path) -> None:
    async with OpenAIEmulator() as api, TelegramEmulator() as tg, running(tmp_path, _yaml(tg, api)):
        slow_down = Answer(status=429, error={"message": "Slow down."}, headers={"retry-after-ms": "2500"})
        api.next(slow_down, Answer("Here."))
        tg.say("hello")
        await tg.until(lambda: tg.messages(CHAT))

        assert tg.texts(CHAT) == ["Here."]


async def test_summary_that_takes_long_is_no_silence(tmp_path: Path) -> None:
    async with OpenAIEmulator() as api, TelegramEmulator() as tg, running(tmp_path, _yaml(tg, api)):
        for count in range(1, 5):
            tg.say(f"Story {count} of many.")
            await tg.until(lambda count=count: len(tg.messages(CHAT)) == count)  # type: ignore[misc]
        summary = Answer("Many stories were told and many more are to come.", pace=0.25)
        api.next("context", summary, Answer("So it was."))
        tg.say("And then?")
        await tg.until(lambda: len(tg.messages(CHAT)) == 5)

        assert tg.texts(CHAT)[4] == "So it was."


async def test_stop_ends_the_wait_before_a_retry(tmp_path: Path) -> None:
    async with OpenAIEmulator() as api, TelegramEmulator() as tg, running(tmp_path, _yaml(tg, api)):
        slow_down = Answer(status=429, error={"message": "Slow down."}, headers={"retry-after-ms": "6000"})
        api.next(slow_down, Answer("Here."))
        tg.say("hello")
        await tg.until(lambda: api.requests)
        tg.say("/stop")
        await tg.until(lambda: tg.messages(CHAT), timeout=3.0)

        assert "interrupted before it finished" in tg.texts(CHAT)[0]
        assert len(api.requests) == 1


_CODE = "Here:\n\n```python\nfor one in range(3):\n    print(one)\n"


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        (_CODE, "```python\n    print(two)\n```", f"{_CODE}    print(two)\n```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| 3 | 4 |", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        ("これは長い", "これは長い答えです。", "これは長い答えです。"),
        ("שלום לכולם וברוכים", "הבאים", "שלום לכולם וברוכים הבאים"),
        ("Family 👨‍👩", "‍👧 here", "Family 👨‍👩‍👧 here"),
    ],
    ids=["code", "table", "cjk", "rtl", "emoji"],
)
def test_answer_that_is_gone_on_with_reads_as_one(first: str, second: str, whole: str) -> None:
    assert joined(first, second) == whole
