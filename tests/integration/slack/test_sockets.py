"""Socket Mode on the wire: two sockets, what Slack says on them, and what it does without a word."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import Unauthorised
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from gateway_adapters.slack.adapter import SlackAdapter
from tests.emulators.slack import Fault
from tests.integration.slack.alone import CHAT, adapter_of, alone, heard, sent


async def test_two_sockets_stand_and_each_event_comes_over_one() -> None:
    async with heard() as (_, slack, context):
        for number in range(10):
            slack.say(f"word {number}")
        await context.until(lambda: len(context.inbounds) == 10)
        await context.until(lambda: not slack.unacknowledged)

        assert [one.text for one in context.inbounds] == [f"word {number}" for number in range(10)]
        assert len(slack.delivery.acknowledged) == 10


@pytest.mark.parametrize("reason", ["warning", "refresh_requested"])
async def test_socket_is_replaced_before_it_is_closed(reason: str) -> None:
    """There is always one that stands, and nothing said meanwhile is lost."""
    async with heard() as (_, slack, context):
        slack.delivery.keeps = False
        for number in range(6):
            await slack.delivery.disconnect(reason, index=number % 2, after=0.1)
            slack.say(f"word {number}")
            opened = 3 + number
            await context.until(lambda opened=opened: slack.delivery.opened >= opened)  # type: ignore[misc]
            await context.until(lambda: len(slack.delivery.sockets) == 2)
        await context.until(lambda: len(context.inbounds) == 6)

        assert slack.delivery.lost == []
        assert context.states[-1] == "up"


async def test_nothing_is_lost_doubled_or_overtaken_while_sockets_come_and_go() -> None:
    async with heard() as (_, slack, context):
        for number in range(1000):
            slack.say(f"{number}", channel=f"D{number % 7}", user=f"U{number % 7}")
            if number % 25 == 0:
                await context.until(lambda: len(slack.delivery.sockets) == 2)
                await slack.delivery.disconnect("refresh_requested", index=number % 2, after=0.05)
        await context.until(lambda: len(context.inbounds) >= 1000, seconds=30.0)
        await context.until(lambda: not slack.unacknowledged)

        for channel in range(7):
            heard_of = [int(one.text) for one in context.inbounds if one.place.chat == f"D{channel}"]
            assert heard_of == list(range(channel, 1000, 7))
        await context.until(lambda: slack.delivery.opened >= 42)


async def test_second_socket_is_replaced_when_half_of_its_life_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So both never go at the same time; after that, whenever Slack says so."""
    monkeypatch.setattr("gateway_adapters.slack.sockets._SHORTEST", 1)
    async with alone() as (adapter, slack):
        slack.lifetime = 1
        async with listening(adapter) as context:
            await context.until(lambda: slack.delivery.opened == 3)
            await asyncio.sleep(0.7)

            assert (slack.delivery.opened, len(slack.delivery.sockets)) == (3, 2)


async def test_sockets_that_break_are_opened_again() -> None:
    async with heard() as (_, slack, context):
        for socket in [*slack.delivery.sockets]:
            await socket.close()
        await context.until(lambda: slack.delivery.opened == 4)
        slack.say("after it")
        await context.until(lambda: context.inbounds)

        assert context.states[-1] == "up"


async def test_turned_off_socket_mode_is_told_with_what_to_do() -> None:
    async with heard() as (_, slack, context):
        for _ in range(2):
            await slack.delivery.disconnect("link_disabled")
        await context.until(lambda: "misconfigured" in context.states)

        told = next(detail for state, detail in context.reports if state == "misconfigured")
        assert "Socket Mode is off for this app: turn it on at api.slack.com/apps" in told
        await context.until(lambda: len(slack.delivery.sockets) == 2)


async def test_too_many_connections_are_told_and_waited_for() -> None:
    async with heard() as (_, slack, context):
        for _ in range(2):
            await slack.delivery.disconnect("too_many_websockets")
        await context.until(lambda: "conflict" in context.states)
        await context.until(lambda: len(slack.delivery.sockets) == 2)

        told = next(detail for state, detail in context.reports if state == "conflict")
        assert "ten connections are open" in told
        assert 60.0 in context.clock.sleeps  # type: ignore[attr-defined]


async def test_connections_of_others_are_told_in_the_standing() -> None:
    """Another process, or one that was killed and whose sockets still count, gets a share of the events."""
    async with alone() as (adapter, slack):
        other = adapter_of(slack)
        try:
            async with listening(other) as theirs:
                await theirs.until(lambda: len(slack.delivery.sockets) == 2)
                async with listening(adapter) as context:
                    await context.until(lambda: len(slack.delivery.sockets) == 4)
                    await context.until(lambda: context.reports[-1][1])

                    state, detail = context.reports[-1]
                    assert state == "up"
                    assert "connections are open for this app token" in detail
        finally:
            await other.close()


async def test_sockets_are_closed_at_the_end() -> None:
    """Else Slack goes on handing them events for a while."""
    async with heard() as (_, slack, _context):
        assert len(slack.delivery.sockets) == 2
    await slack.until(lambda: not slack.delivery.sockets, timeout=2.0)


