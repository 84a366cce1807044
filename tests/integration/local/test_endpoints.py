"""What the page asks of the server, without a page."""

from __future__ import annotations

import asyncio
import re

import httpx
import pytest
from gateway_adapters.local.options import Options

from gateway.messages import Action, Answer, Inbound, Note
from tests.integration.local.scene import Scene, Visitor, scene

NOTE = Note("⏳ I stopped — reply.", "max_steps")


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
        receiving, stage.adapter._receiving = stage.adapter._receiving, False
        assert (await visitor.say("hello")).status_code == 503
        async with visitor.listen() as events:
            assert events.response.status_code == 503

        stage.adapter._receiving = receiving
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


async def test_answer_carries_text_note_and_buttons_apart() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        await stage.answer(
            visitor.place, Answer("*hi*", note=NOTE, actions=(Action("continue", "t.0", "Continue"),))
        )

        ((kind, line),) = await visitor.transcript()

    assert kind == "answer"
    assert line["html"] == '<p dir="auto"><em>hi</em></p>'
    assert isinstance(line["note"], dict)
    assert line["actions"] == [{"kind": "continue", "token": "t.0", "label": "Continue"}]


async def test_part_sent_twice_is_one_line_and_one_receipt() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        (part,) = stage.adapter.render(Answer("hi"), key="letter")

        first = await stage.adapter.send(visitor.place, part)
        await stage.stop()
        await stage.start()
        again = await stage.adapter.send(visitor.place, part)

        assert again == first
        assert len(await visitor.transcript()) == 1


async def test_plain_part_says_the_same_without_html() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        (part,) = stage.adapter.render(Answer("*hi*", note=NOTE), key="letter")
        await stage.adapter.send(visitor.place, part, plain=True)

        ((_, line),) = await visitor.transcript()

    assert (line["text"], "html" in line, "note" in line) == ("*hi*", False, True)


async def test_transcript_survives_the_gateway() -> None:
    async with scene(_reply) as stage, Visitor(stage) as visitor:
        await visitor.say("one")
        await visitor.say("two")
        async with visitor.listen() as events:
            await events.first("answer")
            await events.first("answer")
        before = await visitor.transcript()

        await stage.stop()
        await stage.start()

        assert await visitor.transcript() == before
        assert [line["text"] for _, line in before if "html" not in line] == ["one", "two"]


async def test_stream_resumes_after_the_last_line_seen() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        for text in ("one", "two", "three"):
            await stage.answer(visitor.place, Answer(text))
        (_, first), *rest = await visitor.transcript()

        assert isinstance(first["n"], int)
        assert await visitor.transcript(after=first["n"]) == rest


@pytest.mark.parametrize("after", ["", "-1", "x", "9" * 40, "²"])
async def test_odd_resume_point_shows_everything(after: str) -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        await stage.answer(visitor.place, Answer("one"))

        url = f"{stage.base}/events"
        async with visitor.http.stream("GET", url, params={"after": after}) as response:
            first = await anext(response.aiter_lines())

    assert re.fullmatch(r"id: \d+", first)


async def test_every_tab_hears_everything_in_order() -> None:
    async with scene(_reply) as stage, Visitor(stage) as visitor:
        async with visitor.listen() as one, visitor.listen() as two:
            await visitor.say("hello")

            for tab in (one, two):
                seen = [kind for kind, _ in await tab.until("answer")]
                assert seen == ["state", "message"]


async def test_preview_grows_and_gives_way_to_the_answer() -> None:
    async with scene() as stage, Visitor(stage) as visitor, visitor.listen() as events:
        await events.first("state")
        handle = await stage.adapter.preview(visitor.place, "On*e", turn="t1")
        assert await events.first("preview") == {"turn": "t1", "html": '<p dir="auto">On*e</p>'}
        await stage.adapter.preview(visitor.place, "On*e* two", turn="t1", handle=handle)
        assert (await events.first("preview"))["html"] == '<p dir="auto">On<em>e</em> two</p>'

        await stage.answer(visitor.place, Answer("One two"), replaces=handle)

        assert (await events.first("answer"))["replaces"] == "t1"
        assert await events.first("cleared") == {"turn": "t1"}


async def test_page_that_comes_late_sees_what_is_being_written() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        await stage.adapter.typing(visitor.place)
        await stage.adapter.preview(visitor.place, "So far", turn="t1")

        async with visitor.listen() as events:
            seen = dict(await events.until("state"))

    assert seen["preview"] == {"turn": "t1", "html": '<p dir="auto">So far</p>'}
    seconds = seen["typing"]["seconds"]
    assert isinstance(seconds, float)
    assert 4.0 < seconds <= 6.0


async def test_retracted_preview_goes_and_typing_with_it() -> None:
    async with scene() as stage, Visitor(stage) as visitor, visitor.listen() as events:
        await stage.adapter.typing(visitor.place)
        handle = await stage.adapter.preview(visitor.place, "So far", turn="t1")
        await events.first("preview")

        await stage.adapter.retract(visitor.place, handle)

        assert await events.first("cleared") == {"turn": "t1"}
        assert await events.first("typing") == {"seconds": 0.0}


async def test_word_about_a_press_is_shown_to_whoever_looks_and_to_nobody_later() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        async with visitor.listen() as events:
            await events.first("state")
            await visitor.post("action", {"id": "12345678", "token": "t"})

            await stage.adapter.answer_press(stage.context.accepted[0], "This button no longer works")

            assert await events.first("notice") == {"text": "This button no longer works"}
        assert [kind for kind, _ in await visitor.transcript()] == ["pressed"]


async def test_quiet_stream_shows_signs_of_life_and_what_other_processes_wrote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gateway_adapters.local.stream._BEAT", 0.03)
    async with scene() as stage, Visitor(stage) as visitor, visitor.listen() as events:
        await events.first("beat")

        await stage.context.keep(
            f"chat/{visitor.chat}/9000000000000000",
            b'{"n":9000000000000000,"kind":"answer","id":"x","at":1.0,"body":{"text":"from elsewhere"}}',
        )

        assert (await events.first("answer"))["text"] == "from elsewhere"


async def test_streams_end_when_the_adapter_closes() -> None:
    """A changed configuration swaps the adapter while the server goes on."""
    async with scene() as stage, Visitor(stage) as visitor, visitor.listen() as events:
        await events.first("state")

        await stage.adapter.close()

        with pytest.raises(EOFError):
            await events.first("never")


async def test_stream_ends_when_the_transcript_cannot_be_read() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        stage.context.broken = True
        async with visitor.listen() as events:
            with pytest.raises(EOFError):
                await events.first("state")


async def test_closed_streams_leave_nothing_behind() -> None:
    async with scene() as stage, Visitor(stage) as visitor:
        for _ in range(3):
            await visitor.transcript()
        async with asyncio.timeout(5.0):
            while any(chat.users for chat in stage.adapter.chats._chats.values()):
                await asyncio.sleep(0.01)


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
