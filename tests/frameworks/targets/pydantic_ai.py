"""pydantic-ai."""

from __future__ import annotations

import importlib

from tests.frameworks.targets.provider import KEY, MODEL, PATIENCE, URL, lookup

_openai = importlib.import_module("openai")
_framework = importlib.import_module("pydantic_ai")
_models = importlib.import_module("pydantic_ai.models.openai")
_providers = importlib.import_module("pydantic_ai.providers.openai")

_client = _openai.AsyncOpenAI(base_url=URL, api_key=KEY, timeout=PATIENCE, max_retries=0)
_model = _models.OpenAIChatModel(MODEL, provider=_providers.OpenAIProvider(openai_client=_client))

agent: object = _framework.Agent(_model, tools=[lookup])
