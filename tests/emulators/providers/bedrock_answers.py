"""What Bedrock answers, by name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.emulators.providers.answers import LONG, SECRET, Answer

__all__ = ["BEDROCK_ANSWERS"]

_LOOKUP = ("lookup", '{"key": "x"}')


def _fault(status: int, kind: str, says: str, headers: Mapping[str, str] | None = None) -> Answer:
    error = {"message": f"{says} ({SECRET})"}
    return Answer(status=status, error=error, headers={"x-amzn-ErrorType": kind, **(headers or {})})


def _frame(kind: str, text: str = "One two") -> Answer:
    return Answer(
        text,
        error={"kind": kind, "message": f"It failed ({SECRET})"},
        headers={"x-amzn-ErrorType": kind[0].upper() + kind[1:]},
    )


BEDROCK_ANSWERS: dict[str, Answer] = {
    "completed": Answer(token="end_turn"),
    "stop_sequence": Answer("One two", token="stop_sequence"),
    "length": Answer(LONG, token="max_tokens"),
    "length_empty": Answer("", token="max_tokens"),
    "window": Answer("One two", token="model_context_window_exceeded"),
    "rest": Answer("eleven twelve.", token="end_turn"),
    "filter": Answer("", token="content_filtered"),
    "filter_with_text": Answer("One two", token="content_filtered"),
    "guardrail": Answer("I cannot talk about that.", token="guardrail_intervened"),
    "malformed": Answer("", token="malformed_tool_use"),
    "malformed_text": Answer("One two", token="malformed_model_output"),
    "empty": Answer("", token="end_turn"),
    "whitespace": Answer(" \n\t ", token="end_turn"),
    "thoughts": Answer("", token="end_turn", thoughts="The person wants something."),
    "strange": Answer("One two", token="cosmic_rays"),
    "cut": Answer(LONG, token=None, cut=True),
    "cut_at_once": Answer("", token=None, cut=True),
    "eof": Answer(LONG, token=None),
    "eof_empty": Answer("", token=None),
    "hang": Answer("One two", token=None, hang="after"),
    "deaf": Answer(hang="before"),
    "tools": Answer("Let me look.", call=_LOOKUP, token="tool_use"),
    "one_tool": Answer("Let me look.", call=_LOOKUP, rounds=1, token="tool_use"),
    "broken_tools": Answer("", call=("fail", "{}"), token="tool_use"),
    "cut_tool": Answer("", call=("lookup", '{"key": "x'), token="max_tokens"),
    "rate": _fault(
        429,
        "ThrottlingException",
        "Too many requests, please wait before trying again.",
        {"Retry-After": "7"},
    ),
    "tokens": _fault(429, "ThrottlingException", "Too many tokens, please wait before trying again."),
    "quota": _fault(400, "ServiceQuotaExceededException", "Your request exceeds the service quota."),
    "key": _fault(
        403, "UnrecognizedClientException", "The security token included in the request is invalid."
    ),
    "forbidden": _fault(
        403, "AccessDeniedException", "User: ada is not authorized to perform: bedrock:InvokeModel"
    ),
    "not_granted": _fault(
        403, "AccessDeniedException", "You don't have access to the model with the specified model ID."
    ),
    "expired": _fault(403, "ExpiredTokenException", "The security token included in the request is expired"),
    "model": _fault(400, "ValidationException", "The provided model identifier is invalid."),
    "no_model": _fault(404, "ResourceNotFoundException", "Could not resolve the foundation model"),
    "context": _fault(400, "ValidationException", "Input is too long for requested model."),
    "large": _fault(413, "RequestEntityTooLargeException", "Request too large"),
    "invalid": _fault(400, "ValidationException", "Malformed input request"),
    "server": _fault(500, "InternalServerException", "The system encountered an unexpected error."),
    "model_error": _fault(424, "ModelErrorException", "The model failed"),
    "model_timeout": _fault(408, "ModelTimeoutException", "Model has timed out in processing the request."),
    "not_ready": _fault(429, "ModelNotReadyException", "The model is not ready for inference."),
    "unavailable": _fault(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
    "error_frame": _frame("internalServerException"),
    "stream_fault": _frame("modelStreamErrorException"),
    "busy_frame": _frame("serviceUnavailableException", ""),
    "rate_frame": _frame("throttlingException"),
    "invalid_frame": _frame("validationException", ""),
}
