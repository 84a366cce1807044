"""What people see of answers: sent, grown, replaced, found again, taken back."""

from __future__ import annotations

import pytest

from gateway.abc.adapter import Adapter
from gateway.errors import (
    DeadTarget,
    FetchFailed,
    FileTooLarge,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
)
from gateway.messages import Action, Answer, Attachment, Note, Part, Place
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.emulators.slack import Fault
from tests.integration.slack.alone import (
    CHANNEL,
    CHAT,
    PERSON,
    PLACE,
    adapter_of,
    alone,
    heard,
    sent,
    threaded,
)

_NOTE = Note("⏳ I stopped.", "max_steps", reference="Ref K7Q2M")
_GO = Action("continue", "token-1", "Continue")


async def test_line_that_broke_after_the_message_was_taken_makes_no_second_one() -> None:
    async with heard() as (adapter, slack, _):
        slack.fail("chat.postMessage", Fault(after=True, cut=True))
        with pytest.raises(Uncertain):
            await sent(adapter, "hello")
        ts = await sent(adapter, "hello")

        assert slack.texts(CHAT) == ["hello"]
        assert ts == slack.messages(CHAT)[0].ts


async def test_line_that_broke_before_it_was_taken_loses_nothing() -> None:
    async with heard() as (adapter, slack, _):
        slack.fail("chat.postMessage", Fault(cut=True))
        with pytest.raises(Uncertain):
            await sent(adapter, "hello")
        await sent(adapter, "hello")

        assert slack.texts(CHAT) == ["hello"]


@pytest.mark.parametrize("where", [CHAT, CHANNEL])
async def test_message_of_a_process_that_died_is_found_by_the_next(where: str) -> None:
    """Also behind others, in a thread as in a channel."""
    context = FakeAdapterContext()
    async with heard(context) as (adapter, slack, _):
        place = threaded(slack) if where == CHANNEL else PLACE
        slack.fail("chat.postMessage", Fault(after=True, cut=True))
        with pytest.raises(Uncertain):
            await sent(adapter, "hello", place=place)
        for number in range(450):
            slack.chats.put(where, user=PERSON, text=f"{number}", thread_ts=place.thread or None)
        following = adapter_of(slack)
        try:
            async with listening(following, context):
                await context.until(lambda: context.states.count("up") >= 2)
                await sent(following, "hello", place=place)
        finally:
            await following.close()

        assert slack.texts(where) == ["hello"]


async def test_token_that_may_not_read_histories_says_that_messages_are_not_known_again() -> None:
    async with alone() as (adapter, slack):
        slack.scopes = slack.scopes - {"groups:history"}
        async with listening(adapter) as context:
            await context.until(lambda: "up" in context.states)

            assert not adapter.features.reconcile
            slack.fail("chat.postMessage", Fault(after=True, cut=True))
            with pytest.raises(Uncertain):
                await sent(adapter, "hello")
            await sent(adapter, "hello")

        assert slack.texts(CHAT) == ["hello", "hello"]


async def test_same_answer_under_another_key_is_another_message() -> None:
    async with heard() as (adapter, slack, _):
        await sent(adapter, "hello", key="a")
        await sent(adapter, "hello", key="b")

        assert slack.texts(CHAT) == ["hello", "hello"]


