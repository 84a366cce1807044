"""What each framework lets through of each ending: all, but for the cells that are listed here with why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["ENDINGS", "FRAMEWORKS", "MODES", "Blind", "Ending", "Framework", "Mode"]

Mode = Literal["whole", "streamed"]
MODES: tuple[Mode, ...] = ("whole", "streamed")


@dataclass(frozen=True, slots=True)
class Ending:
    """One way the provider ends, and what is right.

    Attributes:
        what: What the provider does, as a row of the table.
        reason: What the person must be told.
        text: What of the answer must be visible then; empty for nothing.
        wait: Seconds the provider asks to wait.
        streamed: What is right where the answer is streamed, when that differs.
        modes: How answers come that can end so.
    """

    what: str
    reason: str
    text: str = ""
    wait: float | None = None
    streamed: Ending | None = None
    modes: tuple[Mode, ...] = MODES

    def right(self, mode: Mode) -> Ending:
        """What is right in a mode."""
        return self.streamed if self.streamed is not None and mode == "streamed" else self


_LONG = "One two three four five six seven eight nine ten"
_REFUSAL = "I can't help with that."
_STREAMED: tuple[Mode, ...] = ("streamed",)
_WHOLE: tuple[Mode, ...] = ("whole",)

ENDINGS: Mapping[str, Ending] = {
    "completed": Ending("a whole answer", "completed", "[[completed]]"),
    "one_tool": Ending("a tool call, then an answer", "completed", "Found:"),
    "length": Ending("the output limit, in the middle of a sentence", "length_truncated", _LONG),
    "length_empty": Ending("the output limit, before any text", "length_truncated"),
    "cut_tool": Ending("the output limit, inside a tool call", "length_truncated"),
    "filter": Ending("a filter, with no text", "content_filtered"),
    "filter_with_text": Ending("a filter, after some text", "content_filtered", "One two"),
    "flagged": Ending("a prompt that is refused by policy", "content_filtered"),
    "refusal": Ending("a refusal in the model's own words", "refused", _REFUSAL),
    "strange": Ending("a word nobody knows", "cosmic_rays", "One two"),
    "empty": Ending("no text at all", "empty_response"),
    "whitespace": Ending("blanks only", "empty_response"),
    "thoughts": Ending("thoughts only", "empty_response"),
    "tools": Ending("tool calls without end", "max_steps"),
    "rate": Ending("429, too many requests, try again in 7 s", "rate_limited", wait=7.0),
    "quota": Ending("429, the account is empty", "quota_exhausted"),
    "key": Ending("401, a wrong key", "auth_failed"),
    "model": Ending("404, no such model", "model_not_found"),
    "context": Ending("400, too long a conversation", "context_overflow"),
    "large": Ending("413, too large a request", "context_overflow"),
    "invalid": Ending("400, a wrong request", "invalid_request"),
    "server": Ending("500", "provider_error"),
    "overloaded": Ending("529, overloaded", "provider_error"),
    "deaf": Ending("no answer at all", "timeout"),
    "hang": Ending("an answer that stops moving", "timeout", streamed=Ending("", "timeout", "One two")),
    "cut_at_once": Ending("a broken connection, before any text", "network_error"),
    "cut": Ending(
        "a broken connection, in the middle", "network_error", streamed=Ending("", "stream_cut", _LONG)
    ),
    "eof": Ending("an end with no word for it", "stream_cut", _LONG),
    "error_frame": Ending("a fault inside the stream", "provider_error", "One two", modes=_STREAMED),
    "rate_frame": Ending("a rate limit inside the stream", "rate_limited", "One two", modes=_STREAMED),
}


@dataclass(frozen=True, slots=True)
class Blind:
    """Cells where what is right cannot be known.

    Attributes:
        endings: Names of `ENDINGS`.
        told: The reason that comes out; the right one where only the answer's text is lost.
        why: A footnote of the table.
        modes: What it is about.
    """

    endings: tuple[str, ...]
    told: str
    why: str
    modes: tuple[Mode, ...] = MODES


@dataclass(frozen=True, slots=True)
class Framework:
    """One column of the table.

    Attributes:
        title: As operators know it.
        environment: The name of its pinned requirements.
        agent: Options of the Python agent.
        modes: How its answers come.
        protocol: What its provider speaks; `insistent` holds the model to the person's own words.
        blind: What cannot be seen in it.
    """

    title: str
    environment: str
    agent: Mapping[str, str]
    modes: tuple[Mode, ...] = MODES
    protocol: Literal["chat", "insistent", "responses"] = "chat"
    blind: tuple[Blind, ...] = ()

    def blindness(self, ending: str, mode: Mode) -> Blind | None:
        """Why an ending cannot be seen; `None` where it can."""
        return next((one for one in self.blind if ending in one.endings and mode in one.modes), None)


_TARGETS = "tests.frameworks.targets"
_DROPPED = (
    "Its Chat Completions model drops the provider's word for how an answer ended. Its Responses model, the"
    " SDK's default, keeps it."
)
_DROPPED_CALL = (
    "For the same reason the tool is called with half of its arguments, which the provider then rejects."
)
_RAISED = (
    "The SDK raises an error in place of the answer, which is lost. With `stream: true` it has been shown."
)
_NO_STATUS = "The SDK takes a whole response without a status for a finished one."
_LOST_REFUSAL = (
    "`langchain-openai` drops the refusal of a streamed answer. Without `stream: true` it is told."
)
_RAN = (
    "A streamed tool call that was cut is run with half of its arguments, again and again, until the limit of"
    " steps. Without `stream: true` it is not."
)
_FINISHED = "Its `last_stop_reason` says `completed`, and nothing else says more."
_SENT_BACK = "It sends the half of a tool call back to the provider, which rejects it."
_SILENT_REFUSAL = "The ending is known, the model's own words are not."

_LANGGRAPH = (
    Blind(("refusal",), "empty_response", _LOST_REFUSAL, _STREAMED),
    Blind(("cut_tool",), "max_steps", _RAN, _STREAMED),
)

FRAMEWORKS: Mapping[str, Framework] = {
    "pydantic-ai": Framework("pydantic-ai", "pydantic-ai", {"target": f"{_TARGETS}.pydantic_ai:agent"}),
    "langchain": Framework(
        "LangChain `create_agent`",
        "langchain",
        {"target": f"{_TARGETS}.langchain:created"},
        blind=_LANGGRAPH,
    ),
    "langgraph": Framework(
        "LangGraph", "langchain", {"target": f"{_TARGETS}.langchain:drawn"}, blind=_LANGGRAPH
    ),
    "openai-agents": Framework(
        "OpenAI Agents SDK",
        "openai-agents",
        {"target": f"{_TARGETS}.openai_agents:responses"},
        protocol="responses",
        blind=(
            Blind(("length",), "length_truncated", _RAISED, _WHOLE),
            Blind(("filter_with_text",), "content_filtered", _RAISED, _WHOLE),
            Blind(("strange",), "cosmic_rays", _RAISED, _WHOLE),
            Blind(("eof",), "completed", _NO_STATUS, _WHOLE),
        ),
    ),
    "openai-agents-chat": Framework(
        "OpenAI Agents SDK, Chat Completions",
        "openai-agents",
        {"target": f"{_TARGETS}.openai_agents:chat"},
        blind=(
            Blind(("length", "filter_with_text", "strange", "eof"), "completed", _DROPPED),
            Blind(("cut_tool",), "invalid_request", _DROPPED_CALL),
        ),
    ),
    "praisonai": Framework(
        "PraisonAI",
        "praisonai",
        {"factory": f"{_TARGETS}.praisonai:make"},
        modes=_WHOLE,
        protocol="insistent",
        blind=(
            Blind(("filter_with_text", "strange", "eof"), "completed", _FINISHED),
            Blind(("cut_tool",), "invalid_request", _SENT_BACK),
            Blind(("refusal",), "refused", _SILENT_REFUSAL),
        ),
    ),
}
