"""Every ending, from YAML to what a person sees in Slack."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.completion import ENDINGS
from gateway.notes import Notebook
from tests.emulators.slack import Shown, SlackEmulator
from tests.integration.inprocess import running
from tests.integration.slack.scene import AT, CHANNEL, CHAT, config, slack_bot

UNTOLD = {"completed", "superseded", "suspended"}
TOLD = sorted(set(ENDINGS) - UNTOLD)
_WORDS = "one two three four five six seven eight"
_SCRIPT = "\n" + "".join(
    f"      - {{when: 'end {reason} {kind}', say: '{said}', end: {reason}}}\n"
    for reason in TOLD
    for kind, said in (("part", _WORDS), ("bare", ""))
)


def _notes(reason: str, language: str) -> list[str]:
    groups = {variant.group for variant in ENDINGS[reason].variants if variant.group}
    icons = {variant.icon for variant in ENDINGS[reason].variants}
    return [Notebook().render(group, icon, language, reason=reason) for group in groups for icon in icons]


@pytest.mark.parametrize(("locale", "language"), [("en-US", "en"), ("ja-JP", "ja"), ("ar-AE", "ar")])
async def test_every_ending_is_told_in_the_language_of_the_persons_client(
    tmp_path: Path, locale: str, language: str
) -> None:
    """One visible outcome for each reason, the note last, nothing internal in any of it."""
    async with slack_bot(tmp_path, agent="pace: 0.0\n    idle_timeout: 1s") as (_, slack):
        for count, reason in enumerate(TOLD, start=1):
            slack.say(f"!{reason}", locale=locale)
            await slack.until(
                lambda count=count: (
                    len(slack.messages(CHAT)) >= count  # type: ignore[misc]
                    and _whole(slack, (CHAT, ""), noted=True)
                )
            )

            text = slack.texts(CHAT)[-1]
            told = [line.strip("\u200e\u200f") for line in text.splitlines()]
            assert any(line in _notes(reason, language) for line in told) or "30" in text, (reason, text)
            assert "sk-fake" not in text

        assert len(slack.messages(CHAT)) == len(TOLD)
        assert slack.chats.pings == []


@pytest.mark.parametrize("receive", ["socket", "webhook"])
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("where", ["private", "channel", "assistant"])
async def test_every_ending_is_one_message_wherever_and_however_it_is_told(
    tmp_path: Path, where: str, *, noted: bool, streamed: bool, receive: str
) -> None:
    """Partial or empty: the agent's words, then the note apart, or its words alone; all of them at once."""
    pace = 0.13 if streamed else 0.0
    async with slack_bot(
        tmp_path,
        agent=f"pace: {pace}",
        script=_SCRIPT,
        receive=receive,
        bot="never_silent: false",
        noted=noted,
    ) as (_, slack):
        rooms: dict[tuple[str, str], tuple[str, str]] = {}
        for number, reason in enumerate(TOLD):
            for kind in ("part", "bare"):
                rooms[reason, kind] = _ask(slack, where, f"{number}{kind[0].upper()}", f"end {reason} {kind}")
        seen = [room for (_, kind), room in rooms.items() if kind == "part" or noted]
        await slack.until(lambda: all(_whole(slack, room, noted=noted) for room in seen), timeout=30.0)
        await slack.until(lambda: not slack.methods.streams)

        for (reason, kind), (channel, thread) in rooms.items():
            shown = slack.messages(channel)
            if kind == "bare" and not noted:
                assert shown == []
                continue
            (one,) = shown
            assert one.thread == thread
            _check(one, reason=reason, kind=kind, noted=noted)
        assert slack.chats.pings == []
        if where == "private":
            assert not slack.sent("chat.startStream")
        elif streamed:  # and all at once only on a machine that is too busy for that
            assert slack.sent("chat.startStream")


def _ask(slack: SlackEmulator, where: str, name: str, text: str) -> tuple[str, str]:
    """Somebody asks in a place of their own: its channel, and the thread where the answer belongs."""
    user = f"U{name}"
    if where == "private":
        slack.say(text, channel=f"D{name}", user=user)
        return f"D{name}", ""
    if where == "channel":
        channel = f"C{name}"
        return channel, slack.say(f"{AT} {text}", channel=channel, user=user)
    root = slack.chats.put(f"D{name}", **slack.chats.bot(), text="", subtype="assistant_app_thread")["ts"]
    del slack.chats.channel(f"D{name}").messages[root]["bot_id"]
    slack.say(text, channel=f"D{name}", user=user, thread=root)
    return f"D{name}", root


