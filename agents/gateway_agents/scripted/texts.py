"""What a scripted agent says when nobody wrote anything else for it."""

from __future__ import annotations

__all__ = ["GREETING", "SECRET", "STORY"]

GREETING = (
    "Hello! I am a small scripted agent: no model and no account stand behind me, so I cost nothing "
    "and never change my mind.\n\n"
    "Ask me anything and I will answer with these lines. Ask me to stop half-way, to refuse, or to fall "
    "silent, and you will see what a person in the chat is told when that happens to a real agent."
)

STORY = (
    "The lighthouse keeper climbed the last of the stairs just as the storm came in over the bay. He "
    "counted the seconds between the lightning and the thunder, as his mother had taught him, and wrote "
    "each number in the book. When the lamp went dark he did not curse it; he lit a candle, set it in the "
    "window, and sat down beside it until the first ship had found its way home."
)

SECRET = "sk-fake-0123456789abcdef"  # noqa: S105  # no key: what a crash mentions, to show that no chat sees it
