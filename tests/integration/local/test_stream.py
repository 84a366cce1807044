"""What a page hears, without a page."""

from __future__ import annotations

import re

import pytest

from gateway.messages import Action, Answer, Inbound, Note
from tests.integration.local.scene import Scene, Visitor, scene, until

NOTE = Note("⏳ I stopped — reply.", "max_steps")


async def _reply(stage: Scene, inbound: Inbound) -> None:
    await stage.answer(inbound.place, Answer(f"You said {inbound.text}"))


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
    async with (
        scene(_reply) as stage,
        Visitor(stage) as visitor,
        visitor.listen() as one,
        visitor.listen() as two,
    ):
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
        await until(lambda: not stage.adapter.chats.in_use)
