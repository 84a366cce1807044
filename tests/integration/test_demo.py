"""The demo as a newcomer meets it: a real process, a real browser, and every way a turn can end."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.integration.browser import chromium, window
from tests.integration.demo import Demo, environment

pytestmark = pytest.mark.browser

FAULTS = ("refuse", "filter", "steps", "length", "cut", "busy", "empty", "slow", "money", "crash")
WORDLESS = {"refuse", "busy", "empty", "money", "crash"}
STORY_END = "found its way home."
BROKEN_STREAM = re.compile(r"ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_\w+|EMPTY_RESPONSE)")
SOON = 15_000  # ms


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Generator[Demo]:
    """A demo that several tests share; nobody kills it."""
    with Demo(tmp_path_factory.mktemp("demo"), "--port", "0") as running:
        yield running.served()


@pytest.fixture
def own(tmp_path: Path) -> Generator[Demo]:
    """A demo of the test's own."""
    with Demo(tmp_path, "--port", "0") as running:
        yield running


@pytest_asyncio.fixture
async def browser() -> AsyncGenerator[Browser, None]:
    """A running Chromium."""
    async with chromium() as running:
        yield running


def _chip(page: Page, name: str) -> Locator:
    return page.locator(f"[data-chip={name}]")


async def _press(page: Page, name: str, *, seconds: float = 20.0) -> None:
    """Press a chip and wait until its work is done."""
    await _chip(page, name).click()
    await _done(page, seconds=seconds)


async def _done(page: Page, *, seconds: float = 20.0) -> None:
    await expect(page.locator(".chip.running")).to_have_count(0, timeout=seconds * 1000)


