"""Run a script: word by word, to the ending it names."""

from __future__ import annotations

import asyncio
import pathlib

from gateway.abc.agent import Agent, TurnContext, TurnRequest, TurnResult
from gateway.completion import classify_response
from gateway.completion.model import TurnCompletion
from gateway_agents.scripted.options import Options
from gateway_agents.scripted.plan import Plan, plan_for
from gateway_agents.scripted.resume import rest_of
from gateway_agents.scripted.texts import SECRET

__all__ = ["ScriptedAgent", "create"]


def create(options: Options, *, name: str, base: pathlib.Path) -> Agent:  # noqa: ARG001  # every runtime is built so
    """A scripted agent."""
    return ScriptedAgent(options)


class ScriptedAgent:
    """Answers from a script, and ends in any way it is told to.

    Attributes:
        reports_actions: Always; it claims an effect before it speaks.
    """

    reports_actions = True

    def __init__(self, options: Options) -> None:
        self._options = options

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        """Answer one turn as the script says."""
        rest = rest_of(request.history, self._options) if request.resume else None
        plan = rest or plan_for(request.text, self._options)
        if plan.action:
            await context.before_action(plan.action)
        await self._speak(plan, context)
        if plan.hang:
            await asyncio.Event().wait()
        if plan.crash:
            raise RuntimeError(f"the script crashed; api_key={SECRET} host=db.internal:5432")
        return TurnResult(text="".join(plan.told), completion=_completion(plan))

    async def close(self) -> None:
        """Nothing is held."""

    async def _speak(self, plan: Plan, context: TurnContext) -> None:
        if plan.wait:
            await asyncio.sleep(plan.wait)
        for position, word in enumerate(plan.told):
            if position:
                await asyncio.sleep(self._options.pace * plan.pace)
            await context.emit(word)


def _completion(plan: Plan) -> TurnCompletion | None:
    if plan.payload is not None:
        return classify_response(plan.payload)
    return TurnCompletion(
        reason=plan.end,
        site="agent.reply",
        source="control",
        retry_after=plan.retry_after,
        actions_ran=True if plan.action else None,
    )
