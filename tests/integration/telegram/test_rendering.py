"""Answers of every length, as the emulated Telegram takes and shows them."""

from __future__ import annotations

import re
import time

import pytest

from gateway.messages import Answer, Note, Part, Place
from gateway_adapters.telegram.render import render
from tests.emulators.telegram import Shown
from tests.emulators.telegram_rules import LIMIT
from tests.integration.telegram.alone import CHAT, GROUP, UNPACED, alone

PLACE = Place(str(CHAT))
_NOTE = Note("⏳ I stopped after reaching the step limit.", "max_steps", reference="Ref K7Q2M")
_RICH = """\
## Heading {n} 👩‍👩‍👧‍👦

1. first **bold** and [a link](https://en.example/wiki/A_(b)_{n})
   - nested `code {n}` with @channel
     - deeper *still* 👨🏽‍🚀
2. second @everyone

| name | value |
|------|-------|
| a{n} | **b** |

שלום עולם مرحبا بالعالم {n}

```python
print({n})  # @admin
```

"""
_MARK = re.compile(r"(?<=print\()\d+")


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _long(units: int) -> str:
    """Rich text of at least so many units."""
    blocks: list[str] = []
    length = 0
    while length < units:
        blocks.append(_RICH.replace("{n}", str(len(blocks))))
        length += _units(blocks[-1])
    return "".join(blocks)


async def _shown(text: str, *, note: Note | None = None, chat: int = CHAT) -> list[Shown]:
    async with alone(rates=UNPACED) as (adapter, tg):
        for part in adapter.render(Answer(text, note), key="k"):
            await adapter.send(Place(str(chat), private=chat > 0), part)
        assert {method for method, _ in tg.calls} == {"sendmessage"}
        return tg.messages(chat)


@pytest.mark.parametrize("mark", ["a", "é", "漢", "👍", "👩‍👩‍👧‍👦", "ש"])
@pytest.mark.parametrize("units", [1, 4096, 4097, 20_000])
async def test_plain_text_of_any_length_arrives_whole_and_in_order(units: int, mark: str) -> None:
    text = (mark * (units // _units(mark) + 1)) if _units(mark) > 1 else mark * units

    shown = await _shown(text)

    assert "".join(one.text for one in shown) == text
    assert len(shown) >= -(-_units(text) // LIMIT)
    assert all(_units(one.text) <= LIMIT and not one.text.startswith("\u200d") for one in shown)


@pytest.mark.parametrize("units", [4096, 4097, 20_000, 60_000])
async def test_rich_text_of_any_length_arrives_whole_and_in_order(units: int) -> None:
    text = _long(units)
    blocks = text.count("```python")

    shown = await _shown(text, note=_NOTE)

    whole = "\n".join(one.text for one in shown)
    code = [
        one.text.encode("utf-16-le")[entity["offset"] * 2 : (entity["offset"] + entity["length"]) * 2].decode(
            "utf-16-le"
        )
        for one in shown
        for entity in one.entities
        if entity["type"] == "pre" and entity.get("language") == "python"
    ]
    links = [entity["url"] for one in shown for entity in one.entities if entity["type"] == "text_link"]
    assert [int(found) for found in _MARK.findall(whole)] == list(range(blocks))
    assert "".join(code).count("print(") == blocks
    assert links == [f"https://en.example/wiki/A_(b)_{number}" for number in range(blocks)]
    assert (
        whole.count("👩‍👩‍👧‍👦") == whole.count("👨🏽‍🚀") == whole.count("שלום עולם مرحبا بالعالم") == blocks
    )
    assert shown[-1].text.endswith(f"{_NOTE.text}\n{_NOTE.reference}")
    assert [name for one in shown for name in one.pings] == []


async def test_fence_longer_than_a_message_is_opened_again_in_its_language() -> None:
    lines = "\n".join(f"line_{number} = {number}" for number in range(1500))

    shown = await _shown(f"```python\n{lines}\n```")

    assert len(shown) > 5
    for one in shown:
        (entity,) = one.entities
        assert (entity["type"], entity["language"], entity["length"]) == ("pre", "python", _units(one.text))
    assert "\n".join(one.text for one in shown) == lines


@pytest.mark.parametrize(
    "said",
    [
        "@channel hello @everyone",
        "**@admin**, *@admin* ~~@admin~~",
        "[@admin](tg://user?id=4711) [x](tg://user?id=4711)",
        "> @admin\n- @admin\n# @admin",
        "| @admin |\n|---|\n| @admin |",
        "(@admin) @admin: @admin,@admin",
        "`@admin` ```\n@admin\n```",
        "https://x.example/@admin mail@admin.example",
        "\u202e@admin \r@admin @\u0333admin",
        "&#64;admin &commat;admin \\@admin <b>@admin</b>",
    ],
)
async def test_nothing_an_agent_writes_pings_anybody(said: str) -> None:
    for text in (said, f"{said} " * 400):
        shown = await _shown(text, chat=GROUP)

        assert [name for one in shown for name in one.pings] == []
        assert "text_mention" not in {entity["type"] for one in shown for entity in one.entities}
        assert "admin" in shown[0].text or "everyone" in shown[0].text


async def test_preview_pings_nobody_where_its_beginning_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.telegram.previews._LIMIT", 20)
    text = "someone@example.org and @everyone here"
    async with alone(rates=UNPACED) as (adapter, tg):
        for end in range(1, len(text) + 1):
            chat = -900_000 - end
            tg.chats.known.add(chat)
            await adapter.preview(Place(str(chat), private=False), text[:end], turn="t")
            assert [name for one in tg.messages(chat) for name in one.pings] == []


@pytest.mark.parametrize(
    "hostile",
    ["[", "](", "![", "*", "*a ", "**", "_a_b", "`a``", ">", "> ", "|a", "<", "<a ", "&", "\\", "*_", "~~",
     "a\n=\n", "**`[*", "[a]: <b\n", "|\n", "<!--", "[a](http://b.cc) ", "`@a` ", "**a** ", "- ", "1. ",
     "```\n", "|" + "a|" * 50 + "\n", "* * *\n", "@a ", "http://a.b/@"],
)  # fmt: skip
def test_hostile_markdown_does_not_hold_the_loop(hostile: str) -> None:
    """A hundred kilobytes of it; everybody else waits that long."""
    text = hostile * (100_000 // len(hostile))
    took: list[float] = []
    parts: tuple[Part, ...] = ()
    for _ in range(3):
        began = time.thread_time()
        parts = render(Answer(text), key="k")
        took.append(time.thread_time() - began)

    assert min(took) < 1.0  # a tenth of that is usual; the collection of others' garbage may fall into one
    assert all(_units(part.body["text"]) <= LIMIT for part in parts)


def test_markup_beyond_what_is_read_is_written_as_it_is() -> None:
    text = "**a** " * 5000

    parts = render(Answer(text), key="k")

    assert " ".join(part.body["text"] for part in parts).split() == text.split()
    assert not any("entities" in part.body for part in parts)
