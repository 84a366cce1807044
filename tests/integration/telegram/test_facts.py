"""What Telegram tells about a bot before it runs."""

from __future__ import annotations

import json

import pytest

from gateway.errors import Uncertain
from tests.emulators.telegram import BOT, Fault
from tests.integration.telegram.alone import alone


async def test_new_bot_is_told_whole() -> None:
    async with alone() as (adapter, _):
        facts = dict(await adapter.probe())

    private = facts.pop("reads in groups")
    assert private.startswith("commands, mentions and replies; for all messages tell @BotFather /setprivacy")
    assert facts == {
        "name": "@emulated_bot",
        "id": "123456789",
        "address": "https://t.me/emulated_bot",
        "joins groups": "yes",
        "commands": "none yet; they are registered when it runs",
        "webhook": "none",
        "waiting": "0",
    }


async def test_bot_without_privacy_reads_all_messages() -> None:
    me = BOT | {"can_join_groups": False, "can_read_all_group_messages": True}
    async with alone() as (adapter, tg):
        tg.fail("getMe", Fault(body=json.dumps({"ok": True, "result": me}).encode()))

        facts = await adapter.probe()

    assert facts["reads in groups"] == "all messages"
    assert facts["joins groups"].startswith("no; ")


async def test_webhook_is_named_by_its_host_alone() -> None:
    """The rest of the address may be somebody's secret."""
    async with alone() as (adapter, tg):
        tg.hooks.set({"url": "https://rival.example/secret-path"})
        tg.say("hello")
        await tg.until(lambda: tg.hooks.error[1])

        facts = await adapter.probe()

    assert (facts["webhook"], facts["waiting"]) == ("rival.example", "1")
    assert facts["last failure"] == "Failed to resolve host: rival.example"
    assert "secret-path" not in repr(facts)


async def test_commands_are_counted() -> None:
    async with alone() as (adapter, tg):
        tg.chats.commands[""] = [{"command": "stop", "description": "Stop"}]

        assert (await adapter.probe())["commands"] == "1 registered"


async def test_server_that_knows_less_tells_less() -> None:
    async with alone() as (adapter, tg):
        tg.without("getMyCommands")
        tg.without("getWebhookInfo")

        facts = await adapter.probe()

    assert facts["name"] == "@emulated_bot"
    assert not {"commands", "webhook", "waiting"} & facts.keys()


async def test_answer_that_is_no_bot_is_refused() -> None:
    async with alone() as (adapter, tg):
        tg.fail("getMe", Fault(body=b'{"ok": true, "result": "bot"}'))

        with pytest.raises(Uncertain, match="Bot API"):
            await adapter.probe()
