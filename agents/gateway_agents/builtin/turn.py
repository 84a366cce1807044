"""One turn of the built-in agent: an attempt, and what is done by itself when it does not end well."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from gateway.abc.agent import Remedy, TurnContext, TurnRequest, TurnResult
from gateway.completion.model import TurnCompletion
from gateway_agents._transcript import keep, prompt_of, recall
from gateway_agents.builtin.compaction import compact, shortened
from gateway_agents.builtin.course import Asking, Course, Runs, last_response
from gateway_agents.builtin.endings import refusal_in
from gateway_agents.builtin.files import Prompt, with_files, without_files
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.remedies import ELSEWHERE, Means, Situation, Step
from gateway_agents.builtin.seam import tail_of
from gateway_agents.builtin.shown import Shown
from gateway_agents.builtin.tools import Hand

__all__ = ["Turn", "Who"]

_CONTINUE = (
    "Your last answer stopped before it was finished. Go on exactly where it stopped: repeat nothing, and do "
    "not mention the interruption."
)
_GO_ON = (
    "Your last answer was cut off. Begin with exactly these words, with which it ended, and go on from "
    "there; do not mention the interruption:\n"
)
_CALLS_PER_STEP = 8  # tool calls a turn may use for each of its steps
_SIGN = 0.5  # seconds between two signs of life while the turn waits


@dataclass(frozen=True, slots=True)
class Who:
    """Who answers.

    Attributes:
        models: Who is asked, in order.
        verifies: Whether an answer without a word about its end counts as cut.
    """

    loop: Runs
    models: Sequence[Model]
    options: Options
    settings: ModelSettings
    verifies: bool


class Turn:
    """One turn, used once."""

    def __init__(self, who: Who, request: TurnRequest, context: TurnContext) -> None:
        options = who.options
        self._who = who
        self._request = request
        self._context = context
        self._shown = Shown(context)
        self._course = Course(self._shown, Hand(context), recall(request.history))
        self._means = Means(options.retries, options.retry_wait, len(who.models) - 1, options.auto_continue)
        self._model = 0
        self._steps = options.max_steps
        self._summary = ""
        self._stands: TurnCompletion | None = None  # an ending that a last word does not undo
        self._first: tuple[TurnCompletion, AgentRunError | None] | None = (
            None  # before another model was asked
        )

    async def run(self) -> TurnResult:
        """Answer.

        Raises:
            Exception: What only its class says how the turn ended by; the caller classifies it.
        """
        going_on = self._request.resume and bool(self._request.history)
        prompt = _CONTINUE if going_on else with_files(prompt_of(self._request), self._request.files)
        completion = await self._attempt(prompt)
        while (step := self._means.next(self._situation(completion))) is not None:
            await self._before(step, completion)
            completion = await self._carry_out(step, completion, prompt)
        if completion.reason in ELSEWHERE:
            await self._shown.restore()
        return await self._result(self._told(completion))

    async def _before(self, step: Step, completion: TurnCompletion) -> None:
        """Put the step on the record, and wait as long as it takes."""
        other = self._who.models[self._model + 1].model_name if step.kind == "fallback" else ""
        self._context.remedied(Remedy(step.kind, completion.code, step.wait, other))
        self._steps += 1
        left = step.wait
        while left > 0:
            await asyncio.sleep(min(left, _SIGN))
            self._context.progress()
            left -= _SIGN

    async def _carry_out(self, step: Step, completion: TurnCompletion, prompt: Prompt) -> TurnCompletion:
        match step.kind:
            case "auto_continue":
                return await self._go_on()
            case "finalise":
                return await self._finalise(completion)
            case "compact":
                await self._compact()
            case "fallback":
                self._first = self._first or (completion, self._course.problem)
                self._model += 1
            case "retry":
                pass
        return await self._again(prompt)

    async def _again(self, prompt: Prompt) -> TurnCompletion:
        """The same once more: from the last request, or from the beginning where none was made."""
        self._course.rest()
        self._shown.again()
        return await self._attempt(None if self._course.said else prompt)

    async def _go_on(self) -> TurnCompletion:
        since = len(self._course.said)
        prompt = _GO_ON + tail_of(self._shown.text)
        self._shown.go_on()
        completion = await self._attempt(prompt)
        self._course.join(since=since)
        return completion

    async def _finalise(self, completion: TurnCompletion) -> TurnCompletion:
        """Ask for an answer from what the tools gave, without tools."""
        if completion.reason != "empty_response":
            self._stands = completion
        self._course.rest()
        return await self._attempt(None, ModelSettings(tool_choice="none"))

    async def _compact(self) -> None:
        self._context.progress()
        compacted = await compact(
            self._request.history,
            self._who.models[self._model],
            settings=self._who.settings,
            streams=self._who.options.stream,
            alive=self._context.progress,
        )
        self._context.progress()
        self._summary = compacted.summary
        self._course.before = compacted.messages
        self._course.said = shortened(self._course.said)

    async def _attempt(self, prompt: Prompt | None, settings: ModelSettings | None = None) -> TurnCompletion:
        options = self._who.options
        return await self._course.attempt(
            self._who.loop,
            Asking(
                prompt,
                self._who.models[self._model],
                self._request.instructions or None,
                steps=self._steps,
                calls=options.max_steps * _CALLS_PER_STEP,
                settings=settings,
                streams=options.stream,
                verifies=self._who.verifies,
            ),
        )

    def _situation(self, completion: TurnCompletion) -> Situation:
        last = last_response(self._course.said)
        return Situation(
            completion,
            remaining=self._context.remaining(),
            spoke=_has(last, TextPart),
            shown=bool(self._shown.text.strip()),
            acted=self._course.hand.acted,
            remembers=bool(self._request.history) or self._course.hand.acted,
            calling=_has(last, ToolCallPart),
        )

    def _told(self, completion: TurnCompletion) -> TurnCompletion:
        """The ending to tell: a limit that a last word did not undo; the first model's where all failed."""
        if self._stands is not None:
            self._course.problem = None
            return self._stands
        if self._first is not None and completion.reason in ELSEWHERE:
            completion, self._course.problem = self._first
        return completion

    async def _result(self, completion: TurnCompletion) -> TurnResult:
        if self._course.problem is not None:
            raise self._course.problem
        usage = self._course.usage
        refusal = refusal_in(last_response(self._course.said))
        if refusal and not self._shown.text.strip():
            await self._shown.say(refusal)
        return TurnResult(
            text=self._shown.text,
            completion=replace(completion, steps=usage.requests, actions_ran=self._course.hand.acted),
            data=keep(without_files(self._course.said)),
            usage={
                "requests": usage.requests,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
            },
            summary=self._summary,
        )


def _has(response: ModelResponse | None, kind: type[TextPart | ToolCallPart]) -> bool:
    """Whether the model's message holds a part of a kind; of text, one that can be read."""
    if response is None:
        return False
    found = [part for part in response.parts if isinstance(part, kind)]
    return any(not isinstance(part, TextPart) or part.content.strip() for part in found)
