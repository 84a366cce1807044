"""The OpenAI Agents SDK."""

from __future__ import annotations

import importlib

from tests.frameworks.targets.provider import KEY, MODEL, PATIENCE, URL, lookup

_openai = importlib.import_module("openai")
_framework = importlib.import_module("agents")

_framework.set_tracing_disabled(True)
_client = _openai.AsyncOpenAI(base_url=URL, api_key=KEY, timeout=PATIENCE, max_retries=0)
_tools = [_framework.function_tool(lookup)]


def _agent(model: object) -> object:
    agent: object = _framework.Agent(name="mine", model=model, tools=_tools)
    return agent


chat = _agent(_framework.OpenAIChatCompletionsModel(model=MODEL, openai_client=_client))
responses = _agent(_framework.OpenAIResponsesModel(model=MODEL, openai_client=_client))