def _complaints(page: Page) -> list[str]:
    """What the page's console will have called an error."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    return found


@pytest.mark.parametrize("fault", FAULTS)
async def test_fault_is_explained_by_one_bot_and_kept_quiet_by_the_other(
    demo: Demo, browser: Browser, fault: str
) -> None:
    async with window(browser) as page:
        complaints = _complaints(page)
        await page.goto(demo.address)
        await _press(page, fault)

        await expect(page.locator("#lastword .lw-note")).to_have_count(1)
        await expect(page.locator("#ordinary .lw-me")).to_have_count(1)
        await expect(page.locator("#ordinary .lw-bot")).to_have_count(0 if fault in WORDLESS else 1)
        await expect(page.locator("#ordinary .lw-note, #ordinary .lw-action")).to_have_count(0)
        assert complaints == []


async def test_breaking_everything_ends_with_nothing_silent(demo: Demo, browser: Browser) -> None:
    asked: set[str] = set()
    async with window(browser) as page:
        complaints = _complaints(page)
        page.on("request", lambda request: asked.add("/".join(request.url.split("/")[:3])))
        await page.goto(demo.address)
        await _press(page, "everything", seconds=60.0)

        score = page.locator("#score")
        await expect(score).to_have_text("10 messages, 10 endings explained, 0 silent.")
        await page.locator("#language").select_option("de")
        await expect(score).to_have_text("10 Nachrichten, 10 erklärte Enden, 0 stumm.")
        assert await page.locator("#lastword .lw-note").count() == len(FAULTS)
        assert asked == {demo.address}
        assert complaints == []


@pytest.mark.kill
async def test_killed_gateway_comes_back_and_continue_finishes_the_sentence(
    own: Demo, browser: Browser
) -> None:
    own.served()
    before = own.child()
    async with window(browser) as page:
        complaints = _complaints(page)
        await page.goto(own.address)
        await _press(page, "kill", seconds=40.0)

        after = own.child()
        assert after not in {0, before}
        loud = page.locator("#lastword")
        await expect(loud.locator(".lw-note")).to_contain_text("restarted")
        begun = await loud.locator(".lw-bot .lw-text").inner_text()
        assert begun.startswith("The lighthouse keeper")
        assert STORY_END not in begun
        await expect(page.locator("#ordinary .lw-note")).to_have_count(0)

        await loud.get_by_role("button", name="Continue").click()
        told = loud.locator(".lw-bot .lw-text")
        await expect(told).to_have_count(2, timeout=SOON)
        await expect(told.last).to_contain_text(STORY_END, timeout=SOON)
        assert [text for text in complaints if not BROKEN_STREAM.search(text)] == []
    assert own.leave() == 0
    assert "The gateway was killed; starting it again." in own.said


@pytest.mark.parametrize(
    ("tag", "direction", "title", "written"),
    [
        ("de", "ltr", "Ein gewöhnlicher Bot", "[Bb]itte"),
        ("ar", "rtl", "روبوت عادي", "[\u0600-\u06ff]"),
        ("ja", "ltr", "ふつうのボット", "[\u3040-\u309f]"),
    ],
)
async def test_language_switch_turns_page_and_notes(
    demo: Demo, browser: Browser, tag: str, direction: str, title: str, written: str
) -> None:
    async with window(browser) as page:
        await page.goto(demo.address)
        await page.locator("#language").select_option(tag)
        await _press(page, "crash")

        note = page.locator("#lastword .lw-note")
        await expect(note).to_have_attribute("lang", tag)
        await expect(note).to_have_attribute("dir", direction)
        await expect(note).to_contain_text(re.compile(written))
        await expect(page.locator("html")).to_have_attribute("dir", direction)
        await expect(page.locator("#ordinary-title")).to_have_text(title)
        await page.reload()
        await expect(page.locator("html")).to_have_attribute("lang", tag)


async def test_page_takes_the_visitors_own_language(demo: Demo, browser: Browser) -> None:
    async with window(browser, locale="ar-EG") as page:
        await page.goto(demo.address)

        await expect(page.locator("html")).to_have_attribute("lang", "ar")


async def test_keyboard_alone_breaks_and_continues(demo: Demo, browser: Browser) -> None:
    async with window(browser) as page:
        await page.goto(demo.address)
        await expect(page.locator("#text")).to_be_focused()
        await _tab_to(page, _chip(page, "length"), "Shift+Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator("#lastword .lw-note")).to_have_count(1)
        await _done(page)
        await expect(_chip(page, "length")).to_be_focused()

        await _tab_to(page, page.locator("#lastword .lw-action").first, "Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator("#lastword .lw-bot")).to_have_count(2, timeout=SOON)

        await _tab_to(page, page.locator("#text"), "Tab")
        await page.keyboard.type("Hello")
        await page.keyboard.press("Enter")
        await expect(page.locator("#lastword .lw-bot").last).to_contain_text("scripted agent", timeout=SOON)
        await expect(page.locator("#ordinary .lw-bot").last).to_contain_text("scripted agent", timeout=SOON)


async def _tab_to(page: Page, wanted: Locator, key: str) -> None:
    for _ in range(40):
        if await wanted.evaluate("(element) => element === document.activeElement"):
            return
        await page.keyboard.press(key)
    raise AssertionError(f"{key} does not reach {wanted}")


async def test_second_chip_does_nothing_while_one_works(demo: Demo, browser: Browser) -> None:
    async with window(browser) as page:
        await page.goto(demo.address)
        await _chip(page, "slow").click()
        await expect(_chip(page, "refuse")).to_have_attribute("aria-disabled", "true")
        await _chip(page, "refuse").click(force=True)
        await expect(page.locator("#lastword .lw-growing, #lastword .lw-typing:visible")).to_have_count(1)
        await _done(page)

        await expect(_chip(page, "refuse")).to_have_attribute("aria-disabled", "false")
        await expect(page.locator("#lastword .lw-me")).to_have_count(1)


@pytest.mark.parametrize("tag", ["en", "de", "ar", "ja"])
async def test_phone_scrolls_the_faults_and_never_the_page_sideways(
    demo: Demo, browser: Browser, tag: str
) -> None:
    async with window(browser, width=390, height=844, touch=True) as page:
        await page.goto(demo.address)
        await page.locator("#language").select_option(tag)
        await _press(page, "money")

        assert await page.evaluate("document.documentElement.scrollWidth") == 390
        row = page.locator("#faults")
        assert await row.evaluate("(row) => row.scrollWidth > row.clientWidth")
        assert await row.evaluate("(row) => row.scrollHeight === row.clientHeight")
        for name in ("kill", "everything"):
            await expect(_chip(page, name)).to_be_in_viewport(ratio=1)
        await expect(page.locator("#text")).to_be_in_viewport(ratio=1)
        await page.locator("#yours-title").click()
        await expect(page.locator(".yours pre").last).to_be_in_viewport(ratio=1)
        assert await page.evaluate("document.documentElement.scrollWidth") == 390


async def test_dark_theme_is_light_on_dark(demo: Demo, browser: Browser) -> None:
    async with window(browser, scheme="dark") as page:
        await page.goto(demo.address)

        for part in ("body", ".bot", "#text", "[data-chip=refuse]"):
            ground, ink = await page.locator(part).first.evaluate(
                "(element) => { const style = getComputedStyle(element);"
                " return [style.backgroundColor, style.color]; }"
            )
            assert _brightness(ground) < 60
            assert _brightness(ink) > 180


def _brightness(colour: str) -> float:
    parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    return sum(parts) / len(parts)


async def test_last_card_is_a_configuration_that_check_accepts(
    demo: Demo, browser: Browser, tmp_path: Path
) -> None:
    async with window(browser, height=600) as page:
        await page.goto(demo.address)
        await page.locator("#yours-title").click()
        await expect(page.locator(".yours pre").last).to_be_in_viewport(ratio=1)
        card = await page.locator(".yours pre code").first.inner_text()
        command = await page.locator(".yours pre code").last.inner_text()
    assert command == "lastword run bots.yaml"
    (tmp_path / "bots.yaml").write_text(card, "utf-8")

    checked = subprocess.run(  # noqa: ASYNC221  # nothing else runs in this loop
        [sys.executable, "-m", "gateway", "check", "bots.yaml"],
        cwd=tmp_path,
        env=environment() | {"TELEGRAM_TOKEN": "1:" + "x" * 35, "OPENAI_API_KEY": "sk-none"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr
