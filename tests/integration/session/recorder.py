"""An agent that remembers what it was asked, and does what the message says."""

from __future__ import annotations

import asyncio

from gateway.abc.agent import TurnContext, TurnRequest

__all__ = ["asked", "calls", "clerk", "recorder", "teller"]

asked: list[TurnRequest] = []
calls: list[str] = []


class AuthenticationError(Exception):
    """As a provider's library raises it."""

    status_code = 401


class RateLimitError(Exception):
    """As a provider's library raises it."""

    status_code = 429
    retry_after = 3.0


async def recorder(request: TurnRequest) -> str:
    """Say the message again; `hang` never answers, `slow` takes a second."""
    asked.append(request)
    if "hang" in request.text:
        await asyncio.Event().wait()
    if "denied" in request.text:
        raise AuthenticationError("no such key")
    if "crowded" in request.text and len(asked) < 2:
        raise RateLimitError("slow down")
    if "slow" in request.text:
        await asyncio.sleep(1.0)
    return f"Heard: {request.text}"


async def teller(text: str, context: TurnContext) -> str:
    """Begin an answer; `hang` never ends it."""
    if "hang" in text:
        await context.emit("One two three")
        await asyncio.Event().wait()
    return f"Heard: {text}"


async def clerk(request: TurnRequest) -> str:
    """Another one."""
    asked.append(request)
    return f"Clerk: {request.text} [{request.instructions}]"
