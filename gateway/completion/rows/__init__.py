"""The rows of the registry, by who ends the turn."""

from gateway.completion.rows.answers import ANSWERS
from gateway.completion.rows.faults import FAULTS
from gateway.completion.rows.runtime import RUNTIME

__all__ = ["ANSWERS", "FAULTS", "RUNTIME"]
