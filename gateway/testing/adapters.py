"""The exam every adapter sits, ours and third parties'.

Subclass `AdapterContract`, fill in `harness`, and let pytest collect the subclass (pytest-asyncio in auto
mode). A harness plays the platform: it lets people speak, shows what they see, and breaks things.
"""

from __future__ import annotations

import asyncio
import re
import traceback
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from gateway.abc.adapter import Adapter
from gateway.errors import AdapterError, DeliveryError, RateLimited
from gateway.messages import Action, Answer, Inbound, Note, Part, Place
from gateway.testing.context import FakeAdapterContext

__all__ = ["AdapterContract", "AdapterHarness"]

_PATIENCE = 10.0  # seconds for something to arrive
_NOTE = Note("⏳ I stopped after reaching the step limit — reply.", "max_steps", reference="Ref K7Q2M")


class AdapterHarness(Protocol):
    """One adapter and the platform it talks to.

    Attributes:
        adapter: The adapter under test, not yet running.
        place: Where the person `say` speaks as is.
        secrets: What must appear in no error (the token).
        faults: Which errors can be provoked, by class; an adapter without a network has none.
        limit: How long one message may be, in the platform's own measure; 0 for no limit.
    """

    @property
    def adapter(self) -> Adapter: ...  # noqa: D102  # described above
    @property
    def place(self) -> Place: ...  # noqa: D102  # described above
    @property
    def secrets(self) -> tuple[str, ...]: ...  # noqa: D102  # described above
    @property
    def faults(self) -> tuple[type[DeliveryError], ...]: ...  # noqa: D102  # described above
    @property
    def limit(self) -> int: ...  # noqa: D102  # described above

    async def say(self, text: str) -> None:
        """Let the person write."""
        ...

    async def repeat(self) -> None:
        """Let the platform hand the last message in once more."""
        ...

    async def garble(self) -> None:
        """Let the platform hand in something malformed."""
        ...

    async def echo_own(self) -> None:
        """Let the platform hand the bot a message of its own, where it would."""
        ...

    async def seen(self) -> list[str]:
        """What the person sees once all has arrived, message by message, with notes and buttons."""
        ...

    def provoke(self, fault: type[DeliveryError]) -> None:
        """Let the next send end so."""
        ...


