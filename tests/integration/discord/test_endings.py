"""Every ending, from YAML to what a person sees on Discord."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.completion import ENDINGS
from gateway.notes import Notebook
from tests.emulators.discord import DiscordEmulator, Shown
from tests.emulators.discord_world import readable
from tests.integration.discord.scene import config, connected, discord_bot
from tests.integration.inprocess import running

UNTOLD = {"completed", "superseded", "suspended"}
TOLD = sorted(set(ENDINGS) - UNTOLD)
_SCRIPT = "\n" + "".join(
    f"      - {{when: '{reason} {kind}', say: '{said}', end: {reason}}}\n"
    for reason in TOLD
    for kind, said in (("part", "one two three four"), ("bare", ""))
)


def _notes(reason: str, language: str) -> list[str]:
    groups = {variant.group for variant in ENDINGS[reason].variants if variant.group}
    icons = {variant.icon for variant in ENDINGS[reason].variants}
    return [
        readable(Notebook().render(group, icon, language, reason=reason))
        for group in groups
        for icon in icons
    ]


@pytest.mark.parametrize(("greeting", "language"), [("hello", "en"), ("こんにちは", "ja"), ("שלום", "he")])
async def test_every_ending_is_told_in_the_persons_language(
    tmp_path: Path, greeting: str, language: str
) -> None:
    """One visible outcome for each reason, nothing internal in any of it; the script named the language."""
    async with discord_bot(tmp_path, agent="pace: 0.0\n    idle_timeout: 1s") as (_, discord):
        discord.world.say(greeting)
        await discord.until(discord.texts)
        for count, reason in enumerate(TOLD, start=2):
            discord.world.say(f"!{reason}")
            await discord.until(
                lambda count=count: (
                    len(discord.texts()) >= count  # type: ignore[misc]
                    and "-# " in discord.world.shown()[-1].content
                )
            )

            said = discord.texts()[-1]
            told = said.splitlines()
            notes = _notes(reason, language)
            assert any(line in notes for line in told) or "30" in said, (reason, said)
            assert "sk-fake" not in said

        assert len(discord.texts()) == len(TOLD) + 1


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("where", ["private", "server", "thread"])
async def test_every_ending_is_one_message_wherever_it_is_told(
    tmp_path: Path, noted: bool, where: str
) -> None:
    """Partial or empty: the agent's words, then the note as subtext, or its words alone."""
    async with DiscordEmulator() as discord:
        world = discord.world
        channel = {"private": world.dm, "server": lambda: world.channel, "thread": world.thread}[where]()
        yaml = config(discord, script=_SCRIPT, bot="streaming: off\n    never_silent: false")
        yaml = yaml.replace("reason: true", f"reason: {str(noted).lower()}")
        async with running(tmp_path, yaml):
            await connected(discord)
            for reason in TOLD:
                for kind in ("part", "bare"):
                    before = len(discord.texts(channel))
                    world.say(f"<@{world.bot}> {reason} {kind}", channel=channel)
                    if kind == "part" or noted:
                        await discord.until(
                            lambda before=before: (
                                len(discord.texts(channel)) == before + 1  # type: ignore[misc]
                                and _is_whole(world.shown(channel)[-1])
                            )
                        )
                        _check(world.shown(channel)[-1], kind=kind, noted=noted, reason=reason)
            world.say(f"<@{world.bot}> hello", channel=channel)
            await discord.until(lambda: "scripted agent" in discord.texts(channel)[-1])

            told = len(TOLD) * (2 if noted else 1) + 1
            assert len(discord.texts(channel)) == told


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("where", ["private", "server", "thread"])
@pytest.mark.parametrize("reason", ["completed", "max_steps", "stream_cut", "refused"])
async def test_text_that_grew_becomes_the_answer(
    tmp_path: Path, noted: bool, where: str, reason: str
) -> None:
    """One message from the first word to the note."""
    said = "one two three four five six"
    script = f"\n      - {{when: grow, say: {said}, end: {reason}}}\n"
    async with DiscordEmulator() as discord:
        world = discord.world
        channel = {"private": world.dm, "server": lambda: world.channel, "thread": world.thread}[where]()
        yaml = config(discord, agent="pace: 0.15", script=script)
        async with running(tmp_path, yaml.replace("reason: true", f"reason: {str(noted).lower()}")):
            await connected(discord)
            world.say(f"<@{world.bot}> grow", channel=channel)
            await discord.until(lambda: discord.texts(channel))
            first = world.shown(channel)[0]
            note = noted and reason != "completed"
            await discord.until(
                lambda: (
                    world.shown(channel)[0].content.startswith(said)
                    and ("-# " in world.shown(channel)[0].content) == note
                )
            )

            assert first.content != said
            assert [shown.id for shown in world.shown(channel)] == [first.id]


def _is_whole(shown: Shown) -> bool:
    """Whether an answer stands there in full, and not the preview of one."""
    return "-# " in shown.content or shown.content == "one two three four"


def _check(shown: Shown, *, kind: str, noted: bool, reason: str) -> None:
    said, _, note = shown.content.partition("-# ")
    assert said.strip() == ("one two three four" if kind == "part" else ""), (reason, shown)
    assert bool(note) == noted, (reason, shown)
    assert bool(shown.buttons) <= noted


async def test_flag_off_sends_the_agents_text_alone(tmp_path: Path) -> None:
    """What is rendered with the flag off is what is rendered with it on, minus the note."""
    shown: dict[bool, Shown] = {}
    for surface in (True, False):
        folder = tmp_path / str(surface)
        folder.mkdir()
        async with DiscordEmulator() as discord:
            yaml = config(discord).replace("reason: true", f"reason: {str(surface).lower()}")
            async with running(folder, yaml):
                await connected(discord)
                discord.world.say("!max_steps")
                await discord.until(lambda discord=discord: discord.texts())  # type: ignore[misc]
                shown[surface] = discord.world.shown()[0]

    assert shown[True].content.startswith(f"{shown[False].content}\n-# ")
    assert not shown[False].buttons


async def test_unaddressed_server_talk_is_left_alone(tmp_path: Path) -> None:
    async with discord_bot(tmp_path, bot="intents: {message_content: true}") as (_, discord):
        world = discord.world
        world.say("just talking", channel=world.channel)
        world.say("hello")
        await discord.until(discord.texts)

        assert discord.texts(world.channel) == []


async def test_reply_to_the_bot_is_meant_for_it(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        world = discord.world
        world.say(f"<@{world.bot}> hello", channel=world.channel)
        await discord.until(lambda: discord.texts(world.channel))
        world.say("and you?", channel=world.channel, reply_to=world.shown(world.channel)[0].id)
        await discord.until(lambda: len(discord.texts(world.channel)) == 2)


async def test_thread_has_a_conversation_of_its_own(tmp_path: Path) -> None:
    """What runs in a channel does not hold up a thread of it."""
    async with discord_bot(tmp_path) as (_, discord):
        world = discord.world
        thread = world.thread()
        world.say(f"<@{world.bot}> hang", channel=world.channel)
        await discord.until(lambda: discord.sent("POST", f"/channels/{world.channel}/typing"))
        world.say(f"<@{world.bot}> hello", channel=thread)
        await discord.until(lambda: discord.texts(thread))

        assert not any("hello" in text for text in discord.texts(world.channel))
