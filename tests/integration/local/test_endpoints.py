"""What the page asks of the server, without a page."""

from __future__ import annotations

import re

import httpx
import pytest

from gateway.messages import Answer, Inbound
from gateway_adapters.local.options import Options
from tests.integration.local.scene import Scene, Visitor, scene


async def _reply(stage: Scene, inbound: Inbound) -> None:
    await stage.answer(inbound.place, Answer(f"You said {inbound.text}"))


async def test_session_gives_a_secret_that_scripts_and_other_sites_cannot_use() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        cookie = (await visitor.http.post(f"{stage.base}/session", json={})).headers["set-cookie"]

    assert re.match(r"lastword=[A-Za-z0-9_-]{43};", cookie)
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/chat/demo"} <= attributes
    assert "secure" not in attributes  # plain HTTP; a trusted proxy's https makes it so


async def test_session_is_the_same_for_every_tab() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        again = (await visitor.post("session", {})).json()

    assert again == {"chat": visitor.chat, "title": "Ada", "limit": 16000}


async def test_visitors_are_strangers_to_each_other() -> None:
    async with scene(_reply) as stage, Visitor(stage) as one, Visitor(stage) as other:
        await one.say("secret")

        assert one.chat != other.chat
        assert await other.transcript() == []


async def test_chat_id_does_not_open_the_chat() -> None:
    async with scene() as stage, Visitor(stage) as visitor, httpx.AsyncClient(trust_env=False) as thief:
        answer = await thief.get(f"{stage.base}/events", headers={"cookie": f"lastword={visitor.chat}"})

    assert answer.status_code == 401


async def test_message_is_committed_before_it_is_acknowledged() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        answer = await visitor.say("hello", language="de-AT")

        assert (answer.status_code, answer.json()) == (202, {"chat": visitor.chat})
        (inbound,) = stage.context.accepted
        assert (inbound.text, inbound.sender.language, inbound.place) == ("hello", "de-AT", visitor.place)


async def test_message_sent_twice_is_one_message() -> None:
    async with scene(_reply) as stage, Visitor(stage) as visitor:
        for _ in range(3):
            assert (await visitor.say("hello", message="same-id-1")).status_code == 202

        async with visitor.listen() as events:
            await events.first("answer")
        assert len(stage.context.accepted) == 1
        assert [kind for kind, _ in await visitor.transcript()] == ["message", "answer"]


async def test_message_is_refused_while_the_store_is_down_and_taken_afterwards() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        stage.context.broken = True
        refused = await visitor.say("hello", message="same-id-1")
        stage.context.broken = False
        taken = await visitor.say("hello", message="same-id-1")

        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert taken.status_code == 202
        assert [line["text"] for _, line in await visitor.transcript()] == ["hello"]


async def test_message_is_refused_before_and_after_the_adapter_runs() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        await stage.deafen()
        assert (await visitor.say("hello")).status_code == 503
        async with visitor.listen() as events:
            assert events.response.status_code == 503

        await stage.hear()
        assert (await visitor.say("hello")).status_code == 202


@pytest.mark.parametrize(
    ("path", "body", "status", "why"),
    [
        ("message", {"id": "12345678", "text": "x" * 16_001}, 413, "too_long"),
        ("message", {"id": "12345678", "text": " "}, 422, "empty"),
        ("message", {"id": "12345678"}, 400, "malformed"),
        ("action", {"id": "12345678"}, 400, "malformed"),
        ("stop", {}, 400, "malformed"),
        ("stop", [], 400, "malformed"),
    ],
)
async def test_what_means_nothing_is_refused_in_one_word(
    path: str, body: object, status: int, why: str
) -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        answer = await visitor.post(path, body)

        assert (answer.status_code, answer.json()) == (status, {"error": why})
        assert stage.context.accepted == []


async def test_oversized_post_is_refused() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        assert (await visitor.say("x" * 1_100_000)).status_code == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec_fetch_site": "same-origin"}, 202),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "none"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
    ],
)
async def test_other_sites_cannot_post(headers: dict[str, str], status: int) -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        answer = await visitor.post("message", {"id": "12345678", "text": "hi"}, **headers)

        assert answer.status_code == status
        assert len(stage.context.accepted) == (status == 202)


async def test_own_origin_may_post_where_the_browser_says_no_more() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        origin = stage.base.removesuffix("/chat/demo")

        assert (
            await visitor.post("message", {"id": "12345678", "text": "hi"}, origin=origin)
        ).status_code == 202


@pytest.mark.parametrize("path", ["message", "action", "stop"])
async def test_post_without_a_session_is_asked_to_get_one(path: str) -> None:
    async with scene() as stage, httpx.AsyncClient(trust_env=False) as nobody:
        answer = await nobody.post(f"{stage.base}/{path}", json={"id": "12345678", "text": "a", "token": "t"})

    assert (answer.status_code, answer.json()) == (401, {"error": "no_session"})


async def test_command_is_shown_as_typed_and_taken_as_a_command() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        await visitor.say("/language de")

        (inbound,) = stage.context.accepted
        assert (inbound.kind, inbound.command, inbound.text) == ("command", "language", "de")
        assert [line["text"] for _, line in await visitor.transcript()] == ["/language de"]


async def test_stop_leaves_no_line() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        assert (await visitor.post("stop", {"id": "12345678"})).status_code == 202

        (inbound,) = stage.context.accepted
        assert (inbound.kind, inbound.command) == ("command", "stop")
        assert await visitor.transcript() == []


async def test_press_is_remembered_so_that_no_page_offers_it_again() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        await visitor.post("action", {"id": "12345678", "token": "turn.0"})

        (inbound,) = stage.context.accepted
        assert (inbound.kind, inbound.action, inbound.press) == ("action", "turn.0", "12345678")
        ((kind, line),) = await visitor.transcript()
        assert (kind, line["token"]) == ("pressed", "turn.0")


async def test_page_and_its_files_are_served_and_need_nothing_from_outside() -> None:
    async with (
        scene(options=Options(title='A "bot" <b>')) as stage,
        httpx.AsyncClient(trust_env=False) as http,
    ):
        page = await http.get(stage.base)
        names = re.findall(r'(?:src|href)="(/chat/demo/[^"]+)"', page.text)
        origin = stage.base.removesuffix("/chat/demo")
        files = {name: await http.get(origin + name) for name in names}

    assert "<title>A &quot;bot&quot; &lt;b&gt;</title>" in page.text
    assert {name.rpartition("/")[2] for name in names} == {"icon.svg", "chat.css", "page.css", "page.js"}
    for file in (page, *files.values()):
        assert file.status_code == 200
        outside = re.sub(r'xmlns="[^"]*"|"http://www\.w3\.org/2000/svg"', "", file.text)
        assert not re.search(r"https?://|//[a-z]+\.[a-z]|@import|url\(", outside)


async def test_unchanged_file_is_not_sent_again() -> None:
    async with scene() as stage, httpx.AsyncClient(trust_env=False) as http:
        first = await http.get(f"{stage.base}/chat.js")
        again = await http.get(f"{stage.base}/chat.js", headers={"if-none-match": first.headers["etag"]})

    assert first.headers["content-type"].startswith("text/javascript")
    assert (again.status_code, again.content) == (304, b"")


async def test_chat_may_live_at_the_root() -> None:
    async with scene(_reply, options=Options(path="/")) as stage, Visitor(stage) as visitor:
        assert (await visitor.http.get(f"{stage.base}/")).status_code == 200
        assert (await visitor.say("hi")).status_code == 202
        assert (await visitor.http.get(f"{stage.base}/healthz")).status_code == 404
