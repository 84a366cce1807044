"""Updates that Telegram posts: kept before they are acknowledged, and from nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from gateway import plugins
from gateway.errors import StoreError
from gateway.http import Server
from gateway.http.binding import bind
from gateway.messages import Event
from gateway.runtime import Runtime
from gateway.settings import load
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.emulators.telegram import TelegramEmulator
from tests.integration.telegram.alone import CHAT, adapter_of, alone
from tests.integration.telegram.hooked import PUBLIC, hooked, public_context
from tests.integration.telegram.scene import config

_UPDATE = {
    "update_id": 9,
    "message": {
        "message_id": 1,
        "date": 1,
        "chat": {"id": CHAT, "type": "private"},
        "from": {"id": CHAT, "is_bot": False, "first_name": "Ada"},
        "text": "hello",
    },
}


class _Torn(FakeAdapterContext):
    """A store that takes its time, and may break in the middle of it."""

    def __init__(self) -> None:
        super().__init__(public_url=PUBLIC)
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()
        self.breaks = False

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        self.asked.set()
        await self.go_on.wait()
        if self.breaks:
            self.breaks = False
            raise StoreError("the disk is full")
        return await super().accept(events)


async def test_address_is_told_with_everything_that_belongs_to_it() -> None:
    async with hooked() as bot:
        (told,) = bot.tg.sent("setWebhook")

        assert told["url"] == f"{PUBLIC}/telegram/b"
        assert told["allowed_updates"] == ["message", "edited_message", "callback_query", "my_chat_member"]
        assert 1 <= int(told["max_connections"]) <= 100
        assert str(told["drop_pending_updates"]).lower() == "false"
        assert len(told["secret_token"]) >= 32
        assert bot.tg.token.partition(":")[2] not in told["url"] + told["secret_token"]
        assert bot.tg.sent("getUpdates") == []


async def test_people_are_heard_and_answered() -> None:
    async with hooked() as bot:
        bot.tg.say("hello")
        bot.tg.say("/stop")
        await bot.context.until(lambda: bot.tg.unconfirmed == 0)

        assert [(one.kind, one.text, one.command) for one in bot.context.inbounds] == [
            ("message", "hello", ""),
            ("command", "", "stop"),
        ]
        assert [status for _, status in bot.tg.hooks.posts] == [200, 200]


async def test_messages_of_one_chat_stay_in_order_and_chats_do_not_wait_for_each_other() -> None:
    async with hooked() as bot:
        for number in range(40):
            bot.tg.say(str(number), chat=100 + number % 4)
        await bot.context.until(lambda: bot.tg.unconfirmed == 0)

        for chat in range(100, 104):
            said = [one.text for one in bot.context.inbounds if one.place.chat == str(chat)]
            assert said == [str(number) for number in range(40) if 100 + number % 4 == chat]


async def test_update_is_acknowledged_only_when_it_is_kept() -> None:
    context = _Torn()
    async with hooked(context) as bot:
        bot.tg.say("keep me")
        await context.asked.wait()
        await asyncio.sleep(0.05)
        assert (bot.tg.hooks.posts, bot.tg.unconfirmed) == ([], 1)

        context.breaks = True
        context.go_on.set()
        await context.until(lambda: bot.tg.unconfirmed == 0)

        assert [status for _, status in bot.tg.hooks.posts] == [503, 200]
        assert [one.text for one in context.inbounds] == ["keep me"]


async def test_update_posted_again_is_one_message() -> None:
    async with hooked() as bot:
        statuses = [await bot.post(json.dumps(_UPDATE).encode()) for _ in range(3)]

        assert statuses == [200, 200, 200]
        assert [one.text for one in bot.context.inbounds] == ["hello"]


@pytest.mark.parametrize("secret", ["", "x", "ß\xff", "A" * 43, "a" * 5000])
async def test_strangers_are_refused_whatever_they_post(secret: str) -> None:
    async with hooked() as bot:
        posted = await bot.post(
            json.dumps(_UPDATE).encode(), secret=secret.encode("latin-1").decode("latin-1")
        )

        assert posted == 403
        assert bot.context.events == ()


async def test_secret_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, known: bytes) -> bool:
        compared.append((given, known))
        return False

    async with hooked() as bot:
        monkeypatch.setattr("gateway_adapters.telegram.endpoint.hmac.compare_digest", compare)

        assert await bot.post(json.dumps(_UPDATE).encode()) == 403
        assert compared == [(bot.tg.hooks.secret.encode(),) * 2]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("Application/JSON;charset=UTF-8", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
    ],
)
async def test_content_type_may_name_a_charset(kind: str, status: int) -> None:
    async with hooked() as bot:
        assert await bot.post(json.dumps(_UPDATE).encode(), kind=kind) == status


async def test_only_posts_are_taken() -> None:
    async with hooked() as bot:
        assert await bot.post(b"", method="GET") == 405


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b"[]",
        b'"text"',
        b'{"update_id": 1e999}',
        b'{"update_id": ' + b"9" * 5000 + b"}",
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda body: repr(body[:20]),
)
async def test_update_that_is_poisoned_is_kept_once_and_not_sent_for_ever(body: bytes) -> None:
    async with hooked() as bot:
        update = bot.tg.updates.next_id
        bot.tg.hooks.mangle[update] = body or b" "
        bot.tg.say("poisoned", chat=CHAT)
        bot.tg.say("its neighbour", chat=CHAT)
        await bot.context.until(lambda: bot.tg.unconfirmed == 0)

        assert [status for _, status in bot.tg.hooks.posts] == [200, 200]
        assert [event.dropped for event in bot.context.events] == ["unparsable", ""]
        assert bot.context.events[0].raw == (body or b" ")
        assert [one.text for one in bot.context.inbounds] == ["its neighbour"]


async def test_update_that_nobody_can_read_waits_for_a_store_that_is_down_too() -> None:
    async with hooked(public_context(refusals=2)) as bot:
        bot.tg.hooks.mangle[bot.tg.updates.next_id] = b"{"
        bot.tg.say("poisoned")
        await bot.context.until(lambda: bot.tg.unconfirmed == 0)

        assert [status for _, status in bot.tg.hooks.posts] == [503, 503, 200]
        assert len(bot.context.events) == 1


async def test_of_an_update_beyond_all_measure_the_beginning_is_kept() -> None:
    async with hooked() as bot:
        assert await bot.post(b" " * 600_000 + json.dumps(_UPDATE).encode()) == 200
        assert [(event.dropped, len(event.raw)) for event in bot.context.events] == [("unparsable", 524_288)]

        assert await bot.post(b" " * 2_000_000) == 413
        assert len(bot.context.events) == 1


async def test_bot_that_does_not_run_takes_nothing_and_telegram_keeps_it() -> None:
    """Neither before the first run nor after the last."""
    async with TelegramEmulator() as tg:
        adapter = adapter_of(tg, receive="webhook")
        async with Server("127.0.0.1", 0, adapter.routes(), public_url=PUBLIC) as server:
            tg.hooks.reach[PUBLIC] = server.address
            tg.hooks.set({"url": f"{PUBLIC}/telegram/b"})
            tg.hooks.strict_pace = False
            tg.say("too early")
            await tg.until(lambda: tg.hooks.posts)
            assert {status for _, status in tg.hooks.posts} == {503}

            async with listening(adapter, public_context()) as context:
                await context.until(lambda: tg.unconfirmed == 0)
            seen = len(tg.hooks.posts)
            tg.say("too late")
            await tg.until(lambda: len(tg.hooks.posts) > seen)
            assert tg.hooks.posts[-1][1] == 503
        await adapter.close()

        assert [one.text for one in context.inbounds] == ["too early"]
        assert tg.unconfirmed == 1


async def test_restart_hears_what_came_while_it_was_away_and_keeps_its_secret() -> None:
    context = public_context()
    async with TelegramEmulator() as tg:
        async with hooked(context, tg=tg):
            first = tg.hooks.secret
        tg.say("while away")
        await tg.until(lambda: tg.hooks.posts)
        async with hooked(context, tg=tg):
            await context.until(lambda: tg.unconfirmed == 0)

        assert tg.hooks.secret == first
        assert [one.text for one in context.inbounds] == ["while away"]


async def test_secret_may_be_chosen() -> None:
    async with hooked(secret_token="my-own_Secret-1") as bot:
        bot.tg.say("hello")
        await bot.context.until(lambda: bot.context.inbounds)

        assert bot.tg.hooks.secret == "my-own_Secret-1"
        assert bot.context.facts == {}


async def test_secret_that_the_store_does_not_keep_lets_nobody_in() -> None:
    class _Forgetful(FakeAdapterContext):
        async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
            del key, value, ttl

    async with alone(receive="webhook") as (adapter, tg):
        async with listening(adapter, _Forgetful(public_url=PUBLIC)) as context:
            await context.until(lambda: "deaf" in context.states)

        assert "not kept" in dict(context.reports)["deaf"]
        assert tg.sent("setWebhook") == []


async def test_two_bots_share_one_server() -> None:
    async with TelegramEmulator() as one, TelegramEmulator() as other:
        first = adapter_of(one, receive="webhook")
        second = adapter_of(other, bot="second", receive="webhook")
        routes = [*first.routes(), *second.routes()]
        async with Server("127.0.0.1", 0, routes, public_url=PUBLIC) as server:
            mine, theirs = public_context(), public_context()
            for tg in (one, other):
                tg.hooks.reach[PUBLIC] = server.address
            async with listening(first, mine), listening(second, theirs):
                one.say("to the first")
                other.say("to the second")
                await mine.until(lambda: mine.inbounds and theirs.inbounds)

        assert one.updates.webhook != other.updates.webhook
        assert one.hooks.secret != other.hooks.secret
        assert [said.text for said in mine.inbounds] == ["to the first"]
        assert [said.text for said in theirs.inbounds] == ["to the second"]
        await first.close()
        await second.close()


async def test_whole_gateway_answers_by_webhook(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        listener = bind("127.0.0.1", 0)
        tg.hooks.reach[PUBLIC] = f"http://127.0.0.1:{listener.getsockname()[1]}"
        path = tmp_path / "bots.yaml"
        scene = config(tg, bot="receive: webhook", script='\n      - {when: "*", say: "hello"}\n')
        path.write_text(f"{scene}public_url: {PUBLIC}\n", "utf-8")
        settings = load(path, options=plugins.options_of, env={})
        runtime = Runtime(settings, sockets=[listener], grace=2.0)
        task = asyncio.create_task(runtime.run())
        tg.say("hi")
        tg.say("@emulated_bot hi", chat=-500, user=1, kind="group")
        await tg.until(lambda: tg.messages(CHAT) and tg.messages(-500))
        runtime.stop()
        await task

        assert (tg.texts(CHAT), tg.texts(-500)) == (["hello"], ["hello"])
        assert tg.unconfirmed == 0
