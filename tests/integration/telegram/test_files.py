"""Files beside a message: fetched, bounded, given to the agent, or told why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.emulators.openai import OpenAIEmulator
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.inprocess import running

CHAT = 4711
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + b"pixels"


def _yaml(tg: TelegramEmulator, api: OpenAIEmulator, *, accepts: str = "[image]", bot: str = "") -> str:
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  helper:
    model: "openai-chat:small"
    api_key: "{api.key}"
    base_url: "{api.base_url}"
    accepts: {accepts}
    retries: 0
bots:
  support:
    platform: telegram
    token: "{tg.token}"
    api_base: "{tg.base}"
    agent: helper
    surface_completion_reason: true
    access: {{dm: open}}
    {bot}
"""


def _send(tg: TelegramEmulator, data: bytes, kind: str = "document", **more: Any) -> None:
    """A person sends a file."""
    file: Any = {"file_id": tg.attach(data), "file_unique_id": "u", "file_size": len(data)} | more
    message: Any = tg.inbound(CHAT) | {kind: [file] if kind == "photo" else file}
    caption = message[kind].pop("caption", "") if kind != "photo" else file.pop("caption", "")
    tg.push({"message": message | ({"caption": caption} if caption else {})})


async def test_picture_is_given_to_the_model_with_its_caption(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api)),
    ):
        _send(tg, PNG, "photo", width=1, height=1, caption="What is this?")
        await tg.until(lambda: tg.messages(CHAT))
        tg.say("And now?")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

    content = api.requests[0]["messages"][-1]["content"]
    assert content[0] == {"type": "text", "text": "What is this?"}
    assert content[1]["image_url"]["url"].startswith("data:image/jpeg;base64,")
    later = json.dumps(api.requests[1])
    assert "[a file: image/jpeg]" in later
    assert "base64" not in later


async def test_text_file_is_read_as_text_by_any_model(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api, accepts="[]")),
    ):
        _send(tg, "größer".encode(), mime_type="text/plain", file_name="note.txt")
        await tg.until(lambda: tg.messages(CHAT))

        assert "note.txt" in tg.texts(CHAT)[0]
        assert "größer" in tg.texts(CHAT)[0]


@pytest.mark.parametrize(
    ("kind", "more", "told"),
    [
        ("document", {"mime_type": "application/zip"}, "I can't open this kind of file"),
        ("voice", {"mime_type": "audio/ogg", "duration": 1}, "I can't listen to voice messages here"),
    ],
)
async def test_file_that_the_agent_cannot_read_is_told(
    tmp_path: Path, kind: str, more: dict[str, Any], told: str
) -> None:
    async with OpenAIEmulator() as api, TelegramEmulator() as tg, running(tmp_path, _yaml(tg, api)):
        _send(tg, b"bytes", kind, **more)
        await tg.until(lambda: tg.messages(CHAT))

        assert told in tg.texts(CHAT)[0]
        assert api.requests == []


async def test_file_that_is_too_large_is_told_with_the_limit(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, api, bot="max_attachment: 2kB")),
    ):
        _send(tg, PNG + bytes(3_000), "photo", width=1, height=1)
        await tg.until(lambda: tg.messages(CHAT))
        _send(tg, PNG + bytes(3_000), "photo", width=1, height=1, file_size=10)
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        for text in tg.texts(CHAT):
            assert "larger than I can take (2 kB)" in text.replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize("fault", [Fault(500, "Internal"), Fault(400, "Bad Request: wrong file_id")])
async def test_file_that_cannot_be_fetched_is_told_and_can_be_tried_again(
    tmp_path: Path, fault: Fault
) -> None:
    async with OpenAIEmulator() as api, TelegramEmulator() as tg, running(tmp_path, _yaml(tg, api)):
        tg.fail("getFile", fault)
        _send(tg, PNG, "photo", width=1, height=1, caption="Look.")
        await tg.until(lambda: tg.messages(CHAT))
        assert "I could not download your file" in tg.texts(CHAT)[0]
        assert api.requests == []
        tg.press(CHAT, "Retry")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert len(api.requests) == 1


async def test_album_is_one_message(tmp_path: Path) -> None:
    async with OpenAIEmulator() as api, TelegramEmulator() as tg, running(tmp_path, _yaml(tg, api)):
        for number in range(3):
            caption = {"caption": "All three."} if number == 0 else {}
            file = {"file_id": tg.attach(PNG), "file_unique_id": "u", "width": 1, "height": 1}
            tg.push({"message": tg.inbound(CHAT) | {"photo": [file], "media_group_id": "g1"} | caption})
        await tg.until(lambda: tg.messages(CHAT))

        assert len(api.requests) == 1
        content = api.requests[0]["messages"][-1]["content"]
        assert [part["type"] for part in content] == ["text", "image_url", "image_url", "image_url"]
