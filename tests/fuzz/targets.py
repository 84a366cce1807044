"""What is fuzzed: the body that takes bytes, and the bytes to begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tests.fuzz import answers, chats, raising, seeds

__all__ = ["TARGETS", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to fuzz.

    Attributes:
        body: Reads the bytes as its input and fails where a rule is broken.
        seeds: Makes the inputs to begin with.
    """

    body: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "response": Target(answers.response, seeds.responses),
        "error": Target(answers.error, seeds.errors),
        "exception": Target(raising.exception, seeds.exceptions),
        "markdown": Target(chats.markdown, seeds.texts),
        "note": Target(chats.note, seeds.notes),
        "update": Target(chats.update, seeds.updates),
    }
)
