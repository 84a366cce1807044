"""Turn `provider:model` into a model that can be asked, or say what is missing."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model, known_model_names
from pydantic_ai.providers import Provider, infer_provider_class

from gateway.errors import AgentError
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.steady import Steady

__all__ = ["model_for"]

_ADDRESSES = ("base_url", "api_base", "azure_endpoint")  # what providers call the place they are at
# How addresses end in the documentation of providers whose clients add that by themselves.
_ADDED = {"anthropic": "/v1", "google": "/v1beta", "groq": "/openai/v1", "mistral": "/v1"}
_EXTRAS = frozenset({"anthropic", "bedrock", "google", "groq", "mistral"})  # of this project


def model_for(options: Options, *, name: str) -> Model:
    """The model that the options name.

    Raises:
        AgentError: The provider is unknown, its library is not installed, or its key, its region or its
            address is missing.
    """
    where = f"agent {name!r}: model {options.model!r}"
    try:
        model = infer_model(options.model, lambda kind: _provider(kind, options, where=where))
    except ImportError as exc:
        raise AgentError(f"{where}: its library is not installed; {_install(options.model)}") from exc
    except UserError as exc:
        raise AgentError(f"{where}: {_missing(exc)}") from exc
    return Steady(model, steps=options.max_steps)


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
    place = _place(kind, options.base_url)
    address = next((key for key in _ADDRESSES if key in taken), None)
    if place and address is not None:
        given[address] = place
    if kind == "bedrock" and "api_key" in given and place.startswith("http:"):
        raise AgentError(f"{where}: the key would travel in the open; write base_url with 'https://'")
    made = make(**given)
    if place and address is None:
        _move(made, place, where=where, kind=kind)
    if kind == "bedrock":
        _once(made)
    return made


def _once(made: Provider[object]) -> None:
    """Let the client of AWS send a request once; it takes no such setting with the request."""
    client = cast("Any", made.client)  # its library has no types
    event = client.meta.service_model.service_id.hyphenize()
    client.meta.events.unregister(f"needs-retry.{event}", unique_id=f"retry-config-{event}")


def _place(kind: str, address: str) -> str:
    """The address as the provider's client wants it, whichever form of it was written."""
    address = address.rstrip("/")
    if kind == "ollama" and address and not urlsplit(address).path:
        return address + "/v1"
    return address.removesuffix(_ADDED.get(kind, "")) if address else ""


def _move(made: Provider[object], place: str, *, where: str, kind: str) -> None:
    """Send requests elsewhere where the provider takes no address: a client of OpenAI's can be told."""
    import openai

    if not isinstance(made.client, openai.AsyncOpenAI):
        raise AgentError(f"{where}: provider {kind!r} takes no base_url; use 'openai-chat:' or remove it")
    made.client.base_url = place


def _missing(exc: UserError) -> str:
    """What to set, from the library's message, which names the variables in back ticks."""
    variables = re.findall(r"`([A-Z][A-Z0-9_]+)`", exc.message)
    if "`region_name`" in exc.message:
        return "the region is missing; set the environment variable AWS_DEFAULT_REGION"
    if not variables:
        return exc.message
    key = "base_url" if variables[0].endswith(("URL", "BASE", "ENDPOINT")) else "api_key"
    return f"{key} is missing; set it here, or the environment variable {' or '.join(variables)}"


def _install(model: str) -> str:
    kind = model.partition(":")[0].removesuffix("-chat").removesuffix("-responses")
    extra = kind.removesuffix("-cloud").removesuffix("-mantle")
    project = "lastword" if extra in _EXTRAS else "pydantic-ai-slim"
    return f"pip install '{project}[{extra}]'"


def _near(kind: str) -> str:
    known = sorted({name.partition(":")[0] for name in known_model_names() if ":" in name} | {"openai-chat"})
    near = difflib.get_close_matches(kind, known, n=3, cutoff=0.5)
    listed = " or ".join(map(repr, near)) if near else "'openai-chat:', 'openai:' or 'anthropic:'"
    return f"did you mean {listed}?"