@pytest.mark.parametrize(
    ("fault", "wanted"),
    [
        (Fault(error="internal_error"), Uncertain),
        (Fault(error="fatal_error"), Uncertain),
        (Fault(status=502), Uncertain),
        (Fault(status=200, body=b"<html>portal</html>"), Uncertain),
        (Fault(status=200, body=b"[]"), Uncertain),
        (Fault(error="is_archived"), DeadTarget),
        (Fault(error="not_in_channel"), DeadTarget),
        (Fault(error="msg_too_long"), Rejected),
        (Fault(error="token_revoked"), Unauthorised),
        (Fault(error="missing_scope"), Unauthorised),
        (Fault(error="ratelimited", status=429), RateLimited),
        (Fault(error="rate_limited", retry_after=3), RateLimited),
        (Fault(status=429, retry_after=11), RateLimited),
    ],
)
async def test_refusal_becomes_what_delivery_acts_on(fault: Fault, wanted: type[Exception]) -> None:
    async with alone() as (adapter, slack):
        slack.fail("chat.postMessage", fault)
        with pytest.raises(wanted) as caught:
            await sent(adapter, "hello")

        assert type(caught.value) is wanted or issubclass(type(caught.value), Unauthorised)
        if isinstance(caught.value, RateLimited):
            assert caught.value.retry_after == (fault.retry_after or 5)


async def test_thread_that_is_gone_does_not_take_the_answer_with_it() -> None:
    async with alone() as (adapter, slack):
        await sent(adapter, "hello", place=Place(CHANNEL, "1700000000.000001", private=False))

        (shown,) = slack.messages(CHANNEL)
        assert (shown.text, shown.thread) == ("hello", "")


@pytest.mark.parametrize("remembered", [True, False])
async def test_disarmed_message_keeps_everything_but_its_buttons(*, remembered: bool) -> None:
    async with alone() as (adapter, slack):
        (part,) = adapter.render(Answer("**Go** on?", note=_NOTE, actions=(_GO,)), key="k")
        ts = (await adapter.send(PLACE, part)).message_id
        before = slack.messages(CHAT)[0]
        blocks = before.raw["blocks"]
        taker: Adapter = adapter if remembered else adapter_of(slack)
        try:
            await taker.disarm(PLACE, ts)
            await taker.disarm(PLACE, ts)
        finally:
            if not remembered:
                await taker.close()

        (shown,) = slack.messages(CHAT)
        assert before.buttons
        assert not shown.buttons
        assert shown.text == before.text
        assert shown.raw["blocks"] == blocks[:-1]


async def test_status_is_shown_in_threads_and_not_too_often() -> None:
    async with alone() as (adapter, slack):
        place = threaded(slack)
        for _ in range(5):
            await adapter.typing(place)
            await adapter.typing(PLACE)
        assert len(slack.chats.statuses) == 1
        await sent(adapter, "hello", place=place)
        await adapter.typing(place)

        assert len(slack.chats.statuses) == 2
        assert {status for _, _, status in slack.chats.statuses} == {"…"}  # a word of no language


async def test_whisper_goes_to_one_person_and_has_no_preview() -> None:
    async with alone() as (adapter, slack):
        place = Place(CHANNEL, f"@{PERSON}", private=False)
        assert await adapter.preview(place, "One", turn="t") == ""
        await adapter.typing(place)
        (part,) = adapter.render(Answer("for you", note=_NOTE, actions=(_GO,)), key="k")
        receipt = await adapter.send(place, part)
        await adapter.disarm(place, receipt.message_id)
        await adapter.retract(place, receipt.message_id)

        assert slack.whispers(CHANNEL, PERSON) == ["for you\n\n⏳ I stopped.\nRef K7Q2M"]
        assert slack.messages(CHANNEL) == []


@pytest.mark.parametrize(
    "said",
    [
        "<!channel> wake up",
        "<@U0ANN> and <@W0BOB|bob>",
        "<!subteam^S012|@everyone>",
        "<https://evil.example|Your bank>",
        "`<!here>` and ```\n<!channel>\n```",
        "[<!channel>](https://x.example)",
        "*_~ <!everyone> ~_*",
        "&lt;!channel&gt;",
        "@channel @here @everyone",
    ],
)
async def test_text_of_an_agent_calls_nobody(said: str) -> None:
    """Neither whole, nor plain, nor while it grows, wherever it is cut."""
    async with alone() as (adapter, slack):
        slack.methods.refuses_streams = ""
        place = threaded(slack, CHAT)
        handle = ""
        for end in range(1, len(said) + 1):
            handle = await adapter.preview(place, said[:end], turn="t", handle=handle)
        (part,) = adapter.render(Answer(said, note=Note(said, "max_steps")), key="k")
        await adapter.send(place, part, replaces=handle)
        await adapter.send(PLACE, Part("p", part.body, part.plain), plain=True)

        assert slack.chats.pings == []
        for shown in slack.messages(CHAT):
            assert "&lt;!channel" not in shown.text or "&lt;" in said


