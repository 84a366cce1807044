"""Stand between the loop and a model: its pauses are steps, its nonsense is a fault of the provider."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

__all__ = ["Steady"]

_ASKED = "lastword_requests"  # in a response's metadata: requests it took


class Steady(WrapperModel):
    """A model whose continuations of a paused answer count as steps.

    The library asks a model that pauses to go on by itself, and counts the whole as one request. Some of its
    readers let an answer that they cannot read escape as an error of validation.

    Args:
        wrapped: The model.
        steps: Requests that one run may make in all.
    """

    def __init__(self, wrapped: Model, *, steps: int) -> None:
        super().__init__(wrapped)
        self._steps = steps

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask for the answer in one piece."""
        number = self._count(messages)
        with _unreadable(self.model_name):
            settings = self._understood(model_settings)
            response = await super().request(_spoken(messages), settings, model_request_parameters)
        response.metadata = _counted(response.metadata, number)
        if response.state == "suspended" and self._used([*messages, response]) >= self._steps:
            response.state = "complete"  # what it said so far is all there will be
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[object] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Ask for the answer in pieces."""
        number = self._count(messages)
        with _unreadable(self.model_name):
            settings = self._understood(model_settings)
            async with super().request_stream(
                _spoken(messages), settings, model_request_parameters, run_context
            ) as stream:
                stream.metadata = _counted(stream.metadata, number)
                yield stream

    def _understood(self, settings: ModelSettings | None) -> ModelSettings | None:
        """The settings without the number of retries where that is settled with the client: it would warn."""
        if settings is None or "max_retries" not in self.wrapped.unsupported_settings:
            return settings
        kept = settings.copy()
        kept.pop("max_retries", None)
        return kept

    def _count(self, messages: Sequence[ModelMessage]) -> int:
        """The number of this request among those for the same answer.

        Raises:
            UsageLimitExceeded: The answer is paused, and the run has no step left.
        """
        paused = messages[-1] if messages else None
        if not isinstance(paused, ModelResponse) or paused.state != "suspended":
            return 1
        if self._used(messages) >= self._steps:
            raise UsageLimitExceeded("The model paused its answer more often than the turn has steps.")
        return _requests(paused) + 1

    def _used(self, messages: Sequence[ModelMessage]) -> int:
        """The requests of the run so far, those for the answer at the end included."""
        run = next((one.run_id for one in reversed(messages) if one.run_id), None)
        earlier = [one for one in messages[:-1] if isinstance(one, ModelResponse) and one.run_id == run]
        return sum(_requests(one) for one in (*earlier, messages[-1]) if isinstance(one, ModelResponse))


def _spoken(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages without what the model left blank: some providers refuse to see it again."""
    spoken = [_without_blanks(message) for message in messages[:-1]]
    return [*(message for message in spoken if message.parts), *messages[-1:]]


def _without_blanks(message: ModelMessage) -> ModelMessage:
    if not isinstance(message, ModelResponse):
        return message
    said = [part for part in message.parts if not isinstance(part, TextPart) or part.content.strip()]
    return message if len(said) == len(message.parts) else replace(message, parts=said)


def _requests(response: ModelResponse) -> int:
    found = (response.metadata or {}).get(_ASKED)
    return found if isinstance(found, int) else 1


def _counted(metadata: dict[str, object] | None, number: int) -> dict[str, object] | None:
    return {**(metadata or {}), _ASKED: number} if number > 1 else metadata


@contextmanager
def _unreadable(model: str) -> Generator[None]:
    """Some of the library's readers reach into whatever came; what fails there is the provider's fault."""
    try:
        yield
    except (ValidationError, LookupError, TypeError, AttributeError) as exc:
        message = "The provider sent an answer that is none."
        raise ModelAPIError(model, message, provider_error_code=_strange_word(exc)) from exc


def _strange_word(exc: Exception) -> str | None:
    """The provider's word for how it ended, where that is what nobody knows."""
    if not isinstance(exc, ValidationError):
        return None
    found = [one["input"] for one in exc.errors(include_url=False) if one["loc"][-1:] == ("finish_reason",)]
    return next((word for word in found if isinstance(word, str)), None)
