"""Turn `provider:model` into a model that can be asked, or say what is missing."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import cast

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model, known_model_names
from pydantic_ai.providers import Provider, infer_provider_class

from gateway.errors import AgentError
from gateway_agents.builtin.options import Options

__all__ = ["model_for"]

_ADDRESSES = ("base_url", "api_base", "azure_endpoint")  # what providers call the place they are at


def model_for(options: Options, *, name: str) -> Model:
    """The model that the options name.

    Raises:
        AgentError: The provider is unknown, its library is not installed, or its key is missing.
    """
    where = f"agent {name!r}: model {options.model!r}"
    try:
        return infer_model(options.model, lambda kind: _provider(kind, options, where=where))
    except ImportError as exc:
        raise AgentError(f"{where}: its library is not installed; {_install(options.model)}") from exc
    except UserError as exc:
        raise AgentError(f"{where}: {_missing(exc)}") from exc


def _provider(kind: str, options: Options, *, where: str) -> Provider[object]:
    try:
        found = infer_provider_class(kind)
    except ValueError:
        raise AgentError(f"{where}: unknown provider {kind!r}; {_near(kind)}") from None
    make = cast("Callable[..., Provider[object]]", found)
    taken = inspect.signature(make).parameters
    given: dict[str, str] = {}
    if options.api_key is not None:
        if "api_key" not in taken:
            raise AgentError(f"{where}: provider {kind!r} takes no api_key; remove it")
        given["api_key"] = options.api_key.get_secret_value()
    if options.base_url:
        address = next((key for key in _ADDRESSES if key in taken), None)
        if address is None:
            raise AgentError(f"{where}: provider {kind!r} takes no base_url; use 'openai-chat:' or remove it")
        given[address] = options.base_url
    return make(**given)


def _missing(exc: UserError) -> str:
    """What to set, from the library's message, which names the variables in back ticks."""
    variables = re.findall(r"`([A-Z][A-Z0-9_]+)`", exc.message)
    if not variables:
        return exc.message
    key = "base_url" if variables[0].endswith(("URL", "BASE", "ENDPOINT")) else "api_key"
    return f"{key} is missing; set it here, or the environment variable {' or '.join(variables)}"


def _install(model: str) -> str:
    extra = model.partition(":")[0].removesuffix("-chat").removesuffix("-responses")
    return f"pip install 'pydantic-ai-slim[{extra}]'"


def _near(kind: str) -> str:
    known = sorted({name.partition(":")[0] for name in known_model_names() if ":" in name} | {"openai-chat"})
    near = difflib.get_close_matches(kind, known, n=3, cutoff=0.5)
    listed = " or ".join(map(repr, near)) if near else "'openai-chat:', 'openai:' or 'anthropic:'"
    return f"did you mean {listed}?"