async def test_file_is_fetched_with_the_token_and_no_more_of_it_than_is_taken() -> None:
    async with alone() as (adapter, slack):
        slack.add_file("F1", b"a" * 1000)
        slack.add_file("F2", b"x", url_private_download="https://evil.example/F2")
        slack.add_file("F3", b"x", url_private_download=f"{slack.root}/files/none")

        assert await adapter.fetch(Attachment("F1", "document"), limit=1000) == b"a" * 1000
        with pytest.raises(FileTooLarge):
            await adapter.fetch(Attachment("F1", "document"), limit=999)
        for file, why in (("F2", "outside of Slack"), ("F3", "files:read"), ("F9", "file_not_found")):
            with pytest.raises(FetchFailed, match=why):
                await adapter.fetch(Attachment(file, "document"), limit=1000)


async def test_answers_of_a_channel_leave_at_its_pace_and_a_429_holds_it_back() -> None:
    async with alone(rates={"overall": 0, "chat": 20, "edits": 0}) as (adapter, slack):
        for number in range(6):
            await sent(adapter, f"{number}", key=f"{number}")
        slack.fail("chat.postMessage", Fault(error="ratelimited", status=429, retry_after=40))
        with pytest.raises(RateLimited) as first:
            await sent(adapter, "7", key="7")
        calls = len(slack.sent("chat.postMessage"))
        with pytest.raises(RateLimited) as again:
            await sent(adapter, "8", key="8")
        slack.chats.channel("D0BOB")
        await sent(adapter, "other", place=Place("D0BOB"), key="9")

        assert first.value.retry_after == 40
        assert 35 < again.value.retry_after <= 40
        assert len(slack.sent("chat.postMessage")) == calls + 1


async def test_one_connection_carries_many_calls() -> None:
    """The library would open one for each."""
    async with alone() as (adapter, slack):
        for number in range(10):
            await sent(adapter, f"{number}", key=f"{number}")

        assert len(slack.peers) == 1


async def test_press_is_answered_to_its_presser_also_when_the_address_is_used_up() -> None:
    """Slack takes five responses; after that an ephemeral message does."""
    async with heard() as (adapter, slack, context):
        place = threaded(slack)
        (part,) = adapter.render(Answer("go on?", actions=(_GO,)), key="k")
        await adapter.send(place, part)
        slack.press(CHANNEL, "Continue")
        await context.until(lambda: context.inbounds)
        (inbound,) = context.inbounds
        for number in range(7):
            await adapter.answer_press(inbound, f"<!here> {number}")
        await adapter.answer_press(inbound)

        assert inbound.place == place
        assert [one["text"] for one in slack.responses] == [f"&lt;!here&gt; {number}" for number in range(5)]
        assert {one["thread_ts"] for one in slack.responses} == {place.thread}
        assert slack.whispers(CHANNEL, PERSON) == ["<!here> 5", "<!here> 6"]


async def test_press_below_what_one_person_alone_sees_stays_between_the_two() -> None:
    async with heard() as (adapter, slack, context):
        place = Place(CHANNEL, f"@{PERSON}", private=False)
        (part,) = adapter.render(Answer("go on?", actions=(_GO,)), key="k")
        await adapter.send(place, part)
        (_, _, message) = slack.chats.ephemeral[0]
        slack.press_on(CHANNEL, message, message["blocks"][-1]["elements"][0], ephemeral=True)
        await context.until(lambda: context.inbounds)

        assert context.inbounds[0].place == place
