"""Read how providers and frameworks say that a turn ended; the only place that knows their words."""

from gateway.completion.readers.errors import classify_error
from gateway.completion.readers.exceptions import classify_exception
from gateway.completion.readers.exchange import classify_exchange
from gateway.completion.readers.response import classify_response

__all__ = ["classify_error", "classify_exception", "classify_exchange", "classify_response"]
