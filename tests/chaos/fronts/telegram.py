"""Private chats with a Telegram bot that polls."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from contextlib import AsyncExitStack

from tests.chaos.line import Line
from tests.chaos.story import Chat, Word
from tests.emulators import telegram
from tests.emulators.wire import Json, Reply, Request

__all__ = ["Telegram"]


class _Telegram(telegram.TelegramEmulator):
    """Counts what it refused for good, by chat."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: Counter[int] = Counter()

    async def _spoilt(self, fault: telegram.Fault, method: str, params: Json, request: Request) -> Reply:
        if fault.status in (400, 403) and "chat_id" in params:
            self.refused[int(params["chat_id"])] += 1
        return await super()._spoilt(fault, method, params, request)

    def calm(self) -> None:
        """Forget the faults that have not struck."""
        self._faults.clear()


class Telegram:
    """Private chats with a bot that polls."""

    letter = "T"

    def __init__(self, people: int, *, agent: str) -> None:
        self.people = people
        self.emulator = _Telegram()
        self.line = Line()
        self._agent = agent
        self._said: defaultdict[int, list[tuple[int, Word]]] = defaultdict(list)

    async def open(self, stack: AsyncExitStack) -> None:
        """Begin to listen."""
        await stack.enter_async_context(self.emulator)
        await self.line.open(int(self.emulator.base.rpartition(":")[2]), stack)

    def yaml(self) -> str:
        """The bot's part of the configuration."""
        return f"""
  phone:
    platform: telegram
    token: "{self.emulator.token}"
    api_base: "http://127.0.0.1:{self.line.port}"
    agent: {self._agent}
    rates: {{overall: 0, chat: 0, group: 0}}
"""

    async def up(self, addresses: tuple[str, ...], stack: AsyncExitStack) -> None:
        """It asks by itself."""

    async def say(self, person: int, marker: str, kind: str) -> None:
        """Somebody writes."""
        given = self.emulator.updates.next_id
        self.emulator.say(f"{marker} {kind}", chat=_chat(person))
        self._said[person].append((given, Word(marker, kind)))

    def spoil(self, chance: random.Random) -> str:
        """Let something go wrong with what comes next."""
        if chance.random() < 0.15:
            return f"telegram {self.line.spoil(chance)}"
        name, fault = chance.choice(_faults(chance))
        method = "getUpdates" if chance.random() < 0.2 and fault.status not in (400, 403) else "sendMessage"
        self.emulator.fail(method, fault)
        return f"telegram {method}: {name}"

    def calm(self) -> None:
        """Let nothing go wrong any more."""
        self.emulator.calm()
        self.line.calm()

    def pending(self) -> int:
        """Updates that are not confirmed."""
        return self.emulator.unconfirmed

    def chats(self) -> tuple[Chat, ...]:
        """What stands in the chats."""
        waiting = self.emulator.updates.ids
        return tuple(
            Chat(
                f"telegram {_chat(person)}",
                tuple(Word(word.marker, word.kind, given not in waiting) for given, word in said),
                tuple(self.emulator.texts(_chat(person))),
                tuple(self.emulator.drafts.get(_chat(person), ())),
                reconciles=False,
                refused=self.emulator.refused[_chat(person)],
            )
            for person, said in sorted(self._said.items())
        )


def _chat(person: int) -> int:
    return 5000 + person


def _faults(chance: random.Random) -> list[tuple[str, telegram.Fault]]:
    wait = chance.randint(1, 2)
    return [
        ("asks to wait", telegram.Fault(429, f"Too Many Requests: retry after {wait}", retry_after=wait)),
        ("takes it and is cut", telegram.Fault(after=True, cut=True)),
        ("is cut", telegram.Fault(cut=True)),
        ("takes it and breaks", telegram.Fault(502, "Bad Gateway", after=True)),
        ("breaks", telegram.Fault(500)),
        ("takes it and dawdles", telegram.Fault(after=True, passes=True, delay=chance.uniform(0.2, 1.5))),
        ("dawdles", telegram.Fault(passes=True, delay=chance.uniform(0.2, 1.5))),
        ("refuses the text", telegram.Fault(400, "Bad Request: can't parse entities")),
        ("was left", telegram.Fault(403, "Forbidden: bot was blocked by the user")),
    ]
