"""Who may talk to a bot: closed by default, opened by a code."""

from gateway.access.door import Door, Verdict

__all__ = ["Door", "Verdict"]
