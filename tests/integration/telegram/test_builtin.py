"""The built-in agent through the whole gateway: a provider's ending, read, told in Telegram."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gateway.notes import Notebook
from tests.emulators.openai import OpenAIEmulator
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.small_model import NoModelError, install, serve

CHAT = 4711
NOTEBOOK = Notebook()

# The provider's answer, the text group it is told with, and whether answer text stands before the note.
ENDINGS = [
    ("completed", "", True),
    ("length", "length", True),
    ("refusal", "refused.partial", True),
    ("filter", "filtered", False),
    ("filter_with_text", "filtered.partial", True),
    ("rate", "crowded.wait", False),
    ("deaf", "timeout", False),
    ("hang", "timeout.partial", True),
    ("cut", "hiccup.partial", True),
    ("eof", "hiccup.partial", True),
    ("empty", "empty", False),
    ("whitespace", "empty", False),
    ("tools", "max_steps", True),
    ("quota", "unavailable", False),
    ("key", "unavailable", False),
    ("context", "overflow", False),
    ("server", "hiccup", False),
]


def _yaml(tg: TelegramEmulator, base_url: str, *, surface: bool = True, more: str = "") -> str:
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  helper:
    model: "openai-chat:small"
    api_key: "sk-emulated"
    base_url: "{base_url}"
    max_steps: 2
    retries: 0
    tools: ["tests.integration.telegram.lookup:lookup"]
    timeout: 20s
    idle_timeout: 2s
    {more}
bots:
  support:
    platform: telegram
    token: "{tg.token}"
    api_base: "{tg.base}"
    agent: helper
    surface_completion_reason: {str(surface).lower()}
    access: {{dm: open}}
    rates: {{chat: 0}}
"""


def _note(group: str, language: str) -> str:
    wait = NOTEBOOK.wait(7, language)
    return NOTEBOOK.render(group, _icon(group), language, wait=wait) if group else ""


def _icon(group: str) -> str:
    return {"refused.partial": "🛑", "filtered": "🛑", "filtered.partial": "🛑"}.get(
        group, "⚠️" if group.partition(".")[0] in ("hiccup", "unavailable", "empty") else "⏳"
    )


@pytest.mark.parametrize("language", ["en", "de"])
async def test_ending_of_the_provider_is_told(tmp_path: Path, language: str) -> None:
    """Ten kinds of endings and more, one chat, each with the right note and nothing of the provider's."""
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api.base_url)),
    ):
        for count, (marker, group, partial) in enumerate(ENDINGS, start=1):
            tg.say(f"please [[{marker}]]", language=language)
            await tg.until(lambda count=count: len(tg.messages(CHAT)) >= count, timeout=20.0)  # type: ignore[misc]
            text = tg.texts(CHAT)[-1]

            note = _note(group, language)
            assert note in text, (marker, text)
            assert bool(text.replace(note, "").split("Ref")[0].strip()) == partial, (marker, text)
            assert "hidden" not in text
        assert len(tg.messages(CHAT)) == len(ENDINGS)


async def test_stop_cancels_a_streaming_answer_and_keeps_its_text(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api.base_url).replace("idle_timeout: 2s", "idle_timeout: 10s")),
    ):
        tg.say("please [[hang]]")
        await tg.until(lambda: tg.drafts[CHAT])
        tg.say("/stop")
        await tg.until(lambda: tg.messages(CHAT), timeout=3.0)

        assert "interrupted before it finished" in tg.texts(CHAT)[0]
        assert not tg.texts(CHAT)[0].startswith("🛑")


async def test_continue_asks_the_model_for_the_rest(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api.base_url)),
    ):
        tg.say("please [[length]]")
        await tg.until(lambda: tg.messages(CHAT))
        api.next("rest")
        tg.press(CHAT, "Continue")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT)[1] == "eleven twelve."


async def test_flag_off_differs_by_the_note_alone(tmp_path: Path) -> None:
    texts: dict[bool, str] = {}
    for surface in (True, False):
        folder = tmp_path / str(surface)
        folder.mkdir()
        async with (
            OpenAIEmulator() as api,
            TelegramEmulator() as tg,
            running(folder, _yaml(tg, api.base_url, surface=surface)),
        ):
            tg.say("please [[length]]")
            await tg.until(lambda tg=tg: tg.messages(CHAT))  # type: ignore[misc]
            texts[surface] = tg.texts(CHAT)[0]

    assert texts[True] == f"{texts[False]}\n\n{NOTEBOOK.render('length', '⏳', 'en')}"


@pytest.mark.slow
async def test_real_model_runs_out_of_tokens_and_says_so(tmp_path: Path) -> None:
    """llama.cpp with a real small model: real tokens cut the answer, and the person reads how to go on."""
    try:
        weights = install()
    except NoModelError as exc:
        if os.environ.get("LASTWORD_REQUIRE") == "all":
            raise
        pytest.skip(f"no small model: {exc}")
    with serve(weights) as address:
        async with (
            TelegramEmulator() as tg,
            running(
                tmp_path,
                _yaml(tg, address, more="max_tokens: 12").replace("idle_timeout: 2s", "idle_timeout: 20s"),
            ),
        ):
            tg.say("Tell me a long story about a lighthouse.", language="ja")
            await tg.until(lambda: tg.messages(CHAT), timeout=60.0)

            assert tg.texts(CHAT)[0].endswith(NOTEBOOK.render("length", "⏳", "ja"))
