"""Every provider from YAML through the gateway and Telegram to what a person reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.emulators.providers.server import Emulator
from tests.emulators.telegram import TelegramEmulator
from tests.integration.agents.providers.asking import DIALECTS, settings
from tests.integration.inprocess import running

CHAT = 4711
_TOLD = {
    "completed": "",
    "length": "My answer became too long and stops here",
    "rate": "I am getting more requests than I can handle right now",
    "key": "I can't answer right now because of a problem on our side",
    "context": "too long for m",
    "server": "A technical problem kept me from answering",
    "empty": "I finished without anything to show you",
}


def _yaml(tg: TelegramEmulator, options: dict[str, object]) -> str:
    return json.dumps(
        {
            "version": 1,
            "store": "sqlite:lastword.db",
            "server": {"port": 0},
            "agents": {"helper": options | {"timeout": "30s"}},
            "bots": {
                "support": {
                    "platform": "telegram",
                    "token": tg.token,
                    "api_base": tg.base,
                    "agent": "helper",
                    "surface_completion_reason": True,
                    "access": {"dm": "open"},
                    "rates": {"overall": 0, "chat": 0, "group": 0},
                }
            },
        }
    )


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("provider", DIALECTS)
async def test_ending_is_told_in_telegram(tmp_path: Path, provider: str, streamed: bool) -> None:
    async with (
        Emulator(DIALECTS[provider]) as api,
        TelegramEmulator() as tg,
        running(tmp_path, _yaml(tg, settings(api, stream=streamed))),
    ):
        for count, (marker, told) in enumerate(_TOLD.items(), 1):
            tg.say(f"please [[{marker}]]")
            await tg.until(lambda count=count: len(tg.messages(CHAT)) >= count)  # type: ignore[misc]
            text = tg.texts(CHAT)[-1]

            assert told in text, (marker, text)
            assert (f"[[{marker}]]" in text) == (marker == "completed")
            assert "hidden" not in text