async def test_line_that_is_dead_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.slack.api._PING", 0.2)
    async with heard() as (_, slack, context):
        slack.delivery.silent = True
        await context.until(lambda: slack.delivery.opened >= 4)
        slack.delivery.silent = False
        slack.say("after it")
        await context.until(lambda: context.inbounds)


async def test_dead_line_becomes_deaf_when_no_other_can_be_had() -> None:
    async with heard() as (_, slack, context):
        slack.fail("apps.connections.open", *(Fault(status=503) for _ in range(60)))
        for socket in [*slack.delivery.sockets]:
            await socket.close()
        await context.until(lambda: "deaf" in context.states)
        await context.until(lambda: context.states[-1] == "up")


async def test_wrong_app_token_ends_the_run() -> None:
    async with alone(app_token="xapp-9-9") as (adapter, _):
        with pytest.raises(Unauthorised, match="install the app again"):
            await adapter.run(FakeAdapterContext())


async def test_envelope_that_was_not_kept_is_not_acknowledged_and_comes_again() -> None:
    """Over whichever socket, and is one message."""
    async with heard(FakeAdapterContext(refusals=3)) as (_, slack, context):
        slack.say("keep me")
        await context.until(lambda: len(context.refused) == 3)
        assert not slack.delivery.acknowledged
        await context.until(lambda: not slack.unacknowledged)

        assert [one.text for one in context.inbounds] == ["keep me"]


async def test_acknowledgement_that_is_lost_makes_no_second_message() -> None:
    async with heard() as (_, slack, context):
        ts = slack.say("once")
        await context.until(lambda: context.inbounds)
        event = {"channel": CHAT, "channel_type": "im", "user": "U0ANN", "text": "once", "ts": ts}
        slack.event("message", event, event_id="Ev_again")
        slack.event("message", event, event_id="Ev_again")
        await context.until(lambda: not slack.unacknowledged)

        assert len(context.inbounds) == 1


async def test_event_of_another_workspace_is_left_to_whom_it_is_for() -> None:
    async with heard() as (_, slack, context):
        event = {"channel": CHAT, "channel_type": "im", "user": "U0ANN", "text": "hi", "ts": "1.1"}
        slack.event("message", event, team="T0OTHER")
        await context.until(lambda: slack.delivery.lost)
        slack.say("mine")
        await context.until(lambda: context.inbounds)

        assert [one.text for one in context.inbounds] == ["mine"]
        assert not [one for one in slack.delivery.acknowledged if one == slack.delivery.lost[0].id]


async def test_unknown_frames_stop_nothing() -> None:
    async with heard() as (_, slack, context):
        for socket in [*slack.delivery.sockets]:
            for frame in (
                "",
                "{",
                "[]",
                "null",
                '{"type": 7}',
                '{"type": "disconnect"}',
                '{"envelope_id": 3}',
            ):
                await socket.send_str(frame)
        await context.until(lambda: slack.delivery.opened >= 4)
        slack.delivery.push("odd_kind", {"what": "ever"})
        await context.until(lambda: not slack.unacknowledged)
        slack.say("after it")
        await context.until(lambda: context.inbounds)


async def test_run_that_is_cancelled_while_it_connects_leaves_nothing() -> None:
    async with alone() as (adapter, slack):
        slack.fail("apps.connections.open", Fault(hold=asyncio.Event()))
        async with listening(adapter):
            await slack.until(lambda: slack.sent("apps.connections.open"))
        await adapter.close()

        assert slack.delivery.sockets == []


async def test_session_that_is_closed_under_the_bot_is_made_anew() -> None:
    """Both what receives and what sends go on."""
    async with heard() as (adapter, slack, context):
        assert isinstance(adapter, SlackAdapter)
        session = adapter._api._session  # pyright: ignore[reportPrivateUsage]  # what a fault would close
        assert session is not None
        await session.close()
        await context.until(lambda: slack.delivery.opened >= 4)
        slack.say("after it")
        await context.until(lambda: context.inbounds)
        await sent(adapter, "heard")

        assert slack.texts(CHAT) == ["heard"]
        assert context.states[-1] == "up"


async def test_socket_that_greets_nobody_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.slack.link._HELLO", 0.1)
    async with alone() as (adapter, slack):
        slack.delivery.mute = True
        async with listening(adapter) as context:
            await context.until(lambda: slack.delivery.opened >= 2)
            assert "up" not in context.states
            slack.delivery.mute = False
            slack.say("after it")
            await context.until(lambda: context.inbounds)

            assert context.states[-1] == "up"


async def test_run_that_is_cancelled_before_the_greeting_closes_the_socket() -> None:
    async with alone() as (adapter, slack):
        slack.delivery.mute = True
        async with listening(adapter):
            await slack.until(lambda: slack.delivery.sockets)

        await slack.until(lambda: not slack.delivery.sockets, timeout=2.0)
