"""A browser for the tests of the page."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest_asyncio
from playwright.async_api import Browser

from tests.integration.browser import chromium


@pytest_asyncio.fixture
async def browser() -> AsyncGenerator[Browser, None]:
    """A running Chromium."""
    async with chromium() as running:
        yield running
