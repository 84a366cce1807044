"""What `check --probe` and `setup --config` tell of a bot."""

from __future__ import annotations

import pytest

from gateway.errors import AdapterError, Unauthorised, Uncertain
from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.alone import adapter_of


async def _facts(discord: DiscordEmulator, *, content: bool) -> dict[str, str]:
    adapter = adapter_of(discord, intents={"message_content": content})
    try:
        return dict(await adapter.probe())
    finally:
        await adapter.close()


@pytest.mark.parametrize(
    ("granted", "asked", "groups", "content"),
    [
        (True, True, "all messages", "granted"),
        (False, True, "commands, mentions and replies", "asked for, but not switched on"),
        (True, False, "commands, mentions and replies", "granted, not asked for"),
        (False, False, "commands, mentions and replies", "not asked for"),
    ],
)
async def test_facts_tell_what_the_bot_reads_and_where_it_is_added(
    granted: bool, asked: bool, groups: str, content: str
) -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.content_approved = granted
        facts = await _facts(discord, content=asked)

        assert facts["name"] == "@TestBot"
        assert f"client_id={discord.world.backend.application_id}" in facts["address"]
        assert facts["reads in groups"].startswith(groups)
        assert facts["message content"].startswith(content)
        assert facts["servers"] == "1"
        assert facts["commands"].startswith("none yet")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(status=401), Unauthorised),
        (Fault(status=200, raw="<html>"), Uncertain),
        (Fault(status=500), Uncertain),
    ],
)
async def test_probe_of_what_does_not_answer_says_so(fault: Fault, expected: type[AdapterError]) -> None:
    async with DiscordEmulator() as discord:
        discord.fail("GET", "/users/@me", fault)
        with pytest.raises(expected):
            await _facts(discord, content=False)
