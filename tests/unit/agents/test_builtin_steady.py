"""What stands between the loop and a model: pauses are steps, and nonsense is the provider's fault."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from pydantic import BaseModel, ValidationError
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, UsageLimitExceeded
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseState,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ModelSettings

from gateway_agents.builtin.steady import Steady

_PARAMETERS = ModelRequestParameters()


class _Scripted(TestModel):
    """A model that answers with what it is given, or raises it, and keeps what it was asked."""

    def __init__(self, *answers: ModelResponse | Exception) -> None:
        super().__init__()
        self._answers = list(answers)
        self.asked: list[list[ModelMessage]] = []
        self.settings_given: list[ModelSettings | None] = []

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,  # noqa: ARG002  # the shape of a model
    ) -> ModelResponse:
        self.asked.append(messages)
        self.settings_given.append(model_settings)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[object] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        self.asked.append(messages)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        async with super().request_stream(
            messages[:1], model_settings, model_request_parameters, run_context
        ) as stream:
            yield stream


def _paused(text: str = "Looking.", *, state: ModelResponseState = "suspended") -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)], state=state, run_id="r1")


def _prompt(run: str = "r1") -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart("hello")], run_id=run)


async def _ask(model: Model, *messages: ModelMessage, settings: ModelSettings | None = None) -> ModelResponse:
    return await model.request(list(messages), settings, _PARAMETERS)


async def test_pauses_count_as_steps() -> None:
    model = Steady(_Scripted(_paused(), _paused()), steps=4)
    first = await _ask(model, _prompt())

    second = await _ask(model, _prompt(), first)

    assert [first.state, second.state] == ["suspended", "suspended"]
    with pytest.raises(UsageLimitExceeded):
        await _ask(Steady(_Scripted(), steps=2), _prompt(), second)


async def test_pause_at_the_last_step_is_taken_as_the_answer() -> None:
    model = Steady(_Scripted(_paused()), steps=1)

    response = await _ask(model, _prompt())

    assert response.state == "complete"


async def test_steps_before_the_pause_count() -> None:
    earlier = _paused(state="complete")

    with pytest.raises(UsageLimitExceeded):
        await _ask(Steady(_Scripted(), steps=2), _prompt(), earlier, _prompt(), _paused())


async def test_steps_of_an_earlier_turn_do_not_count() -> None:
    old = ModelResponse(parts=[TextPart("Yes.")], run_id="r0")
    model = Steady(_Scripted(_paused(state="complete")), steps=2)

    response = await _ask(model, _prompt("r0"), old, _prompt(), _paused())

    assert response.state == "complete"


async def test_stream_of_a_pause_counts_as_a_step() -> None:
    model = Steady(_Scripted(_paused()), steps=2)

    async with model.request_stream([_prompt(), _paused()], None, _PARAMETERS) as stream:
        async for _ in stream:
            pass

    assert (stream.get().metadata or {})["lastword_requests"] == 2


class _Answer(BaseModel):
    finish_reason: bool


def _unreadable() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        _Answer.model_validate({"finish_reason": "cosmic_rays"})
    return caught.value


@pytest.mark.parametrize(
    ("problem", "code"),
    [(_unreadable(), "cosmic_rays"), (IndexError("list index"), None), (TypeError("not iterable"), None)],
)
async def test_answer_that_cannot_be_read_is_the_providers_fault(
    problem: Exception, code: str | None
) -> None:
    model = Steady(_Scripted(problem, problem), steps=2)

    with pytest.raises(ModelAPIError) as whole:
        await _ask(model, _prompt())
    with pytest.raises(ModelAPIError) as streamed:
        async with model.request_stream([_prompt()], None, _PARAMETERS):
            pass

    assert [whole.value.provider_error_code, streamed.value.provider_error_code] == [code, code]
    assert whole.value.__cause__ is problem


async def test_what_was_left_blank_is_not_sent_back() -> None:
    scripted = _Scripted(_paused(state="complete"))
    blank, half = (
        ModelResponse(parts=[TextPart(" \n")]),
        ModelResponse(parts=[TextPart("Yes."), TextPart("")]),
    )

    await _ask(Steady(scripted, steps=2), _prompt(), blank, _prompt(), half, _prompt())

    sent = [message for message in scripted.asked[0] if isinstance(message, ModelResponse)]
    assert [message.parts for message in sent] == [[TextPart("Yes.")]]


@pytest.mark.parametrize("knows", [True, False])
async def test_number_of_retries_is_kept_from_a_model_that_would_warn(knows: bool) -> None:
    scripted = _Scripted(_paused(state="complete"))
    if not knows:
        scripted.unsupported_settings = frozenset({"max_retries"})  # type: ignore[misc]  # of this one only
    given = ModelSettings(max_retries=0, temperature=0.5)

    await _ask(Steady(scripted, steps=2), _prompt(), settings=given)

    rest = ModelSettings(temperature=0.5)
    assert scripted.settings_given == [given if knows else rest]
    assert given == ModelSettings(max_retries=0, temperature=0.5)
