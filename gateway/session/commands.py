"""What people can ask of the gateway itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from gateway.abc.store import Fact, Store
from gateway.completion.model import TurnCompletion
from gateway.messages import Inbound
from gateway.session.bots import Bot
from gateway.session.envelope import unseal
from gateway.session.gathering import covered
from gateway.session.lanes import conversation_lane
from gateway.session.record import Record, read, row
from gateway.session.running import RunningTurns

__all__ = ["NEW_CHAT", "Asked", "Told", "chosen_language", "run", "stop"]

_LOST = frozenset({"expired", "undeliverable", "dropped"})
_LOOK_BACK = 20  # turns looked at for the last one that an agent answered


@dataclass(frozen=True, slots=True)
class Told:
    """What a command comes to.

    Attributes:
        line: The catalogue line to answer with; empty for no answer.
        text: What to say instead of a line; empty for the line.
        clear: Whether the conversation's history is forgotten.
        retry: The turn that is offered to be run after all; empty for none.
        acted: Whether tools with effects had started in it, so that a retry asks first.
        ref: The reference that stands behind the line; empty for none.
        answers: The message it points to, where the platform can; empty for none.
        why: Where there is no answer: what stood in its way, for the record.
    """

    line: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    facts: tuple[Fact, ...] = ()
    text: str = ""
    clear: bool = False
    retry: str = ""
    acted: bool = False
    ref: str = ""
    answers: str = ""
    why: str = ""


NEW_CHAT = Told("new_chat", clear=True)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, by whom and where.

    Attributes:
        entry: Its inbox entry; what came later is not meant by it.
        lane: The lane it came in.
        salt: The store's own number.
    """

    inbound: Inbound
    entry: int
    bot: Bot
    store: Store
    running: RunningTurns
    lane: str
    language: str
    salt: int


async def run(asked: Asked) -> Told | None:
    """Carry a command out; `None` when it is not ours and the agent should see it."""
    command = _COMMANDS.get(asked.inbound.command)
    return await command(asked) if command is not None else None


async def chosen_language(store: Store, bot: Bot, inbound: Inbound) -> str:
    """The language the person chose with `/language`; empty for none."""
    value = await store.get(_language_key(bot, inbound))
    return value.decode() if value is not None else ""


def _language_key(bot: Bot, inbound: Inbound) -> str:
    return f"language/{bot.name}/{inbound.sender.id}"


def _conversation(asked: Asked) -> str:
    """The conversation's lane beside the control lane the command came in."""
    return conversation_lane(asked.lane)


async def stop(asked: Asked, *, turn: str = "") -> Told:
    """End what runs in a conversation, and drop what waits there.

    Args:
        asked: By whom and where.
        turn: The turn that is meant; empty for whichever runs.
    """
    lane = _conversation(asked)
    running = asked.running.at(lane)
    if turn and (running is None or running.turn != turn):
        return Told("button_expired")
    admin = await asked.bot.door.is_admin(asked.inbound.sender.id)
    under_way = running or asked.running.forming(lane)
    if under_way is not None and not (admin or under_way.person == asked.inbound.sender.id):
        return Told("not_your_button")
    dropped = await _dropped(asked, lane, everybodys=admin or asked.inbound.place.private)
    stopped = _ended(asked, lane)
    if dropped:
        return Told("stop.dropped", {"n": str(len(dropped))}, retry=dropped[-1])
    return Told("", why="answered by the note of the stopped turn") if stopped else Told("nothing_to_stop")


def _ended(asked: Asked, lane: str) -> bool:
    """End what is under way; whether there was anything to end."""
    running, forming = asked.running.at(lane), asked.running.forming(lane)
    if forming is not None:
        forming.stopped_by = asked.inbound.sender
        return True
    completion = TurnCompletion("cancelled", site="session.stop", source="control")
    return running is not None and running.decide(completion, by=asked.inbound.sender)


async def _dropped(asked: Asked, lane: str, *, everybodys: bool) -> list[str]:
    """End the messages that wait in a lane, one's own or everybody's; the turns they would have been."""
    found: dict[int, Record] = {}
    for one in await asked.store.waiting(lane):
        said = unseal(one.body).inbound
        if one.entry > asked.entry or said is None or said.kind != "message":
            continue
        if not everybodys and said.sender.id != asked.inbound.sender.id:
            continue
        record = covered(lane, one.entry, said, one.at, bot=asked.bot.name, by="", salt=asked.salt)
        record.completion = TurnCompletion("cancelled", site="session.stop", source="control").to_dict()
        record.asked = said.text
        found[one.entry] = record
    ended = await asked.store.cover(lane, [row(record) for record in found.values()]) if found else ()
    return [found[entry].id for entry in ended]


async def _why(asked: Asked) -> Told:
    """How the last answer of the conversation ended, once more."""
    for turn in await asked.store.turns(bot=asked.bot.name, lane=_conversation(asked), limit=_LOOK_BACK):
        record = read(turn)
        if record.agent and record.completion:
            if record.delivery in _LOST:
                return Told("delivery.expired", ref=record.ref)
            if record.completion.get("reason") == "completed" or not record.note:
                return Told("why.fine")
            return Told("", text=f"{record.note}\n{asked.bot.notebook.reference(record.ref, asked.language)}")
    return Told("why.none")


async def _busy(_: Asked) -> Told:
    """What can only be asked for once the running turn has ended."""
    return Told("status.running")


async def _status(asked: Asked) -> Told:
    running = asked.running.at(_conversation(asked))
    return Told("status.idle" if running is None else "status.running")


async def _help(_: Asked) -> Told:
    return Told("help")


async def _start(_: Asked) -> Told:
    return Told("welcome")


async def _whoami(asked: Asked) -> Told:
    return Told("whoami", {"id": asked.inbound.sender.id})


async def _new(_: Asked) -> Told:
    return NEW_CHAT


async def _language(asked: Asked) -> Told:
    wanted = asked.inbound.text.strip()
    tag = asked.bot.notebook.find(wanted)
    if not tag:
        return Told(
            "language_unknown",
            {"languages": ", ".join(map(asked.bot.notebook.name, asked.bot.notebook.languages))},
        )
    fact = Fact(_language_key(asked.bot, asked.inbound), tag.encode())
    return Told("language_set", {"language": asked.bot.notebook.name(tag)}, (fact,))


async def _pair(asked: Asked) -> Told:
    if not await asked.bot.door.is_admin(asked.inbound.sender.id):
        return Told("pair.owner_only")
    person = await asked.bot.door.approve(asked.inbound.text.strip())
    return Told("approved") if person is not None else Told("code_unknown")


_COMMANDS: dict[str, Callable[[Asked], Awaitable[Told]]] = {
    "stop": stop,
    "status": _status,
    "help": _help,
    "start": _start,
    "whoami": _whoami,
    "new": _new,
    "language": _language,
    "pair": _pair,
    "why": _why,
    "continue": _busy,
    "retry": _busy,
}
