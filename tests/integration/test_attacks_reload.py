"""Configurations that change at awkward moments: what was accepted is answered all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path

import pytest

from gateway import plugins
from gateway.errors import LastwordError
from gateway.settings import Settings, keep_good, kept_good, load
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.session import recorder

CHAT = 4711
_MODULE = "tests.integration.session.recorder"


@pytest.fixture(autouse=True)
def fresh() -> Generator[None]:
    recorder.asked.clear()
    yield
    recorder.asked.clear()


def _config(*bots: str, agent: str = "recorder", top: str = "") -> str:
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
{top}
agents:
  mine: {{target: "{_MODULE}:{agent}", timeout: 20s}}
bots:
{"".join(bots)}
"""


def _bot(tg: TelegramEmulator, name: str = "support", *, more: str = "") -> str:
    return (
        f'  {name}: {{platform: telegram, token: "{tg.token}", api_base: "{tg.base}", agent: mine,'
        f" surface_completion_reason: true, access: {{dm: open}}{more}}}\n"
    )


def _load(folder: Path, config: str) -> Settings:
    (folder / "bots.yaml").write_text(config, "utf-8")
    return load(folder / "bots.yaml", options=plugins.options_of, env={})


_SITE = "  site: {platform: local, agent: mine}\n"


@pytest.mark.parametrize("after", ["removed", "renamed"])
async def test_answer_under_way_is_given_though_its_bot_goes(tmp_path: Path, after: str) -> None:
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg), _SITE)) as runtime:
        tg.say("slow one")
        await tg.until(lambda: recorder.asked)
        others = [_bot(tg, "other"), _SITE] if after == "renamed" else [_SITE]
        assert await runtime.reload(_load(tmp_path, _config(*others))) == ()
        await tg.until(lambda: tg.messages(CHAT), timeout=6.0)

        assert tg.texts(CHAT) == ["Heard: slow one"]


async def test_messages_that_wait_are_answered_though_their_bot_goes(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg), _SITE)) as runtime:
        tg.say("slow one")
        await tg.until(lambda: recorder.asked)
        tg.say("two")
        await asyncio.sleep(0.3)
        await runtime.reload(_load(tmp_path, _config(_SITE)))
        await tg.until(lambda: len(tg.messages(CHAT)) == 2, timeout=6.0)

        assert tg.texts(CHAT) == ["Heard: slow one", "Heard: two"]


async def test_letter_that_waits_is_delivered_though_its_bot_goes(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg), _SITE)) as runtime:
        tg.fail("sendMessage", *[Fault(500)] * 2)
        tg.say("one")
        await tg.until(lambda: tg.sent("sendMessage"))
        await runtime.reload(_load(tmp_path, _config(_SITE)))
        await tg.until(lambda: tg.messages(CHAT), timeout=8.0)

        (text,) = tg.texts(CHAT)
        assert text.endswith("Heard: one")
        assert "twice" in text  # Telegram did not say whether it took the first


async def test_bot_that_goes_and_comes_back_at_once_answers_once(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg), _SITE)) as runtime:
        tg.say("slow one")
        await tg.until(lambda: recorder.asked)
        for _ in range(3):
            await runtime.reload(_load(tmp_path, _config(_SITE)))
            await runtime.reload(_load(tmp_path, _config(_bot(tg), _SITE)))
        tg.say("two")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2, timeout=6.0)
        await asyncio.sleep(0.3)

        assert tg.texts(CHAT) == ["Heard: slow one", "Heard: two"]


async def test_letter_survives_the_change_of_its_connection(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg))) as runtime:
        hold = asyncio.Event()
        tg.fail("sendMessage", Fault(hold=hold, passes=True))
        tg.say("one")
        await tg.until(lambda: tg.sent("sendMessage"))
        changed = _load(tmp_path, _config(_bot(tg, more=", rates: {overall: 0, chat: 0, group: 0}")))
        assert await runtime.reload(changed) == ()
        hold.set()
        await tg.until(lambda: tg.messages(CHAT), timeout=8.0)
        await asyncio.sleep(0.5)

        assert 1 <= len(tg.texts(CHAT)) <= 2  # twice only where nobody can know whether it arrived
        assert set(tg.texts(CHAT)) == {"Heard: one"}


