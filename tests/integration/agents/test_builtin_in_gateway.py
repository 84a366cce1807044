"""Remedies through the whole gateway: from YAML to what a person reads, and to the record."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.emulators.openai import Answer, OpenAIEmulator
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running

CHAT = 4711
_SLOW_DOWN = Answer(status=429, error={"message": "Slow down."}, headers={"retry-after-ms": "50"})


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
    tools: ["tests.integration.telegram.lookup:lookup"]
    timeout: 20s
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


def _records(folder: Path) -> list[dict[str, Any]]:
    """What `lastword turns` tells an operator, oldest first."""
    listed = subprocess.run(
        [sys.executable, "-m", "gateway", "turns", "--config", str(folder / "bots.yaml"), "--output", "json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in reversed(listed.stdout.splitlines())]


def _why(folder: Path, ref: str) -> str:
    told = subprocess.run(
        [sys.executable, "-m", "gateway", "why", ref, "--config", str(folder / "bots.yaml")],
        check=True,
        capture_output=True,
        text=True,
    )
    return told.stdout


@pytest.mark.parametrize("more", ["", "stream: false"])
async def test_remedy_that_works_leaves_no_note_and_is_on_the_record(tmp_path: Path, more: str) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api, f"auto_continue: 1\n    {more}")),
    ):
        api.next(_SLOW_DOWN, "cut", Answer("One two", token="length"), Answer("three."))
        tg.say("hello")
        await tg.until(lambda: tg.messages(CHAT))
        assert tg.texts(CHAT) == ["One two three."]

    (record,) = _records(tmp_path)
    assert record["completion"]["reason"] == "completed"
    assert [remedy["kind"] for remedy in record["remedies"]] == ["retry", "retry", "auto_continue"]
    assert record["remedies"][0]["waited"] == 0.05
    story = _why(tmp_path, record["ref"])
    assert "retry (after rate_limited@" in story
    assert "auto continue (after length_truncated@" in story


async def test_remedies_that_run_out_tell_the_truth(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api, 'fallback: ["openai-chat:large"]')),
    ):
        api.next(_SLOW_DOWN, _SLOW_DOWN, "rate", "key")
        tg.say("hello")
        await tg.until(lambda: tg.messages(CHAT))
        assert "more requests than I can handle right now" in tg.texts(CHAT)[0]
        assert "7\u00a0seconds" in tg.texts(CHAT)[0] or "7 seconds" in tg.texts(CHAT)[0]

    (record,) = _records(tmp_path)
    assert [remedy["kind"] for remedy in record["remedies"]] == ["retry", "retry", "fallback"]
    assert record["remedies"][2]["detail"] == "large"


async def test_summary_stands_for_what_was_said_before(tmp_path: Path) -> None:
    """The turn after a compacted one is asked with the summary, and overflows no more."""
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api)),
    ):
        for count in range(1, 5):
            tg.say(f"Story {count} of many.")
            await tg.until(lambda count=count: len(tg.messages(CHAT)) == count)  # type: ignore[misc]
        api.next("context", Answer("Many stories were told."), Answer("So it was."))
        tg.say("And then?")
        await tg.until(lambda: len(tg.messages(CHAT)) == 5)
        assert tg.texts(CHAT)[4] == "So it was."
        tg.say("And now?")
        await tg.until(lambda: len(tg.messages(CHAT)) == 6)

    asked = _asked(api.requests[-1])
    assert "Many stories were told." in asked
    assert "Story 1" not in asked
    assert "And then?" in asked
    assert api.problems == []


async def test_one_message_that_is_too_long_is_told_as_that(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api)),
    ):
        api.next("context")
        tg.say("hello")
        await tg.until(lambda: tg.messages(CHAT))

        assert "This message is too long for me" in tg.texts(CHAT)[0]
        assert len(api.requests) == 1


def _asked(body: Mapping[str, Any]) -> str:
    return "\n".join(str(message.get("content")) for message in body["messages"])


async def test_message_that_comes_meanwhile_joins_the_running_answer(tmp_path: Path) -> None:
    """What is said while the model works reaches it after its next tool call, and is no turn of its own."""
    call = Answer("", call=("lookup", '{"key": "x"}'), token="tool_calls", pace=0.2)
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api).replace("agent: helper", "agent: helper\n    mid_turn: steer")),
    ):
        api.next(call, Answer("Both then."))
        tg.say("Find x.")
        await tg.until(lambda: api.requests)
        tg.say("And y as well.")
        await tg.until(lambda: tg.messages(CHAT))
        assert tg.texts(CHAT) == ["Both then."]

    assert "And y as well." in _asked(api.requests[1])
    joined, first = sorted(_records(tmp_path), key=lambda record: str(record["state"]))
    assert (joined["state"], joined["parent"]) == ("covered", first["turn"])


async def test_message_that_no_tool_call_follows_is_answered_next(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api).replace("agent: helper", "agent: helper\n    mid_turn: steer")),
    ):
        api.next("slow", Answer("And that."))
        tg.say("Count.")
        await tg.until(lambda: api.requests)
        tg.say("And that?")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT)[1] == "And that."
