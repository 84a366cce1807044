"""What people can ask of the gateway itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from gateway.abc.store import Fact, Store
from gateway.completion.model import TurnCompletion
from gateway.messages import Inbound
from gateway.session.bots import Bot
from gateway.session.lanes import bot_of
from gateway.session.running import Running, RunningTurns

__all__ = ["NEW_CHAT", "Told", "chosen_language", "run"]


@dataclass(frozen=True, slots=True)
class Told:
    """What a command comes to.

    Attributes:
        line: The catalogue line to answer with; empty for no answer.
        clear: Whether the conversation's history is forgotten.
        why: Where there is no answer: what stood in its way, for the record.
    """

    line: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    facts: tuple[Fact, ...] = ()
    clear: bool = False
    why: str = ""


NEW_CHAT = Told("new_chat", clear=True)


@dataclass(frozen=True, slots=True)
class _Asked:
    inbound: Inbound
    bot: Bot
    store: Store
    running: RunningTurns
    lane: str
    language: str


async def run(
    inbound: Inbound, *, bot: Bot, store: Store, running: RunningTurns, lane: str, language: str
) -> Told | None:
    """Carry a command out; `None` when it is not ours and the agent should see it."""
    command = _COMMANDS.get(inbound.command)
    if command is None:
        return None
    return await command(_Asked(inbound, bot, store, running, lane, language))


async def chosen_language(store: Store, bot: Bot, inbound: Inbound) -> str:
    """The language the person chose with `/language`; empty for none."""
    value = await store.get(_language_key(bot, inbound))
    return value.decode() if value is not None else ""


def _language_key(bot: Bot, inbound: Inbound) -> str:
    return f"language/{bot.name}/{inbound.sender.id}"


def _conversation(asked: _Asked) -> str:
    """The conversation's lane beside the control lane the command came in."""
    name, _, rest = asked.lane.partition("/")
    return f"{bot_of(name)}/{rest}"


async def _stop(asked: _Asked) -> Told:
    running = asked.running.at(_conversation(asked))
    if running is None or not await _may_stop(asked, running):
        return Told("nothing_to_stop") if running is None else Told("not_your_button")
    completion = TurnCompletion("cancelled", site="session.stop", source="control")
    if not running.decide(completion, by=asked.inbound.sender.id):
        return Told("nothing_to_stop")
    return Told("", why="answered by the note of the stopped turn")


async def _may_stop(asked: _Asked, running: Running) -> bool:
    person = asked.inbound.sender.id
    return running.person == person or await asked.bot.door.is_admin(person)


async def _status(asked: _Asked) -> Told:
    running = asked.running.at(_conversation(asked))
    return Told("status.idle" if running is None else "status.running")


async def _help(_: _Asked) -> Told:
    return Told("help")


async def _start(_: _Asked) -> Told:
    return Told("welcome")


async def _whoami(asked: _Asked) -> Told:
    return Told("whoami", {"id": asked.inbound.sender.id})


async def _new(_: _Asked) -> Told:
    return NEW_CHAT


async def _language(asked: _Asked) -> Told:
    wanted = asked.inbound.text.strip()
    tag = asked.bot.notebook.find(wanted)
    if not tag:
        return Told(
            "language_unknown",
            {"languages": ", ".join(map(asked.bot.notebook.name, asked.bot.notebook.languages))},
        )
    fact = Fact(_language_key(asked.bot, asked.inbound), tag.encode())
    return Told("language_set", {"language": asked.bot.notebook.name(tag)}, (fact,))


async def _pair(asked: _Asked) -> Told:
    if not await asked.bot.door.is_admin(asked.inbound.sender.id):
        return Told("access_denied")
    person = await asked.bot.door.approve(asked.inbound.text.strip())
    return Told("approved") if person is not None else Told("code_unknown")


_COMMANDS: dict[str, Callable[[_Asked], Awaitable[Told]]] = {
    "stop": _stop,
    "status": _status,
    "help": _help,
    "start": _start,
    "whoami": _whoami,
    "new": _new,
    "language": _language,
    "pair": _pair,
}
