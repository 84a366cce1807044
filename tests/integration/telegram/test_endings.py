"""Every ending, from YAML through the real library to what a person sees in Telegram."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from gateway.completion import ENDINGS
from gateway.notes import Notebook
from tests.emulators.telegram import Shown, TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.telegram.scene import config, telegram_bot

UNTOLD = {"completed", "superseded", "suspended"}
CHAT = 4711


def _has_said(tg: TelegramEmulator, count: int) -> bool:
    return len(tg.texts(CHAT)) == count


async def test_bot_with_a_language_speaks_it_to_whoever_chose_no_other(tmp_path: Path) -> None:
    """Whatever the person's own programs are set to; `/language` has the last word."""
    async with telegram_bot(tmp_path, bot="language: de") as (_, tg):
        for count, said in enumerate(("!max_steps", "/language fr", "!max_steps"), 1):
            tg.say(said, language="en")
            await tg.until(partial(_has_said, tg, count))
        told = tg.texts(CHAT)

    assert "⏳ Ich habe aufgehört" in told[0]
    assert "suis arrêté" in told[2]


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_every_ending_is_told_in_the_persons_language(tmp_path: Path, language: str) -> None:
    """One visible outcome for each reason, the note last, nothing internal in any of it."""
    async with telegram_bot(tmp_path, agent="pace: 0.0, idle_timeout: 1s".replace(", ", "\n    ")) as (_, tg):
        for count, reason in enumerate(sorted(set(ENDINGS) - UNTOLD), start=1):
            tg.say(f"!{reason}", language=language)
            await tg.until(lambda count=count: len(tg.messages(CHAT)) >= count)  # type: ignore[misc]

            text = tg.texts(CHAT)[-1]
            groups = {variant.group for variant in ENDINGS[reason].variants}
            notes = [
                Notebook().render(group, icon, language, reason=reason)
                for group in groups
                for icon in {variant.icon for variant in ENDINGS[reason].variants}
                if group
            ]
            told = text.splitlines()
            assert any(line in notes for line in told) or "30" in text, (reason, text)
            assert "sk-fake" not in text

        assert len(tg.messages(CHAT)) == len(set(ENDINGS) - UNTOLD)


async def test_flag_off_sends_the_agents_text_alone(tmp_path: Path) -> None:
    """What is rendered with the flag off is what is rendered with it on, minus the note."""
    shown: dict[bool, Shown] = {}
    for surface in (True, False):
        folder = tmp_path / str(surface)
        folder.mkdir()
        async with TelegramEmulator() as tg:
            yaml = config(tg).replace("reason: true", f"reason: {str(surface).lower()}")
            async with running(folder, yaml):
                tg.say("!max_steps")
                await tg.until(lambda tg=tg: tg.messages(CHAT))  # type: ignore[misc]
                shown[surface] = tg.messages(CHAT)[0]

    assert shown[True].text.startswith(f"{shown[False].text}\n\n")
    assert not shown[False].buttons
    assert not shown[False].entities


async def test_continue_button_and_word_carry_on(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("!max_steps")
        await tg.until(lambda: tg.messages(CHAT))
        query = tg.press(CHAT, "Continue")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT)[1].endswith("home.")
        assert query in tg.pressed

        tg.say("!max_steps")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3)
        tg.say("continue")
        await tg.until(lambda: len(tg.messages(CHAT)) == 4)

        assert tg.texts(CHAT)[3].endswith("home.")


async def test_button_pressed_twice_acts_once(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("!max_steps")
        await tg.until(lambda: tg.messages(CHAT))
        tg.press(CHAT, "Continue")
        second = tg.press(CHAT, "Continue")
        await tg.until(lambda: second in tg.pressed)
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert "no longer works" in tg.pressed[second]
        assert len(tg.messages(CHAT)) == 2


async def test_foreign_button_is_refused_kindly(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("@emulated_bot cut short", chat=-100, user=1, kind="supergroup")
        await tg.until(lambda: tg.messages(-100))
        query = tg.press(-100, "Continue", user=2)
        await tg.until(lambda: query in tg.pressed)

        assert "Only the person who asked" in tg.pressed[query]
        assert len(tg.messages(-100)) == 1


async def test_stop_ends_a_hanging_turn_within_a_second(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("hang on")
        await tg.until(lambda: tg.typing[CHAT])
        tg.say("/stop")
        await tg.until(lambda: tg.messages(CHAT), timeout=2.0)

        assert "interrupted before it finished" in tg.texts(CHAT)[0]
        assert tg.texts(CHAT)[0].startswith("thinking about it")

        tg.say("/stop")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        assert "Nothing is running" in tg.texts(CHAT)[1]


async def test_retry_asks_first_when_actions_ran(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("!action error")
        await tg.until(lambda: tg.messages(CHAT))
        tg.press(CHAT, "Retry")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert "already carried out" in tg.texts(CHAT)[1]
        tg.press(CHAT, "Retry anyway")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3)


async def test_topic_gets_its_answer_in_the_topic(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("@emulated_bot hello", chat=-100, user=1, kind="supergroup", thread=36)
        await tg.until(lambda: tg.messages(-100))

        assert tg.messages(-100)[0].thread == 36


async def test_unaddressed_group_talk_is_left_alone(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.say("just talking", chat=-100, user=1, kind="supergroup")
        tg.say("hello", chat=CHAT)
        await tg.until(lambda: tg.messages(CHAT))

        assert tg.messages(-100) == []


async def test_sticker_is_answered_with_what_to_do(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path) as (_, tg):
        tg.push(
            {
                "message": {
                    "message_id": 90,
                    "date": 1,
                    "chat": {"id": CHAT, "type": "private"},
                    "from": {"id": CHAT, "is_bot": False, "first_name": "A", "language_code": "de"},
                    "sticker": {"file_id": "x"},
                }
            }
        )
        await tg.until(lambda: tg.messages(CHAT))

        assert "Text" in tg.texts(CHAT)[0]
