"""One battle: real gateways, people on every platform, and faults by a seeded schedule until all is told."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.checker import check
from tests.chaos.depot import Depot
from tests.chaos.fronts import Front
from tests.chaos.reading import read_store
from tests.chaos.story import Story, Violation
from tests.chaos.target import KINDS
from tests.integration.replicas.scene import Replica

__all__ = ["Battle", "Outcome", "Terms"]

_RARE = {"crash": 0.06, "hang": 0.4, "hang-late": 0.4, "deaf": 0.2, "long": 0.5}
_BETWEEN = 0.05  # seconds between two messages of a burst; nobody writes faster
_QUIET = 60.0  # seconds until everything must be told
_LEASE = 1.5  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a battle goes.

    Attributes:
        seconds: How long people write and things go wrong.
        people: How many write on each platform.
        gateways: Processes with the same configuration.
        pause: Seconds between two faults, on average.
        pace: Seconds between two messages of a person, on average.
        blows: What the processes and their store suffer, each as often as the others; none for peace there.
        kinds: How turns are to end.
        env: More of the gateways' environment.
    """

    seed: int
    seconds: float
    people: int = 6
    gateways: int = 1
    pause: float = 0.4
    pace: float = 0.5
    blows: tuple[str, ...] = ("kill", "freeze", "stop")
    kinds: tuple[str, ...] = KINDS
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Attributes:
        said: How many messages people wrote.
        timeline: What happened when, seconds since the start.
    """

    story: Story
    violations: list[Violation]
    said: int
    timeline: list[str]

    def told(self) -> str:
        """The violations, and all that is known of the conversations concerned."""
        lines = [f"{one.kind:11} {one.chat:16} {one.told}" for one in self.violations]
        for chat in self.story.chats:
            if any(one.chat == chat.name for one in self.violations):
                lines += ["", f"--- {chat.name}", *(f"said  {word}" for word in chat.words)]
                lines += [f"seen  {text!r}" for text in chat.seen]
                mine = {word.marker for word in chat.words}
                lines += [f"ended {one}" for one in self.story.ended if one.marker in mine]
        return "\n".join([*lines, "", "--- timeline", *self.timeline])


@dataclass(slots=True)
class Battle:
    """Runs once.

    Args:
        folder: Where the gateways' files are.
    """

    folder: Path
    terms: Terms
    depot: Depot
    fronts: Sequence[Front]
    timeline: list[str] = field(default_factory=list[str])
    _began: float = 0.0
    _said: int = 0
    _over: bool = False
    _gateways: list[Replica] = field(default_factory=list[Replica])

    async def run(self) -> Outcome:
        """Fight, wait until all is quiet, and look."""
        self._began = time.monotonic()
        async with AsyncExitStack() as stack:
            await self.depot.open(stack)
            for front in self.fronts:
                await front.open(stack)
            for number in range(self.terms.gateways):
                folder = self.folder / f"gateway-{number}"
                folder.mkdir()
                gateway = Replica(folder, self._yaml(), env=dict(self.terms.env))
                self._gateways.append(await stack.enter_async_context(gateway))
                await self._up(stack)
            silent = await self._fight(stack)
            for gateway in self._gateways:
                await gateway.stop()
            return await self._outcome(silent)

    def logs(self) -> list[list[str]]:
        """What each gateway wrote."""
        return [gateway.log for gateway in self._gateways]

    async def _fight(self, stack: AsyncExitStack) -> float:
        await self._greet()
        async with asyncio.TaskGroup() as tasks:
            watching = [tasks.create_task(self._keep(gateway, stack)) for gateway in self._gateways]
            people = [
                tasks.create_task(self._write(front, person))
                for front in self.fronts
                for person in range(front.people)
            ]
            await self._strike()
            await asyncio.gather(*people)
            for front in self.fronts:
                front.calm()
            self.depot.calm()
            self._note("calm")
            await self._quiet()
            self._over = True
            await asyncio.gather(*watching)
        return sum([await gateway.silent() for gateway in self._gateways])

    async def _greet(self) -> None:
        """Everybody is heard once in peace: from then on each platform owes every message."""
        await self._quiet()
        for front in self.fronts:
            for person in range(front.people):
                await front.say(person, f"m{front.letter}{person}x0z", "plain")
                self._said += 1
        await self._quiet()
        self._began = time.monotonic()
        self.timeline.clear()

    async def _up(self, stack: AsyncExitStack) -> None:
        alive = tuple(gateway.address for gateway in self._gateways if not gateway.is_over())
        for front in self.fronts:
            if alive:
                await front.up(alive, stack)

    async def _write(self, front: Front, person: int) -> None:
        """One person's messages."""
        chance = random.Random(f"{self.terms.seed}/{front.letter}/{person}")  # noqa: S311  # repeatable
        weights = [_RARE.get(kind, 1.0) for kind in self.terms.kinds]
        number = 0
        while self._elapsed() < self.terms.seconds:
            burst = chance.choice((1, 1, 1, 2, 3))
            for _ in range(burst):
                number += 1
                (kind,) = chance.choices(self.terms.kinds, weights)
                await front.say(person, f"m{front.letter}{person}x{number}z", kind)
                self._said += 1
                await asyncio.sleep(_BETWEEN)
            await asyncio.sleep(chance.expovariate(1.0 / (self.terms.pace * burst)))

    async def _strike(self) -> None:
        """Things go wrong."""
        chance = random.Random(self.terms.seed)  # noqa: S311  # repeatable
        while self._elapsed() < self.terms.seconds:
            await asyncio.sleep(chance.expovariate(1.0 / self.terms.pause))
            blow = chance.random()
            gateway = chance.choice(self._gateways)
            if blow < 0.6 or not self.terms.blows:
                self._note(chance.choice(self.fronts).spoil(chance))
            elif blow < 0.8:
                self._note(await self.depot.strike(chance))
            else:
                await self._hit(gateway, chance.choice(self.terms.blows), chance.uniform(0.1, 2.0 * _LEASE))

    async def _hit(self, gateway: Replica, blow: str, seconds: float) -> None:
        number = self._gateways.index(gateway)
        self._note(f"gateway {number}: {blow} {seconds:.1f}")
        match blow:
            case "kill":
                await gateway.kill()
            case "stop":
                await gateway.stop()
            case _ if gateway.is_over():
                pass
            case _:
                gateway.freeze()
                await asyncio.sleep(seconds)
                gateway.thaw()

    async def _keep(self, gateway: Replica, stack: AsyncExitStack) -> None:
        """Start it again whenever it is dead, as a service manager does."""
        number = self._gateways.index(gateway)
        while not self._over:
            if gateway.is_over():
                try:
                    await gateway.start()
                    await self._up(stack)
                    self._note(f"gateway {number}: up")
                except (AssertionError, TimeoutError) as exc:
                    self._note(f"gateway {number}: not up ({type(exc).__name__})")
                    await gateway.kill()
            await asyncio.sleep(0.05)

    async def _quiet(self) -> None:
        """Wait until nothing is owed, or far too long."""
        until = time.monotonic() + _QUIET
        calm = 0
        while calm < 3 and time.monotonic() < until:
            owed = sum(front.pending() for front in self.fronts) + await self.depot.owed()
            up = all(not gateway.is_over() for gateway in self._gateways)
            calm = calm + 1 if not owed and up else 0
            await asyncio.sleep(0.15)
        self._note("quiet" if calm else "never quiet")

    async def _outcome(self, silent: float) -> Outcome:
        ended, left = await read_store(self.depot.url, self.folder)
        chats = tuple(chat for front in self.fronts for chat in front.chats())
        story = Story(chats, ended, left, silent)
        return Outcome(story, check(story), self._said, self.timeline)

    def _yaml(self) -> str:
        return f"""
version: 1
store: "{self.depot.address}"
lease: {_LEASE}s
server: {{port: 0}}
defaults:
  surface_completion_reason: true
  access: {{dm: open}}
  notes: {{reference: always}}
  limits: {{queue: 1000}}
agents:
  teller: {{target: "tests.chaos.target:teller", timeout: 2s}}
  careful: {{target: "tests.chaos.target:careful", timeout: 2s}}
bots:
{"".join(front.yaml() for front in self.fronts)}
"""

    def _elapsed(self) -> float:
        return time.monotonic() - self._began

    def _note(self, what: str) -> None:
        self.timeline.append(f"{self._elapsed():7.2f} {what}")