def _whole(slack: SlackEmulator, room: tuple[str, str], *, noted: bool) -> bool:
    """Whether the answer stands there as it stays."""
    shown = slack.messages(room[0])
    if not shown:
        return False
    kinds = [block["type"] for block in shown[-1].raw.get("blocks") or ()]
    return "context" in kinds if noted else shown[-1].text == _WORDS and bool(kinds)


def _check(shown: Shown, *, reason: str, kind: str, noted: bool) -> None:
    blocks = shown.raw["blocks"]
    kinds = [block["type"] for block in blocks]
    if kind == "part":
        assert kinds[0] == "rich_text"
        assert shown.text.startswith(_WORDS)
    if not noted:
        assert (kinds, shown.text) == (["rich_text"], _WORDS)
        return
    assert "context" in kinds[-2:]
    told = shown.text.removeprefix(_WORDS).strip().splitlines()
    assert any(line in _notes(reason, "en") for line in told), (reason, told)


async def test_flag_off_sends_the_agents_text_alone(tmp_path: Path) -> None:
    """What is rendered with the flag off is what is rendered with it on, minus the note."""
    shown: dict[bool, Shown] = {}
    for surface in (True, False):
        folder = tmp_path / str(surface)
        folder.mkdir()
        async with SlackEmulator() as slack:
            yaml = config(slack).replace("reason: true", f"reason: {str(surface).lower()}")
            async with running(folder, yaml):
                slack.say("!max_steps")
                await slack.until(lambda slack=slack: slack.messages(CHAT))  # type: ignore[misc]
                shown[surface] = slack.messages(CHAT)[0]

    plain = shown[False].raw["blocks"]
    assert shown[True].raw["blocks"][: len(plain)] == plain
    assert not shown[False].buttons


async def test_continue_button_and_word_carry_on(tmp_path: Path) -> None:
    async with slack_bot(tmp_path) as (_, slack):
        slack.say("!max_steps")
        await slack.until(lambda: slack.messages(CHAT))
        slack.press(CHAT, "Continue")
        await slack.until(lambda: len(slack.messages(CHAT)) == 2)

        assert slack.texts(CHAT)[1].endswith("home.")
        assert not slack.messages(CHAT)[0].buttons

        slack.say("!max_steps")
        await slack.until(lambda: len(slack.messages(CHAT)) == 3)
        slack.say("continue")
        await slack.until(lambda: len(slack.messages(CHAT)) == 4)

        assert slack.texts(CHAT)[3].endswith("home.")


async def test_button_pressed_twice_acts_once(tmp_path: Path) -> None:
    async with slack_bot(tmp_path) as (_, slack):
        slack.say("!max_steps")
        await slack.until(lambda: slack.messages(CHAT))
        slack.press(CHAT, "Continue")
        slack.press(CHAT, "Continue")
        await slack.until(lambda: slack.responses)
        await slack.until(lambda: len(slack.messages(CHAT)) == 2)

        assert "no longer works" in slack.responses[0]["text"]
        assert slack.responses[0]["response_type"] == "ephemeral"


async def test_foreign_button_is_refused_kindly_and_to_its_presser_alone(tmp_path: Path) -> None:
    async with slack_bot(tmp_path) as (_, slack):
        slack.say(f"{AT} cut short", channel=CHANNEL)
        await slack.until(lambda: slack.messages(CHANNEL))
        slack.press(CHANNEL, "Continue", user="U0EVE")
        await slack.until(lambda: slack.responses)

        assert "Only the person who asked" in slack.responses[0]["text"]
        assert len(slack.messages(CHANNEL)) == 1


async def test_retry_asks_first_when_actions_ran(tmp_path: Path) -> None:
    async with slack_bot(tmp_path) as (_, slack):
        slack.say("!action error")
        await slack.until(lambda: slack.messages(CHAT))
        slack.press(CHAT, "Retry")
        await slack.until(lambda: len(slack.messages(CHAT)) == 2)

        assert "already carried out" in slack.texts(CHAT)[1]
        slack.press(CHAT, "Retry anyway")
        await slack.until(lambda: len(slack.messages(CHAT)) == 3)
