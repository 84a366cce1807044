"""Every agent runtime that ships passes the exam for agents."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic_ai.toolsets import FunctionToolset

from gateway.abc.agent import Agent, TurnContext, TurnRequest
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.testing.agents import AgentContract
from gateway_agents.builtin.loop import BuiltinAgent
from gateway_agents.builtin.options import Options as BuiltinOptions
from gateway_agents.builtin.provider import model_for
from gateway_agents.builtin.tools import Hand
from gateway_agents.python.agent import create as python_agent
from gateway_agents.python.options import Options as PythonOptions
from gateway_agents.scripted.agent import create as scripted_agent
from gateway_agents.scripted.options import Line
from gateway_agents.scripted.options import Options as ScriptedOptions
from gateway_agents.scripted.texts import SECRET
from tests.emulators.openai import SECRET as PROVIDER_SECRET
from tests.emulators.openai import OpenAIEmulator

_SECRET = "sk-hidden-1234"


class TestScripted(AgentContract):
    """The scripted agent."""

    failing = "!crash 3"
    hanging = "!hang"
    secret = SECRET
    early = ("!max_steps", "max_steps")
    resuming = "!length_truncated"
    acting = "!action story"

    async def make(self) -> Agent:
        lines = tuple(
            Line(when=f"token{number:04d}", say=f"Here is token{number:04d}.") for number in range(200)
        )
        options = ScriptedOptions(directives=True, pace=0.0, script=lines)
        return scripted_agent(options, name="scripted", base=Path())


async def asynchronous(request: TurnRequest, context: TurnContext) -> AgentReply:
    """A coroutine function that is given the turn."""
    match request.text:
        case "fail":
            raise ValueError(f"no luck with {_SECRET}")
        case "hang":
            await context.emit("One moment")
            await asyncio.Event().wait()
        case "stop":
            return AgentReply("Half of it", TurnCompletion("max_steps"))
        case "act":
            await context.before_action("pay")
        case "recall":
            return AgentReply(" ".join(line.text for line in request.history))
        case _:
            pass
    await context.emit("You said: ")
    await context.emit(request.text)
    return AgentReply(completion=TurnCompletion())


asynchronous.reports_actions = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]  # how a function promises it


class Blocking:
    """An object with a synchronous `chat(text)`."""

    def chat(self, text: str) -> str:
        """Answer, or fail, or never come back within the turn."""
        if text == "fail":
            raise ValueError(f"no luck with {_SECRET}")
        if text == "hang":
            time.sleep(3.0)
        return f"You said: {text}"


blocking = Blocking()


class TestPythonAsynchronous(AgentContract):
    """A coroutine function behind `target`."""

    failing = "fail"
    hanging = "hang"
    secret = _SECRET
    early = ("stop", "max_steps")
    recalling = "recall"
    acting = "act"

    async def make(self) -> Agent:
        options = PythonOptions(target=f"{__name__}:asynchronous")
        return python_agent(options, name="mine", base=Path(__file__).parent)


class TestPythonBlocking(AgentContract):
    """An object with a synchronous method behind `target`."""

    failing = "fail"
    hanging = "hang"
    streams = False
    secret = _SECRET

    async def make(self) -> Agent:
        options = PythonOptions(target=f"{__name__}:blocking")
        return python_agent(options, name="mine", base=Path(__file__).parent)


class TestBuiltin(AgentContract):
    """The built-in agent, against a provider on loopback."""

    plain = "hello to you"
    failing = "[[server]]"
    hanging = "[[hang]]"
    secret = PROVIDER_SECRET
    early = ("[[length]]", "length_truncated")
    recalling = "everything before"
    resuming = "[[length]]"
    acting = "[[one_tool]]"

    @asynccontextmanager
    async def agent(self) -> AsyncGenerator[Agent]:
        async with OpenAIEmulator() as api:
            self.api = api
            async with super().agent() as agent:
                yield agent

    async def make(self) -> Agent:
        options = BuiltinOptions.model_validate(
            {"model": "openai-chat:small", "api_key": self.api.key, "base_url": self.api.base_url}
        )

        def lookup(key: str) -> str:
            return f"value of {key}"

        tools = FunctionToolset[Hand](tools=[lookup])
        return BuiltinAgent(options, model_for(options, name="helper"), toolsets=[tools])