async def test_bot_whose_parts_break_in_an_unknown_way_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg))) as runtime:

        def broken(*_: object, **__: object) -> object:
            raise ValueError("nobody thought of this")

        changed = _load(tmp_path, _config(_bot(tg), _SITE))
        monkeypatch.setattr(plugins, "create_adapter", broken)
        problems = await runtime.reload(changed)

        assert len(problems) == 1
        assert "bot 'site' does not run" in problems[0]
        assert runtime.settings is changed


async def test_reload_while_it_stops_begins_nothing(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        gateway = running(tmp_path, _config(_SITE))
        runtime = await gateway.__aenter__()
        fleet = runtime.fleet
        assert fleet is not None
        changed = _load(tmp_path, _config(_bot(tg), _SITE))
        await fleet.stop_receiving()
        with pytest.raises(LastwordError, match="stopping"):
            await runtime.reload(changed)
        async with asyncio.timeout(10.0):
            await gateway.__aexit__(None, None, None)

        assert tg.calls == []


async def test_stop_during_a_reload_ends_in_time(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        hold = asyncio.Event()
        tg.fail("getMe", Fault(hold=hold, passes=True))
        gateway = running(tmp_path, _config(_SITE))
        runtime = await gateway.__aenter__()
        reloading = asyncio.create_task(runtime.reload(_load(tmp_path, _config(_bot(tg), _SITE))))
        await tg.until(lambda: tg.sent("getMe"))
        runtime.stop()
        await asyncio.sleep(0.1)
        hold.set()
        async with asyncio.timeout(12.0):
            await gateway.__aexit__(None, None, None)
        await asyncio.gather(reloading, return_exceptions=True)

        assert tg.sent("getUpdates") == []


async def test_copy_of_what_worked_is_none_of_what_came_after_it(tmp_path: Path) -> None:
    """Between reading a file and keeping it, somebody may break it."""
    good = _load(tmp_path, _config(_SITE))
    assert keep_good(good, options=plugins.options_of)
    (tmp_path / "bots.yaml").write_text("bots: [", "utf-8")

    assert not keep_good(good, options=plugins.options_of)
    kept = kept_good(tmp_path / "bots.yaml")
    assert kept is not None
    assert kept.read_text("utf-8") == _config(_SITE)


async def test_agents_that_were_replaced_are_let_go_even_after_a_half_done_reload(tmp_path: Path) -> None:
    """An agent that one bot could not leave behind is closed once that bot does."""
    async with TelegramEmulator() as tg, running(tmp_path, _config(_bot(tg), _SITE)) as runtime:
        old = runtime.bots["support"].agent
        closed: list[object] = []
        _watch(old, closed)
        await tg.until(lambda: tg.sent("getUpdates"))
        tg.fail("getMe", Fault(401, "Unauthorized"))
        more = ", rates: {overall: 0, chat: 0, group: 0}"
        half = _load(tmp_path, _config(_bot(tg, more=more), _SITE, agent="clerk"))
        (problem,) = await runtime.reload(half)
        assert "stays as it was" in problem
        assert runtime.bots["site"].agent is not old
        assert runtime.bots["support"].agent is old
        await asyncio.sleep(0.3)
        assert closed == []
        assert await runtime.reload(half) == ()
        await asyncio.sleep(0.5)

        assert closed == [old]


def _watch(agent: object, closed: list[object]) -> None:
    close = agent.close  # type: ignore[attr-defined]  # every agent has one

    async def watched() -> None:
        closed.append(agent)
        await close()

    agent.close = watched  # type: ignore[attr-defined]  # likewise