class AdapterContract:
    """What every adapter promises; see `Adapter`."""

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        """A fresh adapter and platform."""
        raise NotImplementedError

    async def test_person_is_heard(self) -> None:
        """A message arrives with its words, its place, its sender, and keys to know it again."""
        async with self._running() as (harness, context):
            await harness.say("hello there")
            inbound = await _first(context)

            assert (inbound.kind, inbound.text, inbound.addressed) == ("message", "hello there", True)
            assert inbound.place == harness.place
            assert inbound.sender.id
            assert inbound.message_id
            assert not inbound.sender.bot
            assert all(event.dedupe for event in context.events if event.inbound is not None)

    async def test_command_is_told_from_a_message(self) -> None:
        """`/stop` reaches the gateway by its name."""
        async with self._running() as (harness, context):
            await harness.say("/stop")
            inbound = await _first(context)

            assert (inbound.kind, inbound.command) == ("command", "stop")

    async def test_repeated_event_is_known_again(self) -> None:
        """What a platform delivers twice carries the same keys."""
        async with self._running() as (harness, context):
            await harness.say("hello")
            await _first(context)
            await harness.repeat()
            await harness.say("next")
            await _until(lambda: len(context.inbounds) >= 2)

            assert [inbound.text for inbound in context.inbounds] == ["hello", "next"]

    async def test_message_that_was_not_kept_comes_again(self) -> None:
        """Nothing is acknowledged before it is kept."""
        async with self._running() as (harness, context):
            context.broken = True
            speaking = asyncio.create_task(harness.say("hello"))
            await asyncio.sleep(0.3)
            context.broken = False
            await speaking

            assert (await _first(context)).text == "hello"

    async def test_malformed_event_loses_no_neighbour(self) -> None:
        """Whatever a platform sends, the next person is heard."""
        async with self._running() as (harness, context):
            await harness.garble()
            await harness.say("hello")

            assert (await _first(context)).text == "hello"

    async def test_own_messages_are_not_answered(self) -> None:
        """A bot never talks to itself."""
        async with self._running() as (harness, context):
            await harness.echo_own()
            await harness.say("hello")

            assert (await _first(context)).text == "hello"

    async def test_answer_is_seen_whole(self) -> None:
        """Text of any length arrives, in order, nothing dropped; a send gives a receipt."""
        async with self._running() as (harness, _):
            for size in (1, harness.limit or 50, (harness.limit or 50) + 1, (harness.limit or 50) * 4 + 7):
                text = _words(size)
                before = len(await harness.seen())
                parts = await _send(harness, Answer(text), key=f"size-{size}")
                shown = "".join((await harness.seen())[before:])

                assert _bare(shown) == _bare(text)
                assert harness.limit == 0 or len(parts) >= -(-size // harness.limit)

    async def test_part_ids_are_stable_and_unique(self) -> None:
        """Rendering is pure: the same answer under the same key gives the same parts."""
        async with self.harness() as harness:
            answer = Answer(_words(9000), _NOTE)
            once, twice = (harness.adapter.render(answer, key="k1") for _ in range(2))
            other = harness.adapter.render(answer, key="k2")

            assert once == twice
            ids = [part.id for part in (*once, *other)]
            assert len(ids) == len(set(ids))

    async def test_note_is_seen_last_and_whole(self) -> None:
        """The note and its reference stand after the text, buttons under them."""
        async with self._running() as (harness, _):
            actions = (Action("continue", "t1.x.0", "Carry on"),) if harness.adapter.features.buttons else ()
            await _send(harness, Answer("Some **text**\n\n```python\nopen fence", _NOTE, actions), key="k")
            shown = "\n".join(await harness.seen())

            assert _NOTE.text in shown
            assert shown.index("open fence") < shown.index(_NOTE.text) < shown.index(_NOTE.reference)
            assert not actions or shown.index(_NOTE.reference) < shown.index("Carry on")

    async def test_note_alone_is_an_answer(self) -> None:
        """A turn without text still says how it ended."""
        async with self._running() as (harness, _):
            parts = await _send(harness, Answer(note=_NOTE), key="k")

            assert [part.role for part in parts] == ["note"]
            assert _NOTE.text in (await harness.seen())[-1]

    async def test_text_does_not_pass_for_a_note(self) -> None:
        """What an agent writes is told apart from a note of the same words."""
        async with self.harness() as harness:
            forged = harness.adapter.render(Answer(f"*{_NOTE.text}*\n\n> {_NOTE.text}"), key="k")
            real = harness.adapter.render(Answer(f"*{_NOTE.text}*", _NOTE), key="k")

            assert [part.body for part in forged] != [part.body for part in real]
            assert all(part.role == "text" for part in forged)

    async def test_plain_form_of_a_part_is_sent_when_asked(self) -> None:
        """Every part can go in the plainest form."""
        async with self._running() as (harness, _):
            (part,) = harness.adapter.render(Answer("**bold** and `code`", _NOTE), key="k")
            await harness.adapter.send(harness.place, part, plain=True)

            assert "bold" in (await harness.seen())[-1]
            assert _NOTE.text in "\n".join(await harness.seen())

    async def test_same_part_twice_is_one_message_where_the_platform_can(self) -> None:
        """`reconcile` is a promise."""
        async with self._running() as (harness, _):
            (part,) = harness.adapter.render(Answer("once"), key="k")
            for _attempt in range(2):
                await harness.adapter.send(harness.place, part)

            assert len(await harness.seen()) == (1 if harness.adapter.features.reconcile else 2)

    async def test_preview_becomes_the_answer(self) -> None:
        """Growing text never stays beside the answer."""
        async with self._running() as (harness, _):
            handle = ""
            if harness.adapter.features.preview != "none":
                for text in ("The ans", "The answer is"):
                    handle = await harness.adapter.preview(harness.place, text, turn="t1", handle=handle)
                    await asyncio.sleep(0)
            (part,) = harness.adapter.render(Answer("The answer is 42."), key="k")
            await harness.adapter.send(harness.place, part, replaces=handle)

            assert await harness.seen() == ["The answer is 42."]

    async def test_faults_are_told_apart(self) -> None:
        """A platform's errors become ours, with what is needed to go on, and without the token."""
        async with self._running() as (harness, _):
            (part,) = harness.adapter.render(Answer("hello"), key="k")
            for fault in harness.faults:
                harness.provoke(fault)
                raised = await _raised(harness, part)

                assert isinstance(raised, fault), fault
                assert not isinstance(raised, RateLimited) or raised.retry_after > 0
                told = "".join(traceback.format_exception(raised)) + repr(raised)
                assert not any(secret in told for secret in harness.secrets)

    async def test_run_ends_within_a_second_and_leaves_no_task(self) -> None:
        """Cancelling is enough."""
        async with self.harness() as harness:
            before = asyncio.all_tasks()
            task = asyncio.create_task(harness.adapter.run(FakeAdapterContext()))
            await asyncio.sleep(0.2)
            task.cancel()
            await asyncio.wait({task}, timeout=1.0)

            assert task.cancelled()
            left = {one for one in asyncio.all_tasks() - before if one is not task}
            assert not [one for one in left if "adapter" in repr(one.get_coro()).lower()]

    async def test_bot_says_who_it_is(self) -> None:
        """`check --probe` gets facts."""
        async with self.harness() as harness:
            facts = await harness.adapter.probe()

            assert all(isinstance(value, str) for value in facts.values())

    @asynccontextmanager
    async def _running(self) -> AsyncGenerator[tuple[AdapterHarness, FakeAdapterContext]]:
        context = FakeAdapterContext()
        async with self.harness() as harness:
            task = asyncio.create_task(harness.adapter.run(context))
            try:
                await _until(lambda: any(state == "up" for state, _ in context.states))
                yield harness, context
            finally:
                task.cancel()
                await asyncio.wait({task}, timeout=2.0)


async def _until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not holds():  # noqa: ASYNC110  # whatever an adapter does, it sets no event of ours
            await asyncio.sleep(0.01)


async def _first(context: FakeAdapterContext) -> Inbound:
    await _until(lambda: context.inbounds)
    return context.inbounds[0]


async def _send(harness: AdapterHarness, answer: Answer, *, key: str) -> tuple[Part, ...]:
    parts = harness.adapter.render(answer, key=key)
    for part in parts:
        receipt = await harness.adapter.send(harness.place, part)
        assert receipt.message_id
    return parts


async def _raised(harness: AdapterHarness, part: Part) -> AdapterError:
    try:
        await harness.adapter.send(harness.place, part)
    except AdapterError as exc:
        return exc
    raise AssertionError("the send was expected to fail")


def _words(size: int) -> str:
    """A text of exactly so many ASCII characters, in words."""
    return ("lorem ipsum dolor sit amet " * (size // 27 + 1))[:size].rstrip() or "x"


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)
