"""The commands people are offered, in each language, set when they changed."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.notes import Notebook
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from gateway_adapters.telegram.menu import by_language
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.telegram.alone import adapter_of

MENU = {
    "": (("stop", "End what I am doing"), ("help", "Tell what I can do")),
    "de": (("stop", "Beenden, was ich tue"), ("help", "Sagen, was ich kann")),
}


async def _run(tg: TelegramEmulator, context: FakeAdapterContext, *, calls: int) -> None:
    """One life of the bot, until the menu was asked for so often."""
    adapter = adapter_of(tg)
    async with listening(adapter, context):
        await context.until(lambda: len(tg.sent("setMyCommands")) >= calls)
        tg.say("heard all the same")
        await context.until(lambda: tg.unconfirmed == 0)
    await adapter.close()


def _shown(tg: TelegramEmulator, language: str) -> list[tuple[str, str]]:
    return [(one["command"], one["description"]) for one in tg.chats.commands[language]]


async def test_menu_is_set_for_everybody_and_for_each_language() -> None:
    async with TelegramEmulator() as tg:
        await _run(tg, FakeAdapterContext(menu=MENU), calls=2)

        assert {language: tuple(_shown(tg, language)) for language in tg.chats.commands} == MENU


async def test_menu_that_did_not_change_is_not_set_again_and_one_that_did_alone() -> None:
    context = FakeAdapterContext(menu=MENU)
    async with TelegramEmulator() as tg:
        await _run(tg, context, calls=2)
        await _run(tg, context, calls=2)
        context.menu = MENU | {"de": (("stop", "Aufhören"),)}
        await _run(tg, context, calls=3)

        assert [call["language_code"] for call in tg.sent("setMyCommands")] == ["", "de", "de"]
        assert _shown(tg, "de") == [("stop", "Aufhören")]


async def test_language_that_is_no_longer_spoken_is_taken_back() -> None:
    context = FakeAdapterContext(menu=MENU)
    async with TelegramEmulator() as tg:
        await _run(tg, context, calls=2)
        context.menu = {"": MENU[""]}
        adapter = adapter_of(tg)
        async with listening(adapter, context):
            await context.until(lambda: tg.sent("deleteMyCommands"))
            await context.until(lambda: b"de" not in context.facts["menu"])
        await adapter.close()

        assert set(tg.chats.commands) == {""}


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429, description="Too Many Requests: retry after 3", retry_after=3),
        Fault(status=500),
        Fault(status=400, description="Bad Request: BOT_COMMAND_INVALID"),
        Fault(cut=True),
        Fault(status=401, description="Unauthorized"),
    ],
    ids=lambda fault: str(fault.status),
)
async def test_menu_that_cannot_be_set_hinders_nothing_and_is_tried_again(fault: Fault) -> None:
    context = FakeAdapterContext(menu=MENU)
    async with TelegramEmulator() as tg:
        tg.fail("setMyCommands", Fault(passes=True), fault)
        await _run(tg, context, calls=3)

        assert [call["language_code"] for call in tg.sent("setMyCommands")] == ["", "de", "de"]
        assert [one.text for one in context.inbounds] == ["heard all the same"]
        assert set(tg.chats.commands) == {"", "de"}


async def test_menu_that_telegram_never_takes_is_given_up() -> None:
    context = FakeAdapterContext(menu=MENU)
    async with TelegramEmulator() as tg:
        tg.fail("setMyCommands", *(Fault(status=400) for _ in range(99)))
        await _run(tg, context, calls=5)
        await _run(tg, context, calls=10)

        assert len(tg.sent("setMyCommands")) == 10


async def test_menu_that_is_broken_hinders_nothing() -> None:
    broken: Any = {"": [("stop",)]}
    context = FakeAdapterContext(menu=broken)
    async with TelegramEmulator() as tg:
        await _run(tg, context, calls=0)

        assert [one.text for one in context.inbounds] == ["heard all the same"]
        assert ("error", "adapter.menu_broke", {"problem": "ValueError"}) in context.log.lines


async def test_what_was_kept_of_a_menu_and_cannot_be_read_is_set_anew() -> None:
    context = FakeAdapterContext(menu=MENU)
    await context.keep("menu", b"{")
    async with TelegramEmulator() as tg:
        await _run(tg, context, calls=2)

        assert set(tg.chats.commands) == {"", "de"}


def test_every_language_of_the_notes_has_two_letters_at_telegram() -> None:
    book = Notebook({}, fallback="en")
    menus = by_language({tag: book.menu(tag) for tag in book.languages} | {"": book.menu("en")})

    assert {"", "en", "de", "ar", "ja", "pt", "zh"} <= set(menus)
    assert all(len(language) in (0, 2) for language in menus)
    assert all(commands for commands in menus.values())


def test_one_tag_of_a_language_speaks_for_all() -> None:
    menu = {
        tag: (("stop", tag),)
        for tag in ("zh-Hant", "zh-Hans", "pt-PT", "pt-BR", "pt", "sr-Latn", "fil", "de-AT", "")
    }

    chosen = {language: commands[0]["description"] for language, commands in by_language(menu).items()}

    assert chosen.pop("") == ""
    assert chosen == {"zh": "zh-Hans", "pt": "pt", "sr": "sr-Latn", "de": "de-AT"}


def test_menu_is_no_longer_than_telegram_takes() -> None:
    (commands,) = by_language({"": [(f"c{number}", "d" * 300) for number in range(120)]}).values()

    assert len(commands) == 100
    assert {len(one["description"]) for one in commands} == {256}
