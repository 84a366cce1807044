"""Slack that posts to the shared server: what is taken, what is refused, and what is posted again."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from gateway.abc.adapter import Adapter
from gateway.http import Server
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.emulators.slack import SlackEmulator
from tests.emulators.slack_delivery import Envelope
from tests.integration.slack.alone import CHANNEL, CHAT, alone

PUBLIC = "https://bots.example"


@dataclass(slots=True)
class Hooked:
    """A bot that Slack posts to."""

    adapter: Adapter
    slack: SlackEmulator
    context: FakeAdapterContext
    client: httpx.AsyncClient

    async def post(self, payload: Any, *, kind: str = "events_api", at: float = 0.0, **headers: str) -> int:
        """Post something signed; the status."""
        return (await self.answer(payload, kind=kind, at=at, **headers)).status_code

    async def answer(
        self, payload: Any, *, kind: str = "events_api", at: float = 0.0, **headers: str
    ) -> httpx.Response:
        """Post something signed; the answer."""
        body, signed = self.slack.delivery.signed(Envelope("e", kind, payload), at=at)
        changed = {key.replace("_", "-"): value for key, value in headers.items()}
        return await self.client.post(self.slack.delivery.hook, content=body, headers={**signed, **changed})


@asynccontextmanager
async def hooked(context: FakeAdapterContext | None = None, **options: str) -> AsyncGenerator[Hooked]:
    """One that runs, and is reached."""
    told = context or FakeAdapterContext()
    told.public_url = told.public_url or PUBLIC
    async with (
        alone(receive="webhook", **options) as (adapter, slack),
        Server("127.0.0.1", 0, adapter.routes()) as server,
        httpx.AsyncClient() as client,
        listening(adapter, told),
    ):
        slack.delivery.hook = f"{server.address}/slack/b/events"
        await told.until(lambda: "up" in told.states)
        yield Hooked(adapter, slack, told, client)


def event(text: str, *, number: int = 1) -> dict[str, Any]:
    """A message of a person's."""
    said = {"type": "message", "channel": CHAT, "channel_type": "im", "user": "U0ANN", "text": text}
    return {
        "type": "event_callback",
        "team_id": "T0HOME",
        "event_id": f"Ev{number}",
        "event": {**said, "ts": f"1796000000.{number:06d}"},
    }


async def test_event_is_kept_before_it_is_answered() -> None:
    async with hooked() as bot:
        assert await bot.post(event("hello")) == 200

        assert [one.text for one in bot.context.inbounds] == ["hello"]


async def test_store_that_keeps_nothing_is_told_and_the_event_comes_again() -> None:
    async with hooked(FakeAdapterContext(refusals=1)) as bot:
        assert await bot.post(event("hello")) == 503
        assert not bot.context.inbounds
        for _ in range(2):
            again = await bot.post(event("hello"), x_slack_retry_num="1", x_slack_retry_reason="http_error")
            assert again == 200

        assert [one.text for one in bot.context.inbounds] == ["hello"]
        told = [what for _, what, _ in bot.context.log.lines]
        assert told.count("adapter.delivered_again") == 2


@pytest.mark.parametrize(("age", "status"), [(-299, 200), (-302, 401), (302, 401), (295, 200)])
async def test_request_is_taken_within_five_minutes_of_its_time(age: float, status: int) -> None:
    async with hooked() as bot:
        assert await bot.post(event("hello"), at=time.time() + age) == status


@pytest.mark.parametrize(
    "headers",
    [
        {"x_slack_signature": "v0=" + "0" * 64},
        {"x_slack_signature": ""},
        {"x_slack_signature": "v0=é"},
        {"x_slack_request_timestamp": ""},
        {"x_slack_request_timestamp": "soon"},
        {"x_slack_request_timestamp": "9" * 400},
        {"x_slack_request_timestamp": "-1"},
    ],
)
async def test_request_that_is_not_slacks_is_refused_unread(headers: dict[str, str]) -> None:
    async with hooked() as bot:
        body, signed = bot.slack.delivery.signed(Envelope("e", "events_api", event("hello")))
        given = [(key, value.encode("latin-1")) for key, value in signed.items()]
        given = [pair for pair in given if pair[0].lower().replace("-", "_") not in headers]
        given += [(key.replace("_", "-"), value.encode("latin-1")) for key, value in headers.items()]
        told = await bot.client.post(
            bot.slack.delivery.hook, content=body, headers=[(k.encode(), v) for k, v in given]
        )

        assert told.status_code == 401
        assert bot.context.events == ()


async def test_body_that_was_changed_on_the_way_is_refused() -> None:
    async with hooked() as bot:
        body, signed = bot.slack.delivery.signed(Envelope("e", "events_api", event("hello")))
        told = await bot.client.post(bot.slack.delivery.hook, content=body + b" ", headers=signed)

        assert told.status_code == 401


async def test_words_of_a_refused_body_are_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """The library writes the body of what is signed wrong, and whatever it cannot handle."""
    caplog.set_level(0)
    async with hooked(FakeAdapterContext(refusals=1)) as bot:
        body, signed = bot.slack.delivery.signed(Envelope("e", "events_api", event("between us")))
        spoilt = {**signed, "X-Slack-Signature": "v0=" + "0" * 64}
        for headers in (spoilt, signed, signed):
            await bot.client.post(bot.slack.delivery.hook, content=body, headers=headers)

        assert [one.text for one in bot.context.inbounds] == ["between us"]
        assert "between us" not in caplog.text
        assert bot.slack.token not in caplog.text


