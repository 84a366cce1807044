"""Languages, sizes, themes and keys, in a real browser."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.async_api import Browser, expect

from gateway.messages import Action, Answer, Inbound, Note
from tests.integration.browser import window
from tests.integration.local.page import FAULT, RETRY, echo, type_in
from tests.integration.local.scene import Scene, scene

pytestmark = pytest.mark.browser

ARABIC = Note("⚠️ حدثت مشكلة تقنية.", "network_error", "ar", "rtl", "المرجع K7Q2M")


async def test_arabic_page_runs_from_right_to_left(browser: Browser) -> None:
    async def arabic(stage: Scene, inbound: Inbound) -> None:
        await stage.answer(inbound.place, Answer("الجواب (نعم)", note=ARABIC))
        await stage.answer(inbound.place, Answer("English (yes)."))

    async with scene(arabic) as stage, window(browser, locale="ar-EG") as page:
        await page.goto(stage.base)
        await type_in(page, "سؤال")
        await expect(page.locator(".lw-bot")).to_have_count(2)

        assert stage.context.accepted[0].sender.language == "ar-EG"
        await expect(page.locator(".lw-input")).to_have_attribute("placeholder", "كتابة رسالة")
        directions = await page.evaluate(
            "[...document.querySelectorAll('.lw, .lw-bot .lw-text p, .lw-note')]"
            ".map((element) => getComputedStyle(element).direction)"
        )
        assert directions == ["rtl", "rtl", "rtl", "ltr"]
        mine = await page.locator(".lw-me .lw-text").bounding_box()
        theirs = await page.locator(".lw-bot .lw-text").first.bounding_box()
        assert mine is not None
        assert theirs is not None
        assert mine["x"] < theirs["x"]


async def test_language_switch_changes_words_direction_and_what_is_asked_for(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser) as page:
        await page.goto(stage.base)
        choice = page.locator(".lw-language")
        for tag, placeholder, direction in (
            ("de", "Nachricht schreiben", "ltr"),
            ("ar", "كتابة رسالة", "rtl"),
            ("ja", "メッセージを書く", "ltr"),
        ):
            await choice.select_option(tag)
            await expect(page.locator(".lw-input")).to_have_attribute("placeholder", placeholder)
            await expect(page.locator(".lw")).to_have_attribute("dir", direction)
        await type_in(page, "hi")
        await expect(page.locator(".lw-bot")).to_have_count(1)
        assert stage.context.accepted[0].sender.language == "ja"

        await page.reload()

        await expect(page.locator(".lw-input")).to_have_attribute("placeholder", "メッセージを書く")
        await expect(page.locator("html")).to_have_attribute("lang", "ja")


async def test_language_without_words_of_ours_is_still_asked_for(browser: Browser) -> None:
    """The page speaks English, the notes may well be there in French."""
    async with scene(echo) as stage, window(browser, locale="fr-CA") as page:
        await page.goto(stage.base)
        await expect(page.locator(".lw-language option").first).to_have_text("français canadien")
        await type_in(page, "bonjour")
        await expect(page.locator(".lw-bot")).to_have_count(1)

        assert stage.context.accepted[0].sender.language == "fr-CA"


WIDE = (
    "x" * 400
    + "\n\n```\n"
    + "y" * 400
    + "\n```\n\n|"
    + "|".join("column" for _ in range(20))
    + "|\n|"
    + "--|" * 20
    + "\n\nhttps://e.org/"
    + "z" * 200
)


_SIZES = """() => {
  const [log, input] = ['.lw-log', '.lw-input'].map((name) => document.querySelector(name));
  const page = document.scrollingElement;
  const font = parseFloat(getComputedStyle(input).fontSize);
  return [page.scrollWidth, innerWidth, log.scrollWidth, log.clientWidth, font];
}"""


@pytest.mark.parametrize("locale", ["en", "ar"])
@pytest.mark.parametrize("width", [320, 390])
async def test_phone_never_scrolls_sideways(browser: Browser, width: int, locale: str) -> None:
    async def wide(stage: Scene, inbound: Inbound) -> None:
        note = Note("⏳ " + "n" * 300, "max_steps")
        actions = (Action("retry", "t.0", "A rather long label for a button"), *RETRY)
        await stage.answer(inbound.place, Answer(WIDE, note=note, actions=actions[:2]))
        await stage.adapter.preview(inbound.place, WIDE, turn="t2")

    async with (
        scene(wide) as stage,
        window(browser, width=width, height=700, touch=True, locale=locale) as page,
    ):
        await page.goto(stage.base)
        await type_in(page, "w" * 300)
        await expect(page.locator(".lw-growing")).to_have_count(1)

        page_wide, page_room, log_wide, log_room, font = await page.evaluate(_SIZES)
        assert page_wide <= page_room
        assert log_wide <= log_room
        table = page.locator(".lw-growing table")
        await expect(table.locator("th").first).to_be_in_viewport()  # a wide table begins at its start
        assert font >= 16  # below that, iOS zooms in when the field is touched
        box = await page.locator(".lw-stop").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["height"] >= 40


_CONTRAST = """(selector) => {
  const read = (color) => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const element = document.querySelector(selector);
  let ground = element;
  while (ground && read(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
  const colours = [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor];
  const [one, two] = colours.map(read).map(light);
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_text_is_readable_in_both_themes(browser: Browser, scheme: Literal["light", "dark"]) -> None:
    """WCAG 2.2 AA asks for a contrast of 4.5 for text."""

    async def full(stage: Scene, inbound: Inbound) -> None:
        if inbound.kind == "message":
            text = "a [link](https://e.org) and `code`\n\n> quoted"
            await stage.answer(inbound.place, Answer(text, note=FAULT, actions=RETRY, lead="This is late."))
            await stage.adapter.typing(inbound.place)

    async with scene(full) as stage, window(browser, scheme=scheme) as page:
        await page.goto(stage.base)
        await type_in(page, "go")
        await expect(page.locator(".lw-stop")).to_be_visible()
        said = (".lw-me .lw-text", ".lw-bot .lw-text p", ".lw-text a", ".lw-text code", ".lw-text blockquote")
        around = (".lw-note p", ".lw-reference", ".lw-action", ".lw-lead")
        frame = (".lw-title", ".lw-stop", ".lw-language")
        contrast = {part: await page.evaluate(_CONTRAST, part) for part in (*said, *around, *frame)}
        ground = await page.evaluate("getComputedStyle(document.querySelector('.lw')).backgroundColor")

    assert {part: value for part, value in contrast.items() if value < 4.5} == {}
    assert ground == ("rgb(20, 23, 28)" if scheme == "dark" else "rgb(246, 245, 242)")


async def test_keyboard_alone_reaches_everything(browser: Browser) -> None:
    async def offer(stage: Scene, inbound: Inbound) -> None:
        if inbound.kind == "message":
            await stage.answer(inbound.place, Answer("x", note=FAULT, actions=RETRY))

    async with scene(offer) as stage, window(browser) as page:
        await page.goto(stage.base)
        await expect(page.locator(".lw-input")).to_be_focused()
        await page.keyboard.type("go")
        await page.keyboard.press("Enter")
        await expect(page.locator(".lw-action")).to_have_count(2)

        await page.keyboard.press("Shift+Tab")
        await expect(page.get_by_role("button", name="New chat")).to_be_focused()
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Space")

        await expect(page.locator(".lw-taken")).to_have_text("Retry")
        assert outline == "solid"
        assert await page.get_by_role("log").get_attribute("aria-label") == "Messages"


async def test_log_follows_what_is_new_unless_the_person_reads_further_up(browser: Browser) -> None:
    async with scene(echo) as stage, window(browser, height=500) as page:
        await page.goto(stage.base)
        for number in range(8):
            await type_in(page, f"message {number}")
            await expect(page.locator(".lw-bot")).to_have_count(number + 1)
        await expect(page.locator(".lw-bot").last).to_be_in_viewport()

        await page.evaluate("document.querySelector('.lw-log').scrollTop = 0")
        await expect(page.locator(".lw-newest")).to_be_visible()
        await stage.answer(stage.context.accepted[0].place, Answer("one more"))
        await expect(page.locator(".lw-bot")).to_have_count(9)
        await expect(page.locator(".lw-bot").last).not_to_be_in_viewport()
        await page.locator(".lw-newest").click()

        await expect(page.locator(".lw-bot").last).to_be_in_viewport()
        await expect(page.locator(".lw-newest")).to_be_hidden()
