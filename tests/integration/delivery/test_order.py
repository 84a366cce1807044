"""Answers of one conversation stand in the order of what they answer, also while they grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.delivery.platforms import opened, up

_SCRIPT = """
      - {when: growing, say: "one two three four five six seven eight nine ten"}
      - {when: "*", say: "hello"}
"""


@pytest.mark.parametrize("platform", ["slack", "discord"])
async def test_answer_does_not_grow_above_one_that_still_waits(tmp_path: Path, platform: str) -> None:
    async with opened(platform) as chat:
        yaml = chat.yaml(script=_SCRIPT).replace("pace: 0.0", "pace: 0.15")
        async with up(tmp_path, chat, yaml):
            chat.stumble()  # the first answer is posted a second later, when the second has begun to grow
            chat.say("hi")
            chat.say("growing please")

            await chat.until(lambda: chat.texts() and chat.texts()[-1].endswith("ten"))

            assert [text.split()[0] for text in chat.texts()] == ["hello", "one"]
