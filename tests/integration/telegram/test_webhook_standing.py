"""How a webhook stands: what the operator is told of it, and when."""

from __future__ import annotations

import asyncio

import pytest

from gateway.testing.context import FakeAdapterContext, HurriedClock
from gateway.testing.watching import listening
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.telegram.alone import adapter_of, alone
from tests.integration.telegram.hooked import PUBLIC, hooked, public_context


@pytest.mark.parametrize("public_url", ["", "http://bots.example"])
async def test_address_that_telegram_cannot_post_to_is_told_with_what_to_set(public_url: str) -> None:
    async with alone(receive="webhook") as (adapter, tg):
        async with listening(adapter, FakeAdapterContext(public_url=public_url)) as context:
            await context.until(lambda: "misconfigured" in context.states)

        told = dict(context.reports)["misconfigured"]
        assert "https" in told
        assert "public_url" in told
        assert context.states[-1] == "stopped"
        assert tg.calls == []


async def test_address_that_telegram_refuses_is_told_in_its_words_and_tried_again() -> None:
    async with alone(receive="webhook") as (adapter, tg):
        tg.fail(
            "setWebhook",
            Fault(status=400, description="Bad Request: bad webhook: Failed to resolve host: unknown name"),
        )
        async with listening(adapter, public_context()) as context:
            await context.until(lambda: "up" in context.states)

        assert "failed to resolve host" in dict(context.reports)["misconfigured"]
        assert PUBLIC in dict(context.reports)["misconfigured"]


async def test_wait_before_the_address_is_set_again_is_kept() -> None:
    """Telegram takes one in a second."""
    clock = HurriedClock()
    async with alone(receive="webhook") as (adapter, tg):
        tg.hooks.set({"url": f"{PUBLIC}/before"})
        async with listening(adapter, public_context(clock=clock)) as context:
            await tg.until(lambda: len(tg.sent("setWebhook")) == 2)
            assert clock.sleeps[0] == 1.0
            await asyncio.sleep(1.0)
            await context.until(lambda: "up" in context.states)


async def test_address_that_telegram_cannot_reach_makes_the_bot_deaf_and_hearing_again() -> None:
    async with hooked() as bot:
        reach = bot.tg.hooks.reach.pop(PUBLIC)
        bot.tg.say("can you hear me?")
        await bot.context.until(lambda: bot.context.states[-1] == "deaf")
        detail = bot.context.reports[-1][1]

        bot.tg.hooks.reach[PUBLIC] = reach
        await bot.context.until(lambda: bot.context.states[-1] == "up")

        assert "Failed to resolve host: bots.example" in detail
        assert "waiting: 1" in detail
        assert [one.text for one in bot.context.inbounds] == ["can you hear me?"]


async def test_error_of_long_ago_makes_nobody_deaf() -> None:
    async with hooked() as bot:
        bot.tg.hooks.error = (1, "Connection timed out")
        bot.tg.hooks.first = 1000.0
        bot.tg.updates.push({"message": {}})
        looked = len(bot.tg.sent("getWebhookInfo"))
        await bot.tg.until(lambda: len(bot.tg.sent("getWebhookInfo")) > looked + 3)

        assert "deaf" not in bot.context.states


async def test_store_that_is_down_for_long_makes_the_bot_deaf() -> None:
    async with hooked(public_context(refusals=1_000_000)) as bot:
        bot.tg.say("keep me")
        await bot.context.until(lambda: any("be kept" in detail for _, detail in bot.context.reports))

        assert bot.tg.unconfirmed == 1


async def test_telegram_that_does_not_answer_for_long_makes_the_bot_deaf() -> None:
    async with hooked() as bot:
        bot.tg.fail("getWebhookInfo", *(Fault(status=502) for _ in range(15)))
        await bot.context.until(lambda: "deaf" in bot.context.states)
        await bot.context.until(lambda: bot.context.states[-1] == "up")


@pytest.mark.parametrize(
    ("url", "who"), [("https://rival.example/hook/SECRET", "rival.example"), ("", "polls this token")]
)
async def test_webhook_that_somebody_else_took_is_told_and_taken_back(url: str, who: str) -> None:
    async with hooked() as bot:
        bot.tg.updates.hook(url, None)
        await bot.context.until(lambda: "conflict" in bot.context.states)
        await bot.context.until(lambda: bot.tg.updates.webhook.startswith(PUBLIC))
        await bot.context.until(lambda: bot.context.states[-1] == "up")

        told = dict(bot.context.reports)["conflict"]
        assert who in told
        assert "BotFather" in told
        assert "SECRET" not in told


async def test_way_back_to_polling_removes_the_webhook_and_drops_nothing() -> None:
    context = public_context()
    async with TelegramEmulator() as tg:
        async with hooked(context, tg=tg):
            pass
        tg.say("in between")
        adapter = adapter_of(tg)
        async with listening(adapter, context):
            await context.until(lambda: tg.unconfirmed == 0)
        await adapter.close()

        assert tg.updates.webhook == ""
        assert [one.text for one in context.inbounds] == ["in between"]
