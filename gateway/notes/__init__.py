"""Every text a person reads that is not the agent's, in their language."""

from gateway.notes.catalogue import Notebook
from gateway.notes.negotiation import negotiate
from gateway.notes.overrides import validate_overrides
from gateway.notes.policy import Circumstances, Decision, NoteSettings, decide
from gateway.notes.shipped import SHIPPED
from gateway.notes.words import typed

__all__ = [
    "SHIPPED",
    "Circumstances",
    "Decision",
    "NoteSettings",
    "Notebook",
    "decide",
    "negotiate",
    "typed",
    "validate_overrides",
]
