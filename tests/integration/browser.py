"""A Chromium for tests: found, not downloaded; without one the tests skip where anybody can see it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page, async_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ARGS = [
    "--headless=new",
    "--no-sandbox",  # tests run as root in containers
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-proxy-server",
]


def find_chromium() -> str:
    """The path of a Chromium, from LASTWORD_CHROMIUM or the system; skips, or fails where all is required."""
    found = os.environ.get("LASTWORD_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), "")
    if not found:
        why = "no Chromium found; install one or set LASTWORD_CHROMIUM to its path"
        if os.environ.get("LASTWORD_REQUIRE") == "all":
            pytest.fail(why)
        pytest.skip(why)
    return found


@contextlib.asynccontextmanager
async def chromium() -> AsyncGenerator[Browser, None]:
    """A running browser."""
    path = find_chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=_ARGS)
        try:
            yield browser
        finally:
            await browser.close()


@contextlib.asynccontextmanager
async def window(
    browser: Browser,
    *,
    width: int = 1000,
    height: int = 720,
    scheme: Literal["light", "dark"] = "light",
    locale: str = "en-US",
    touch: bool = False,
) -> AsyncGenerator[Page, None]:
    """A window of a visitor of their own; anything the page logs as an error fails the test."""
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        locale=locale,
        has_touch=touch,
        is_mobile=touch,
        device_scale_factor=2 if touch else 1,
    )
    context.set_default_timeout(10_000)
    page = await context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    try:
        yield page
    finally:
        await _shot(page)
        await context.close()
    assert broken == []


async def _shot(page: Page) -> None:
    """Leave a picture of how it ended, where LASTWORD_SHOTS names a folder."""
    folder = os.environ.get("LASTWORD_SHOTS")
    if folder:
        name = os.environ.get("PYTEST_CURRENT_TEST", "page").rpartition("::")[2].partition(" ")[0]
        with contextlib.suppress(Exception):
            await page.screenshot(path=Path(folder) / f"{name}.png")
