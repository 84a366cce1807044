"""The bare library's echo bot, as its own documentation writes it, on one shared HTTP session."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp, AsyncSay
from slack_sdk.web.async_client import AsyncWebClient


async def main() -> None:
    """Listen to the emulator."""
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient(
            token=os.environ["SLACK_BOT_TOKEN"], base_url=f"{os.environ['SLACK_BASE']}/api/", session=session
        )
        app = AsyncApp(client=client)

        @app.event("message")  # pyright: ignore[reportUnknownMemberType]  # the library says half of its types
        async def echo(event: dict[str, Any], say: AsyncSay) -> None:
            """Say it back."""
            await say(event["text"])

        print("bare bot starts", flush=True)
        await AsyncSocketModeHandler(app, os.environ["SLACK_APP_TOKEN"]).start_async()  # type: ignore[no-untyped-call]  # the library says no types


if __name__ == "__main__":
    asyncio.run(main())
