"""Talking, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from gateway.messages import Action, Answer, Inbound, Note
from tests.integration.browser import window
from tests.integration.local.page import FAULT, RETRY, echo, type_in
from tests.integration.local.scene import Scene, scene, until

pytestmark = pytest.mark.browser


async def test_page_sends_a_message_and_shows_the_answer(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        await expect(page.locator(".lw-title")).to_have_text("Ada")
        await expect(page.locator(".lw-empty")).to_be_visible()

        await type_in(page, "hello")

        await expect(page.locator(".lw-me .lw-text")).to_have_text("hello")
        await expect(page.locator(".lw-bot .lw-text strong")).to_have_text("hello")
        await expect(page.locator(".lw-empty")).to_be_hidden()
        await expect(page.locator(".lw-input")).to_have_value("")
        assert stage.context.accepted[0].sender.language == "en-US"


async def test_page_asks_nothing_of_anybody_else(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        asked: set[str] = set()
        complaints: list[str] = []
        page.on("request", lambda request: asked.add(re.sub(r"(//[^/]+).*", r"\1", request.url)))
        page.on("console", lambda line: complaints.append(line.text))
        await page.goto(stage.base)
        await type_in(page, "![pixel](https://tracker.example/p.png)")
        await expect(page.locator(".lw-bot .lw-text a")).to_have_attribute(
            "href", "https://tracker.example/p.png"
        )

        assert asked == {stage.base.removesuffix("/chat/demo")}
        assert complaints == []


async def test_shift_enter_makes_a_new_line(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        await page.locator(".lw-input").focus()
        for keys in ("o", "Shift+Enter", "k", "Enter"):
            await page.keyboard.press(keys)
        await expect(page.locator(".lw-me .lw-text")).to_have_text("o\nk")

        assert [inbound.text for inbound in stage.context.accepted] == ["o\nk"]


async def test_enter_that_ends_a_composition_does_not_send(browser: Browser) -> None:
    """Japanese is written with a composition that Enter accepts."""
    async with scene(echo) as stage, window(browser, locale="ja") as page:
        await page.goto(stage.base)
        box = page.locator(".lw-input")
        await box.fill("日本")
        await box.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
        await box.dispatch_event("keydown", {"key": "Enter", "keyCode": 229})

        await expect(box).to_have_value("日本")
        await expect(page.locator(".lw-me")).to_have_count(0)


async def test_answer_grows_and_stop_is_at_hand(browser: Browser) -> None:
    async def slow(stage: Scene, inbound: Inbound) -> None:
        if inbound.command == "stop":
            note = Note("🛑 This turn was interrupted.", "cancelled")
            await stage.answer(inbound.place, Answer("The tide is", note=note), replaces="t1")
            return
        await stage.adapter.typing(inbound.place)
        await stage.adapter.preview(inbound.place, "The *tide", turn="t1")
        await stage.adapter.preview(inbound.place, "The *tide* is", turn="t1", handle="t1")

    async with scene(slow) as stage, window(browser) as page:
        await page.goto(stage.base)
        await expect(page.locator(".lw-stop")).to_be_hidden()
        await type_in(page, "tides?")
        growing = page.locator(".lw-growing .lw-text")
        await expect(growing).to_have_text("The tide is")
        await expect(growing).to_have_attribute("aria-live", "off")

        await page.locator(".lw-stop").click()

        await expect(page.locator(".lw-note")).to_have_attribute("data-tone", "stopped")
        await expect(page.locator(".lw-growing")).to_have_count(0)
        await expect(page.locator(".lw-bot")).to_have_count(1)
        await expect(page.locator(".lw-stop")).to_be_hidden()
        await expect(page.locator(".lw-input")).to_be_focused()


async def test_escape_stops_once_and_only_while_something_runs(browser: Browser) -> None:
    async def typing(stage: Scene, inbound: Inbound) -> None:
        if not inbound.command:
            await stage.adapter.typing(inbound.place)

    async with scene(typing) as stage, window(browser) as page:
        await page.goto(stage.base)
        await page.keyboard.press("Escape")
        await type_in(page, "go")
        await expect(page.locator(".lw-typing")).to_be_visible()

        await page.keyboard.press("Escape")
        await page.keyboard.press("Escape")

        await expect(page.locator(".lw-stop")).to_be_disabled()
        await expect(page.locator(".lw-stop")).to_have_text("Stopping…")
        await stage.answer(stage.context.accepted[0].place, Answer("done"))
        await expect(page.locator(".lw-stop")).to_be_hidden()
        assert [inbound.command for inbound in stage.context.accepted] == ["", "stop"]


async def test_typing_ends_by_itself_when_nothing_follows(browser: Browser) -> None:
    """A bot without notes may go quiet; the page does not pretend that it goes on."""

    async def brief(stage: Scene, inbound: Inbound) -> None:
        async with stage.adapter.chats.use(stage.context, inbound.place.chat) as chat:
            chat.typing_until = stage.context.clock.monotonic() + 0.4
            chat.notify()

    async with scene(brief) as stage, window(browser) as page:
        await page.goto(stage.base)
        await type_in(page, "go")
        await expect(page.locator(".lw-typing")).to_be_visible()

        await expect(page.locator(".lw-typing")).to_be_hidden()
        await expect(page.locator(".lw-stop")).to_be_hidden()


async def test_note_is_set_apart_with_its_reference_and_buttons(browser: Browser) -> None:
    async def faulty(stage: Scene, inbound: Inbound) -> None:
        if inbound.kind == "message":
            await stage.answer(inbound.place, Answer("Half an", note=FAULT, actions=RETRY))

    async with scene(faulty) as stage, window(browser) as page:
        await page.goto(stage.base)
        await type_in(page, "go")
        note = page.get_by_role("note")
        await expect(note.locator("p").first).to_have_text("A technical problem kept me from answering.")
        await expect(note.locator(".lw-reference")).to_have_text("Ref K7Q2M")
        await expect(note).to_have_attribute("data-tone", "fault")
        await expect(page.locator(".lw-bot .lw-text")).to_have_text("Half an")

        await page.get_by_role("button", name="Retry").click()

        await expect(page.locator(".lw-action.lw-taken")).to_have_text("Retry")
        await expect(page.get_by_role("button", name="New chat")).to_be_disabled()
        await page.reload()
        await expect(page.locator(".lw-action.lw-taken")).to_have_text("Retry")
        await expect(page.get_by_role("button", name="New chat")).to_be_disabled()
        assert [inbound.action for inbound in stage.context.accepted] == ["", "t1.0"]


async def test_too_long_text_is_kept_and_explained(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        box = page.locator(".lw-input")
        await box.fill("x" * 16_010)
        await expect(page.locator(".lw-count")).to_have_text(
            "Too long: shorten it by 10 characters, or send it in parts."
        )
        await page.keyboard.press("Enter")
        await expect(page.locator(".lw-send")).to_be_disabled()
        await expect(page.locator(".lw-me")).to_have_count(0)

        await box.fill("x" * 16_000)
        await page.keyboard.press("Enter")

        await expect(page.locator(".lw-me")).to_have_count(1)
        await expect(page.locator(".lw-count")).to_be_hidden()


ATTACKS = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "[x](javascript:window.hacked=1)",
    "<svg onload=window.hacked=1>",
    '![a" onerror="window.hacked=1](https://e.org/x)',
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
]


async def test_nothing_anybody_writes_becomes_code(browser: Browser) -> None:
    """Agents repeat what they read; so does this one, in every field of an answer."""

    async def repeat(stage: Scene, inbound: Inbound) -> None:
        for attack in ATTACKS:
            note = Note(attack, "error", reference=attack)
            actions = (Action("retry", "t.0", attack[:40]),)
            await stage.answer(inbound.place, Answer(attack, note=note, actions=actions, lead=attack))
        await stage.adapter.preview(inbound.place, "\n\n".join(ATTACKS), turn="t")

    async with scene(repeat) as stage, window(browser) as page:
        await page.goto(stage.base)
        for attack in ATTACKS:
            await type_in(page, attack)
        await expect(page.locator(".lw-growing")).to_have_count(1)
        await expect(page.locator(".lw-bot")).to_have_count(len(ATTACKS) ** 2 + 1)
        for link in await page.locator(".lw-text a").all():
            assert (await link.get_attribute("href") or "").startswith("https://")

        assert await page.evaluate("window.hacked") is None
        assert await page.locator(".lw script, .lw img, .lw iframe, .lw-text svg").count() == 0


_EMBED = """async (base) => {
  const { Chat } = await import(`${base}/chat.js`);
  document.body.innerHTML = '<div id="one"></div><div id="two"></div>';
  window.heard = [];
  window.chats = ['one', 'two'].map((id) => new Chat(document.getElementById(id), {
    base, language: 'de', title: id, header: false, composer: false,
    onevent: (event) => heard.push([id, event.kind]),
  }));
}"""


async def test_two_chats_live_on_one_page_and_are_driven_from_outside(browser: Browser) -> None:
    """A page of somebody else's embeds them, with one input of its own."""

    async def answers(stage: Scene, inbound: Inbound) -> None:
        if inbound.command == "stop":
            await stage.adapter.retract(inbound.place, "t1")
        else:
            await stage.adapter.preview(inbound.place, inbound.text, turn="t1")

    async with scene(answers) as stage, window(browser) as page:
        await page.goto(stage.base)
        await page.evaluate(_EMBED, stage.adapter.base)
        assert await page.evaluate("[chats[0].send(' hi '), chats[1].send(' ')]") == [True, False]
        for side in ("#one", "#two"):
            await expect(page.locator(f"{side} .lw-growing")).to_have_text("hi")
        assert await page.locator(".lw-form, .lw-head").count() == 0
        assert await page.evaluate("chats.map((chat) => chat.busy)") == [True, True]

        await page.evaluate("chats[1].setLanguage('ar'); chats[1].stop()")

        await expect(page.locator(".lw-growing")).to_have_count(0)
        assert [inbound.sender.language for inbound in stage.context.accepted] == ["de", "ar"]
        heard = await page.evaluate("heard.map((one) => one.join(' '))")
        assert {
            "one message",
            "two preview",
            "two cleared",
            "one state",
            "one online",
            "two language",
        } <= set(heard)
        await page.evaluate("chats.forEach((chat) => chat.close())")
        await until(lambda: stage.adapter.chats.in_use == 1)  # the page's own
        await expect(page.locator("#one > *")).to_have_count(0)
