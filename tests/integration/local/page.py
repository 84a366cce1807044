"""What the tests in a browser share."""

from __future__ import annotations

from playwright.async_api import Page

from gateway.messages import Action, Answer, Inbound, Note
from tests.integration.local.scene import Scene

FAULT = Note("⚠️ A technical problem kept me from answering.", "network_error", reference="Ref K7Q2M")
RETRY = (Action("retry", "t1.0", "Retry"), Action("new", "t1.1", "New chat"))


async def echo(stage: Scene, inbound: Inbound) -> None:
    """Answer with what was said."""
    await stage.answer(inbound.place, Answer(f"You said **{inbound.text or inbound.action}**"))


async def type_in(page: Page, text: str) -> None:
    """Type and send."""
    await page.locator(".lw-input").fill(text)
    await page.keyboard.press("Enter")
