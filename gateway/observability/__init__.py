"""What operators see of a running gateway: log lines, metrics, the loop's lag."""

from gateway.observability.logging import bound, configure_logging, get_logger
from gateway.observability.metrics import Metrics, watch_loop
from gateway.observability.redaction import redact, register_secret

__all__ = [
    "Metrics",
    "bound",
    "configure_logging",
    "get_logger",
    "redact",
    "register_secret",
    "watch_loop",
]
