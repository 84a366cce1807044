"""The exam every adapter passes, ours and other people's alike.

Subclass `AdapterContract` in a test module, give it a harness that lets your platform (an emulator of it, on
loopback) speak, be seen and break, and run pytest with `asyncio_mode = "auto"`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re

import pytest

from gateway.errors import (
    AdapterError,
    DeadTarget,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway.messages import Action, Answer, Note
from gateway.testing.changes import ChangesContract
from gateway.testing.context import FakeAdapterContext
from gateway.testing.harness import WAIT, AdapterFault, AdapterHarness
from gateway.testing.watching import PATIENCE, deliver, listening, meaningful, settled, told

__all__ = ["WAIT", "AdapterContract", "AdapterFault", "AdapterHarness"]

_EXPECTED: dict[AdapterFault, type[AdapterError]] = {
    "rate_limit": RateLimited,
    "dead_target": DeadTarget,
    "rejected": Rejected,
    "unreachable": Unreachable,
    "lost": Uncertain,
    "taken": Uncertain,
    "unauthorised": Unauthorised,
}
_NOTE = Note("⏳ I stopped after reaching the step limit.", "max_steps", reference="Ref K7Q2M")
_ACTION = Action("continue", "t" * 48, "Continue")


class AdapterContract(ChangesContract):
    """What the gateway relies on in an adapter.

    Attributes:
        kind: The name operators write as `platform`.
        limit: The longest text one message takes, in the letter `a`; 0 for a platform without.
        faults: What can go wrong on the platform.
        repeats: Whether the platform may deliver an event twice.
        echoes: Whether the platform reports the bot's own messages to it.
    """

    kind: str
    limit: int = 0
    faults: frozenset[AdapterFault] = frozenset(_EXPECTED)
    repeats: bool = True
    echoes: bool = True

    def test_kind_is_a_slug(self) -> None:
        """It is a package's name and a word in YAML."""
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,31}", self.kind)

    async def test_render_is_pure_and_its_ids_are_unique(self) -> None:
        """The same key gives the same parts, another key other ids, and no two parts share one."""
        answer = Answer("word " * 4000, note=_NOTE, actions=(_ACTION,))

        async with self._platform() as platform:
            first, again, other = (platform.adapter.render(answer, key=key) for key in ("k1", "k1", "k2"))

        ids = [part.id for part in (*first, *other)]
        assert first == again
        assert len(ids) == len(set(ids))

    async def test_render_is_written_and_read_as_json(self) -> None:
        """Parts are stored between rendering and sending."""
        async with self._platform() as platform:
            parts = platform.adapter.render(Answer("**b** \ud83d", note=_NOTE, actions=(_ACTION,)), key="k")

        for part in parts:
            assert json.loads(json.dumps(part.body)) == part.body
            assert json.loads(json.dumps(part.plain)) == part.plain

    async def test_text_at_the_limit_is_one_message(self) -> None:
        """And the platform takes it."""
        if not self.limit:
            pytest.skip("this platform has no limit")
        async with self._platform() as platform, listening(platform.adapter):
            parts = await deliver(platform, Answer("a" * self.limit))

            assert len(parts) == 1
            assert list(await platform.shown()) == ["a" * self.limit]

    async def test_text_over_the_limit_is_split_and_nothing_lost(self) -> None:
        """And the platform takes each part."""
        if not self.limit:
            pytest.skip("this platform has no limit")
        async with self._platform() as platform, listening(platform.adapter):
            parts = await deliver(platform, Answer("a" * (self.limit + 1)))

            assert len(parts) == 2
            assert "".join(await platform.shown()) == "a" * (self.limit + 1)

    async def test_send_gives_a_receipt(self) -> None:
        """The message is there when the platform's word is."""
        async with self._platform() as platform, listening(platform.adapter):
            (part,) = platform.adapter.render(Answer("hello"), key="k")

            receipt = await platform.adapter.send(platform.place, part)

            assert receipt.at > 0
            assert list(await platform.shown()) == ["hello"]

    async def test_same_part_again_is_one_message_where_the_platform_knows_it(self) -> None:
        """An adapter that reconciles may be asked twice after a crash."""
        async with self._platform() as platform, listening(platform.adapter):
            if not platform.adapter.features.reconcile:
                pytest.skip("this platform does not know a message again")
            (part,) = platform.adapter.render(Answer("hello"), key="k")

            for _ in range(2):
                await platform.adapter.send(platform.place, part)

            assert list(await platform.shown()) == ["hello"]

    async def test_plain_form_is_taken_too(self) -> None:
        """What goes out after a refusal must not be refused for its form."""
        async with self._platform() as platform, listening(platform.adapter):
            (part,) = platform.adapter.render(Answer("**hello**", note=_NOTE), key="k")

            await platform.adapter.send(platform.place, part, plain=bool(part.plain))

            assert "hello" in (await platform.shown())[0]
            assert _NOTE.text in (await platform.shown())[0]

    async def test_note_is_visible_and_last(self) -> None:
        """A person who reads to the end reads how it ended."""
        async with self._platform() as platform, listening(platform.adapter):
            await deliver(platform, Answer("word " * 3000, note=_NOTE, actions=(_ACTION,)))

            last = (await platform.shown())[-1]
            assert last.rstrip().endswith(f"{_NOTE.text}\n{_NOTE.reference}")

    async def test_note_stands_alone_without_text(self) -> None:
        """An agent that said nothing leaves the note."""
        async with self._platform() as platform, listening(platform.adapter):
            await deliver(platform, Answer(note=_NOTE))

            assert _NOTE.text in (await platform.shown())[0]

    async def test_text_cannot_pose_as_a_note(self) -> None:
        """The same words of the agent's look different."""
        said = Answer(f"{_NOTE.text}\n{_NOTE.reference}")

        async with self._platform() as platform:
            spoof = platform.adapter.render(said, key="k")
            real = platform.adapter.render(Answer(note=_NOTE), key="k")

        assert spoof[0].body != real[0].body

    async def test_preview_becomes_the_answer(self) -> None:
        """What was shown on the way does not stay beside what is said at the end."""
        async with self._platform() as platform, listening(platform.adapter):
            adapter, place = platform.adapter, platform.place
            handle = await adapter.preview(place, "Hel", turn="t1")
            handle = await adapter.preview(place, "Hello", turn="t1", handle=handle)
            (part,) = adapter.render(Answer("Hello you"), key="k")

            await adapter.send(place, part, replaces=handle)

            assert list(await platform.shown()) == ["Hello you"]

    async def test_preview_that_is_retracted_is_gone(self) -> None:
        """Nothing stays of an answer that never came."""
        async with self._platform() as platform, listening(platform.adapter):
            adapter, place = platform.adapter, platform.place
            handle = await adapter.preview(place, "Hel", turn="t1")
            if handle:
                await adapter.retract(place, handle)

            assert list(await platform.shown()) == []

    async def test_typing_leaves_nothing_behind(self) -> None:
        """It is shown for a moment, as often as it is asked for."""
        async with self._platform() as platform, listening(platform.adapter):
            for _ in range(2):
                await platform.adapter.typing(platform.place)

            assert list(await platform.shown()) == []

    async def test_run_hears_a_person(self) -> None:
        """What a person writes arrives as it is, with keys to know it again by."""
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.say("hello there")
            await context.until(lambda: context.inbounds)

        (inbound,) = context.inbounds
        (event,) = meaningful(context)
        assert (inbound.kind, inbound.text, inbound.addressed) == ("message", "hello there", True)
        assert inbound.place == platform.place
        assert not inbound.sender.bot
        assert event.dedupe
        assert event.raw

    async def test_run_tells_a_command_from_a_message(self) -> None:
        """`/stop` must not wait for what it stops, nor be read by an agent."""
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.say("/stop")
            await context.until(lambda: context.inbounds)

        (inbound,) = context.inbounds
        assert (inbound.kind, inbound.command, inbound.text) == ("command", "stop", "")

    async def test_run_hears_a_press_which_is_answered_once(self) -> None:
        """The token comes back as it was given; answering again hurts nobody."""
        async with self._platform() as platform, listening(platform.adapter) as context:
            if not platform.adapter.features.buttons:
                pytest.skip("this platform has no buttons")
            await deliver(platform, Answer("Go on?", actions=(_ACTION,)))
            await platform.press(_ACTION)
            await context.until(lambda: context.inbounds)
            (inbound,) = context.inbounds

            await platform.adapter.answer_press(inbound, "Working on it")
            with contextlib.suppress(AdapterError):
                await platform.adapter.answer_press(inbound, "Working on it")

        assert (inbound.kind, inbound.action) == ("action", _ACTION.token)
        assert inbound.place == platform.place

    async def test_run_reports_that_it_is_up(self) -> None:
        """Readiness depends on it."""
        async with self._platform() as platform, listening(platform.adapter) as context:
            await context.until(lambda: "up" in context.states)

    async def test_own_messages_are_ignored(self) -> None:
        """A bot that answers itself never stops."""
        if not self.echoes:
            pytest.skip("this platform reports no message of the bot's")
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.echo()
            await platform.say("after it")
            await context.until(lambda: context.inbounds)

        assert [inbound.text for inbound in context.inbounds] == ["after it"]

    async def test_repeated_event_keeps_its_keys(self) -> None:
        """However often the platform delivers a message, it is one."""
        if not self.repeats:
            pytest.skip("this platform delivers nothing twice")
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.say("once")
            await context.until(lambda: context.inbounds)
            await platform.say_again()
            await context.until(lambda: len(meaningful(context)) == 2)

        first, second = meaningful(context)
        assert set(first.dedupe) & set(second.dedupe)
        assert len(context.inbounds) == 1

    async def test_message_is_acknowledged_only_when_it_is_kept(self) -> None:
        """A store that refuses loses nothing: the platform keeps the message and delivers it again."""
        async with self._platform() as platform:
            context = FakeAdapterContext(refusals=2)
            async with listening(platform.adapter, context):
                with contextlib.suppress(AdapterError):
                    await platform.say("keep me")
                await context.until(lambda: context.refused)
                assert not platform.acknowledged()

                await context.until(lambda: context.inbounds)
                await context.until(platform.acknowledged)

        assert [inbound.text for inbound in context.inbounds] == ["keep me"]

    async def test_events_nobody_can_read_stop_nothing(self) -> None:
        """What comes after them is heard."""
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.confuse()
            await platform.say("still here")
            await context.until(lambda: context.inbounds)

        assert context.inbounds[-1].text == "still here"

    @pytest.mark.parametrize("fault", _EXPECTED)
    async def test_fault_becomes_our_error(self, fault: AdapterFault) -> None:
        """Delivery decides by the class what to do; the wait the platform asks for arrives whole."""
        async with self._platform() as platform:
            error = await self._broken(platform, fault)

        assert type(error) is _EXPECTED[fault]
        if isinstance(error, RateLimited):
            assert error.retry_after == WAIT

    @pytest.mark.parametrize("fault", _EXPECTED)
    async def test_secret_stands_in_no_error_and_no_log(
        self, fault: AdapterFault, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Neither in the message, nor in a traceback with values, nor in what lies behind the error."""
        caplog.set_level(0)
        async with self._platform() as platform:
            if not platform.secret:
                pytest.skip("this platform has no secret")
            error = await self._broken(platform, fault)

            texts = [*told(error), *(record.getMessage() for record in caplog.records)]
            assert [text for text in texts if platform.secret in text] == []

    async def test_run_ends_when_the_platform_does_not_know_the_bot(self) -> None:
        """Trying again cannot help; the operator must act."""
        if "unauthorised" not in self.faults:
            pytest.skip("this platform knows no credentials")
        async with self._platform() as platform:
            platform.fail("unauthorised")

            with pytest.raises(Unauthorised):
                async with asyncio.timeout(5.0):
                    await platform.adapter.run(FakeAdapterContext())

    async def test_run_ends_within_a_second_when_it_is_cancelled(self) -> None:
        """And leaves no task behind once the adapter is closed."""
        async with self._platform() as platform:
            before = asyncio.all_tasks()
            context = FakeAdapterContext()
            task = asyncio.create_task(platform.adapter.run(context))
            await context.until(lambda: "up" in context.states)

            task.cancel()
            done, _ = await asyncio.wait({task}, timeout=PATIENCE)

            assert done
            assert task.cancelled()
            await platform.adapter.close()
            await settled(lambda: asyncio.all_tasks() <= before)
            assert asyncio.all_tasks() <= before

    async def test_answers_leave_after_run_ended(self) -> None:
        """At a stop, receiving ends first; whoever looks when it is back sees them."""
        async with self._platform() as platform:
            async with listening(platform.adapter) as context:
                await context.until(lambda: "up" in context.states)

            await deliver(platform, Answer("bye"))

            async with listening(platform.adapter, context):
                assert list(await platform.shown()) == ["bye"]

    async def test_probe_tells_something(self) -> None:
        """`check --probe` shows it."""
        async with self._platform() as platform:
            facts = await platform.adapter.probe()

        assert facts
        assert not platform.secret or platform.secret not in repr(facts)

    async def test_close_may_be_called_twice(self) -> None:
        """Closing again is harmless."""
        async with self._platform() as platform:
            await platform.adapter.close()
            await platform.adapter.close()

    async def _broken(self, platform: AdapterHarness, fault: AdapterFault) -> AdapterError:
        """The error of a send that a fault spoils."""
        if fault not in self.faults:
            pytest.skip(f"{fault} cannot happen on this platform")
        (part,) = platform.adapter.render(Answer("hello"), key="k")
        platform.fail(fault)
        with pytest.raises(AdapterError) as caught:
            await platform.adapter.send(platform.place, part)
        return caught.value
