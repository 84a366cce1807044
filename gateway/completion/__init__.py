"""How turns end: the registry, the record and the readers; pure."""

from gateway.completion.extract import extract_completion
from gateway.completion.model import AgentReply, Source, TurnCompletion, append_completion_note
from gateway.completion.readers import (
    classify_error,
    classify_exception,
    classify_exchange,
    classify_response,
)
from gateway.completion.registry import CIRCUMSTANCES, ENDINGS, advice, ending, normalise, variant
from gateway.completion.shape import Button, Ending, Variant
from gateway.completion.sites import SITES
from gateway.completion.telling import operator_text

__all__ = [
    "CIRCUMSTANCES",
    "ENDINGS",
    "SITES",
    "AgentReply",
    "Button",
    "Ending",
    "Source",
    "TurnCompletion",
    "Variant",
    "advice",
    "append_completion_note",
    "classify_error",
    "classify_exception",
    "classify_exchange",
    "classify_response",
    "ending",
    "extract_completion",
    "normalise",
    "operator_text",
    "variant",
]
