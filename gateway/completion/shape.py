"""The shape of a registry row: one way a turn can end, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gateway.completion.sites import sites_of

__all__ = ["Button", "Ending", "Icon", "Remedy", "Status", "Variant"]

Button = Literal["continue", "retry", "new"]
Icon = Literal["", "⏳", "🛑", "⚠️"]
Remedy = Literal[
    "", "resume", "change-request", "change-model", "back-off", "reduce-context", "fix-credentials"
]
Status = Literal["ok", "failed", "truncated", "length_truncated", "content_filtered", "refused"]


@dataclass(frozen=True, slots=True)
class Variant:
    """How an ending is told under some circumstances.

    Attributes:
        when: Circumstance words that must all hold; empty for the default, which stands last in its row.
        group: The key of the catalogue's text; empty when nothing is said.
        icon: Stands before the text.
        buttons: What is offered, main one first.
        operator: What operators read; placeholders in braces are filled from the record.
    """

    when: tuple[str, ...]
    group: str
    icon: Icon
    buttons: tuple[Button, ...]
    operator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """One way a turn can end.

    Attributes:
        aliases: Other spellings of the same word that are read.
        retry_as_is: Whether sending the same again may help.
        after_remedy: Whether it may help once `remedy` was applied.
        remedy: Named exactly when `after_remedy` holds.
        told: Whether the person is told.
        told_when: A condition on `told` that only the caller can check; empty for none.
        exit_code: Of `lastword ask`.
        status: The word of `lastword ask --output json`.
        variants: How it is told, the default last.
    """

    reason: str
    aliases: tuple[str, ...] = ()
    meaning: str
    retry_as_is: bool = False
    after_remedy: bool = False
    remedy: Remedy = ""
    told: bool = True
    told_when: str = ""
    exit_code: int = 1
    status: Status = "failed"
    variants: tuple[Variant, ...]

    @property
    def group(self) -> str:
        """The default's text group."""
        return self.variants[-1].group

    @property
    def icon(self) -> Icon:
        """The default's icon."""
        return self.variants[-1].icon

    @property
    def buttons(self) -> tuple[Button, ...]:
        """The default's buttons."""
        return self.variants[-1].buttons

    @property
    def operator(self) -> str:
        """The default's operator text."""
        return self.variants[-1].operator

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites that may set it, in the order of `SITES`."""
        return sites_of(self.reason)