async def test_address_is_verified_only_to_slack_itself() -> None:
    async with hooked() as bot:
        told = await bot.answer({"type": "url_verification", "challenge": "abc"})
        unsigned = await bot.client.post(
            bot.slack.delivery.hook, json={"type": "url_verification", "challenge": "abc"}
        )

        assert (told.status_code, told.json()) == (200, {"challenge": "abc"})
        assert unsigned.status_code == 401


@pytest.mark.parametrize("kind", ["reaction_added", "channel_rename", "something_new", "app_home_opened"])
async def test_event_that_nobody_reads_is_answered_all_the_same(kind: str) -> None:
    """Slack stops sending to an address that fails often."""
    async with hooked() as bot:
        payload = {**event(""), "event": {"type": kind, "user": "U0ANN"}}

        assert await bot.post(payload) == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"7", b'{"type":"event_callback","event":"x"}'])
async def test_body_that_nobody_can_read_is_kept_for_the_record(body: bytes) -> None:
    async with hooked() as bot:
        headers = bot.slack.delivery.sign(body)
        told = await bot.client.post(bot.slack.delivery.hook, content=body, headers=headers)

        assert told.status_code == 200
        assert [one.inbound for one in bot.context.events] == [None]
        assert bot.context.events[0].raw == body


async def test_body_that_is_no_text_is_not_slacks() -> None:
    """What is signed is a text; nothing else can have been signed by Slack."""
    async with hooked() as bot:
        headers = bot.slack.delivery.sign(b"\xff\xfe")
        told = await bot.client.post(bot.slack.delivery.hook, content=b"\xff\xfe", headers=headers)

        assert told.status_code == 401
        assert bot.context.events == ()


async def test_signature_is_that_of_slacks_own_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example on Slack's page about verifying requests."""
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554"
        b"%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    }
    monkeypatch.setattr("slack_sdk.signature.time", lambda: 1531420618.0)

    async with hooked(signing_secret="8f742231b10e8888abcd99yyyzzz85a5") as bot:
        told = await bot.client.post(bot.slack.delivery.hook, content=body, headers=headers)

        assert told.status_code == 200
        assert [one.dropped for one in bot.context.events] == ["foreign_workspace"]


async def test_slash_command_about_a_payload_is_read() -> None:
    """The library's own reading of a form keeps nothing of one that holds that word."""
    async with hooked() as bot:
        bot.slack.slash("what is a payload", channel=CHANNEL)
        await bot.context.until(lambda: bot.context.inbounds)

        assert [one.text for one in bot.context.inbounds] == ["what is a payload"]


async def test_body_beyond_all_measure_is_refused_for_good() -> None:
    async with hooked() as bot:
        payload = event("a" * 900_000)
        told = await bot.answer(payload)

        assert told.status_code == 413
        assert told.headers["x-slack-no-retry"] == "1"


async def test_question_for_a_certificate_is_answered_and_says_nothing_of_the_store() -> None:
    """Slack asks it unsigned; so anybody may."""
    async with hooked() as bot:
        states = bot.context.states
        told = await bot.client.post(bot.slack.delivery.hook, data={"ssl_check": "1", "token": "x"})

        assert told.status_code == 200
        assert (bot.context.events, bot.context.states) == ((), states)


async def test_press_and_slash_command_come_to_the_same_address() -> None:
    async with hooked() as bot:
        bot.slack.slash("status", channel=CHANNEL)
        await bot.context.until(lambda: bot.context.inbounds)
        assert await bot.post({"ssl_check": "1", "token": "x"}, kind="slash_commands") == 200

        (inbound,) = bot.context.inbounds
        assert (inbound.kind, inbound.place.thread, inbound.text) == ("message", "@U0ANN", "status")


async def test_nothing_is_taken_before_it_runs_and_after() -> None:
    async with (
        alone(receive="webhook") as (adapter, slack),
        Server("127.0.0.1", 0, adapter.routes()) as server,
        httpx.AsyncClient() as client,
    ):
        slack.delivery.hook = f"{server.address}/slack/b/events"
        bot = Hooked(adapter, slack, FakeAdapterContext(), client)
        assert await bot.post(event("early")) == 503
        assert (await bot.answer({"type": "url_verification", "challenge": "abc"})).status_code == 200
        async with listening(adapter, bot.context):
            await bot.context.until(lambda: bot.context.states[-1:] == ("misconfigured",))
            assert await bot.post(event("now")) == 200
        assert await bot.post(event("late")) == 503

    assert [one.text for one in bot.context.inbounds] == ["now"]
    assert "set public_url" in dict(bot.context.reports)["misconfigured"]


async def test_post_that_slack_gave_up_waiting_for_is_one_message() -> None:
    """A store that takes longer than three seconds: the repetition is known."""
    async with hooked() as bot:
        first = bot.slack.say("hello")
        await bot.context.until(lambda: bot.context.inbounds)
        said = json.loads(json.dumps(bot.slack.chats.channel(CHAT).messages[first]))
        for number in (1, 2, 3):
            payload = {**event("hello"), "event": {**said, "channel": CHAT, "channel_type": "im"}}
            assert await bot.post(payload, x_slack_retry_num=str(number)) == 200

        assert len(bot.context.inbounds) == 1
