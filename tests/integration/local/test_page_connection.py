"""What outlives a lost connection, a reload and a killed gateway, in a real browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from gateway.messages import Answer, Inbound, Note
from tests.integration.browser import window
from tests.integration.local.page import echo, type_in
from tests.integration.local.scene import Scene, scene, until

pytestmark = pytest.mark.browser

STEPS = Note('⏳ I stopped after reaching the step limit — reply "continue" to carry on.', "max_steps")


async def test_reload_shows_everything_again_in_order(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        for number in range(3):
            await type_in(page, f"message {number}")
            await expect(page.locator(".lw-bot")).to_have_count(number + 1)
        before = await page.locator(".lw-line").all_inner_texts()

        await page.reload()

        await expect(page.locator(".lw-line")).to_have_count(6)
        assert await page.locator(".lw-line").all_inner_texts() == before
        assert len(stage.context.accepted) == 3


async def test_two_tabs_show_the_same_chat(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        await type_in(page, "from the first")
        await expect(page.locator(".lw-line")).to_have_count(2)
        other = await page.context.new_page()
        await other.goto(stage.base)
        await expect(other.locator(".lw-line")).to_have_count(2)

        await type_in(other, "from the second")

        await expect(page.locator(".lw-line")).to_have_count(4)
        assert (
            await page.locator(".lw-text").all_inner_texts()
            == await other.locator(".lw-text").all_inner_texts()
        )


async def test_page_reconnects_and_sends_what_waited_exactly_once(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        await type_in(page, "before")
        await expect(page.locator(".lw-bot")).to_have_count(1)

        await stage.stop()
        await expect(page.locator(".lw-banner")).to_have_text("Connection lost. Reconnecting…", timeout=2_500)
        await type_in(page, "meanwhile")
        await expect(page.locator(".lw-unsent .lw-state")).to_have_text("Not sent yet")
        await stage.start()

        await expect(page.locator(".lw-bot")).to_have_count(2)
        await expect(page.locator(".lw-unsent")).to_have_count(0)
        await expect(page.locator(".lw-banner")).to_be_empty()
        assert [inbound.text for inbound in stage.context.accepted] == ["before", "meanwhile"]


async def test_message_typed_while_away_survives_a_reload(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        await expect(page.locator(".lw-title")).to_have_text("Ada")
        stage.context.broken = True
        await type_in(page, "keep me")
        await expect(page.locator(".lw-unsent")).to_have_count(1)

        await page.reload()
        await expect(page.locator(".lw-unsent .lw-text")).to_have_text("keep me")
        stage.context.broken = False

        await expect(page.locator(".lw-bot .lw-text")).to_have_text("You said keep me")
        await expect(page.locator(".lw-me")).to_have_count(1)
        assert len(stage.context.accepted) == 1


async def test_answer_given_while_away_is_there_afterwards(browser: Browser) -> None:
    """The gateway is killed in the middle of an answer; the next one finishes it."""

    async def begin(stage: Scene, inbound: Inbound) -> None:
        await stage.adapter.preview(inbound.place, "Half a sentence", turn="t1")

    async with scene(begin) as stage, window(browser) as page:
        await page.goto(stage.base)
        await type_in(page, "go")
        await expect(page.locator(".lw-growing")).to_have_count(1)

        await stage.stop()
        await expect(page.locator(".lw-growing")).to_have_count(0)
        await stage.start()
        await stage.answer(stage.context.accepted[0].place, Answer("Half a sentence", note=STEPS))

        await expect(page.locator(".lw-note")).to_have_attribute("data-reason", "max_steps")
        await expect(page.locator(".lw-bot")).to_have_count(1)


async def test_page_whose_cookie_is_gone_begins_a_new_chat_and_loses_nothing_typed(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        await type_in(page, "before")
        await expect(page.locator(".lw-bot")).to_have_count(1)
        await page.context.clear_cookies()

        await type_in(page, "after")

        await expect(page.locator(".lw-bot .lw-text")).to_have_text("You said after")
        await expect(page.locator(".lw-me .lw-text")).to_have_text("after")
        first, second = stage.context.accepted
        assert first.place != second.place


async def test_message_the_server_refuses_says_so(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.route("**/message", lambda route: route.fulfill(status=422, json={"error": "empty"}))
        await page.goto(stage.base)

        await type_in(page, "hi")

        await expect(page.locator(".lw-me .lw-state")).to_have_text("This message could not be sent.")
        await expect(page.locator(".lw-empty")).to_be_hidden()


async def test_hidden_page_lets_its_connection_go_and_catches_up_when_seen(browser: Browser) -> None:
    """A browser allows six connections to a server, whatever the number of tabs."""
    async with scene() as stage, window(browser) as page:
        await page.clock.install()
        await page.goto(stage.base)
        await type_in(page, "hello")
        await _wait_for_streams(stage, 1)
        await _see(page, "hidden")
        await page.clock.fast_forward(21_000)
        await _wait_for_streams(stage, 0)

        await stage.answer(stage.context.accepted[0].place, Answer("news"))
        await _see(page, "visible")

        await expect(page.locator(".lw-bot .lw-text")).to_have_text("news")
        await expect(page.locator(".lw-banner")).to_be_empty()


async def _see(page: Page, state: str) -> None:
    await page.evaluate(
        "(state) => { Object.defineProperty(document, 'visibilityState', {value: state, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        state,
    )


async def _wait_for_streams(stage: Scene, number: int) -> None:
    await until(lambda: stage.adapter.chats.in_use == number)
