"""Words and numbers that one provider shares with another, or a library hides, as they came on the wire."""

from __future__ import annotations

import pytest
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import FinishReason, ModelResponse, TextPart
from urllib3.connection import HTTPConnection
from urllib3.exceptions import NewConnectionError

from gateway.completion import classify_error, classify_exception, classify_response


@pytest.mark.parametrize(
    ("status", "code", "kind", "reason"),
    [
        (429, "1300", "rate_limited", "rate_limited"),
        (500, "1000", "internal_server_error", "provider_error"),
        (503, "1100", "service_unavailable", "provider_error"),
        (400, "1500", "invalid_model", "model_not_found"),
    ],
)
def test_mistrals_numbers_are_not_zhipus(status: int, code: str, kind: str, reason: str) -> None:
    body = {"object": "error", "message": "No.", "type": kind, "param": None, "code": code}

    assert classify_error(status=status, body=body).reason == reason


def test_zhipus_numbers_are_read() -> None:
    body = {"error": {"code": "1302", "message": "No."}}

    assert classify_error(status=429, body=body).reason == "rate_limited"
    assert classify_error(status=400, body={"error": {"code": "1301", "message": "No."}}).reason == (
        "content_filtered"
    )


def test_mistrals_number_in_a_message_is_not_zhipus() -> None:
    """What the client says of an error inside a stream, which it cannot read."""
    message = (
        "Response validation failed: 1 validation error for Unmarshaller\nbody.data.id\n  Field required "
        "[type=missing, input_value={'object': 'error', 'mess...': None, 'code': '1300'}, input_type=dict]"
    )

    assert classify_exception(ModelAPIError("small", message)).reason == "provider_error"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("bio_policy", "content_filtered"),
        ("invalid_image_format", "invalid_request"),
        ("rate_limit_exceeded", "rate_limited"),
        ("vector_store_timeout", "timeout"),
    ],
)
def test_code_that_an_exception_carries_is_read(code: str, reason: str) -> None:
    found = classify_exception(ModelAPIError("small", "It failed", provider_error_code=code))

    assert (found.reason, found.token) == (reason, code)


@pytest.mark.parametrize(
    ("normalised", "raw"), [("stop", "end_turn"), ("length", "max_output_tokens"), ("stop", "completed")]
)
def test_token_is_the_providers_word_and_not_the_librarys(normalised: FinishReason, raw: str) -> None:
    response = ModelResponse(
        parts=[TextPart("Hello")], finish_reason=normalised, provider_details={"finish_reason": raw}
    )

    found = classify_response(response)

    assert found is not None
    assert found.token == raw


def _raised(module: str) -> Exception:
    kind = type("ResponseValidationError", (Exception,), {"__module__": module})
    return kind("Response validation failed")  # type: ignore[no-any-return]


def test_answer_that_a_client_cannot_read_is_not_a_blocked_one() -> None:
    mistral = classify_exception(_raised("mistralai.client.errors.responsevalidationerror"))
    vertex = classify_exception(_raised("vertexai.generative_models._generative_models"))

    assert (mistral.reason == "content_filtered", vertex.reason) == (False, "content_filtered")


def test_refused_connection_is_no_timeout() -> None:
    """urllib3's error of it derives from the one of a timeout."""
    cause = NewConnectionError(HTTPConnection("127.0.0.1"), "Connection refused")

    assert classify_exception(cause).reason == "network_error"
