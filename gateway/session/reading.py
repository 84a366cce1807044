"""What of a message no agent can read yet."""

from __future__ import annotations

from gateway.messages import Inbound

__all__ = ["unreadable_part"]

_HEARD = frozenset({"voice", "audio"})


def unreadable_part(inbound: Inbound) -> str:
    """The registry's word for what cannot be read of a message; empty when everything can.

    No agent is given files in this version. A question about a picture that nobody sees would get a confident
    answer about nothing, so a message with a file ends here even when text stands beside it.
    """
    if inbound.attachments:
        return "voice" if any(file.kind in _HEARD for file in inbound.attachments) else "kind"
    return "other" if inbound.unreadable else ""
