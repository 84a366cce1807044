"""`lastword dead`, typed at a running gateway and at the store that it left."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.emulators.telegram import Fault, TelegramEmulator
from tests.emulators.valkey import Valkey
from tests.integration.delivery.platforms import PLATFORMS, opened
from tests.integration.delivery.scene import dead, execute, lastword
from tests.integration.process import Gateway, until
from tests.integration.telegram.scene import config

pytestmark = pytest.mark.kill

CHAT = 4711
_LONG = "word " * 1900
SCRIPT = f"""
      - {{when: three, say: "{_LONG}", end: max_steps}}
      - {{when: secret, say: "the key is sk-live-abcdefghijklmnop0123456789"}}
      - {{when: "*", say: "hello"}}
"""
_GONE = Fault(403, "Forbidden: bot was blocked by the user")


def _words(texts: list[str]) -> str:
    return "".join(texts).replace(" ", "").replace("\n", "")


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_requeued_answer_arrives_and_begins_its_time_anew(tmp_path: Path, platform: str) -> None:
    """It expired, and is older than its time when it is requeued."""
    async with opened(platform) as chat, Gateway(tmp_path, chat.yaml(bot="delivery: {ttl: 2s}")) as gateway:
        await chat.until(chat.listens)
        chat.limit(1, times=2)
        chat.say("hi")
        await until(lambda: gateway.turns() and gateway.turns()[0]["state"] == "expired")
        (letter,) = await dead(tmp_path)
        assert (letter["state"], letter["why"], letter["kind"]) == ("expired", "expired", "answer")
        assert (letter["bot"], letter["ref"]) == (chat.bot, gateway.turns()[0]["ref"])
        calls = chat.calls()

        done = await lastword(tmp_path, "dead", "requeue", letter["ref"].lower())
        await chat.until(chat.texts)
        again = await lastword(tmp_path, "dead", "requeue", letter["id"])
        await until(lambda: gateway.turns()[0]["state"] == "delivered")

        assert (done.code, done.out) == (0, "Requeued 1 letter.\n")
        assert (again.code, again.out) == (0, "")
        assert "nothing to do" in again.err
        assert chat.texts() == ["hello"]
        assert chat.calls() == calls + 1
        assert await dead(tmp_path) == []
        chat.say("hi")
        await chat.until(lambda: len(chat.texts()) == 2)
        await asyncio.sleep(0.3)
        assert chat.texts() == ["hello", "hello"], "nobody is told of an answer that did arrive"


async def test_requeued_answer_goes_on_at_the_part_that_was_not_sent(tmp_path: Path) -> None:
    """In order, exactly the parts that are missing, though the person had left."""
    async with TelegramEmulator() as tg, Gateway(tmp_path, config(tg, script=SCRIPT)) as gateway:
        tg.fail("sendMessage", Fault(passes=True), _GONE)
        tg.say("three parts")
        await until(lambda: gateway.turns() and gateway.turns()[0]["state"] == "undeliverable")
        (letter,) = await dead(tmp_path)
        assert letter["parts"] == {"all": 3, "sent": 1, "skipped": 0}
        assert "blocked by the user" in letter["why"]
        assert letter["code"].startswith("max_steps@")

        assert (await lastword(tmp_path, "dead", "requeue", "--all", "--bot", "support")).code == 0
        await until(lambda: gateway.turns()[0]["state"] == "delivered")

        said, _, note = _words(tg.texts(CHAT)).partition("⏳")
        assert said == "word" * 1900
        assert note.startswith("Istoppedafterreachingthesteplimit")
        assert len(tg.sent("sendMessage")) == 4
        assert not gateway.turns()[0].get("maybe_duplicate")


async def test_commands_work_on_the_store_while_no_gateway_holds_it(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, config(tg, script=SCRIPT)) as gateway:
        for number in range(4):
            tg.fail("sendMessage", _GONE)
            tg.say("secret" if not number else "hi", chat=CHAT + number)
            await until(lambda number=number: len(_ended(gateway)) == number + 1)
        await gateway.stop()

        found = await dead(tmp_path)
        assert [one["chat"] for one in found] == [str(CHAT + number) for number in (3, 2, 1, 0)]
        assert [one["chat"] for one in await dead(tmp_path, "--limit", "1")] == [str(CHAT + 3)]
        unknown = [
            await lastword(tmp_path, *words, "--bot", "sales")
            for words in (
                ("dead", "list"),
                ("dead", "requeue", "--all"),
                ("dead", "drop", "--all"),
                ("turns",),
            )
        ]
        unknown.append(await lastword(tmp_path, "pair", "ABCD", "--bot", "sales"))
        assert {(one.code, one.err) for one in unknown} == {
            (1, "Error: There is no bot 'sales'; there are: support.\n")
        }
        assert (await lastword(tmp_path, "dead", "show", "nope")).err.startswith("Error: No dead letter")
        dropped = await lastword(tmp_path, "dead", "drop", found[0]["id"])
        young = await lastword(tmp_path, "dead", "drop", "--all", "--older", "30d")
        execute(tmp_path, "UPDATE letters SET at = at - 31 * 86400 WHERE id = ?", found[1]["id"])
        old = await lastword(tmp_path, "dead", "drop", "--all", "--older", "30d", "--bot", "support")
        assert [one.out for one in (dropped, young, old)] == [
            "Dropped 1 letter.\n",
            "Dropped 0 letters.\n",
            "Dropped 1 letter.\n",
        ]
        requeued = await lastword(tmp_path, "dead", "requeue", "--all")
        assert (requeued.code, requeued.out) == (0, "Requeued 2 letters.\n")
        assert await dead(tmp_path) == []

        await gateway.start()
        await tg.until(lambda: tg.texts(CHAT + 1) and tg.texts(CHAT))
        assert tg.texts(CHAT + 1) == ["hello"]
        assert [tg.texts(CHAT + number) for number in (2, 3)] == [[], []]


async def test_show_tells_who_where_when_and_why_and_no_secret(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, config(tg, script=SCRIPT)) as gateway:
        tg.fail("sendMessage", _GONE)
        tg.say("tell me the secret, sk-mine-abcdefghijklmnop012345")
        await until(lambda: _ended(gateway))
        ref = gateway.turns()[0]["ref"]

        plain = await lastword(tmp_path, "dead", "show", ref)
        told = await lastword(tmp_path, "dead", "show", "t1", "--text")
        facts = json.loads((await lastword(tmp_path, "dead", "show", "t1", "--output", "json")).out)
        whole = json.loads((await lastword(tmp_path, "dead", "show", "t1", "--output", "json", "--text")).out)

    assert plain.code == told.code == 0
    for fact in (f"ref {ref}", "support", "person 4711", "chat 4711", "undeliverable", "completed@"):
        assert fact in plain.out
    assert "blocked by the user" in plain.out
    assert "0 of 1 sent" in plain.out
    assert "the key is" not in plain.out
    assert "tell me" not in plain.out
    assert "the key is ***" in told.out
    assert "tell me the secret, ***" in told.out
    assert {"asked", "text"} & set(facts) == set()
    assert whole["text"] == "the key is ***"
    assert facts["died"] >= facts["at"] > 0


async def test_mistakes_are_told_and_change_nothing(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, config(tg, script=SCRIPT)) as gateway:
        tg.fail("sendMessage", _GONE)
        tg.say("hi")
        await until(lambda: _ended(gateway))
        unknown = [await lastword(tmp_path, "dead", what, "K7Q2M") for what in ("show", "requeue", "drop")]
        wrong = [
            await lastword(tmp_path, "dead", *words)
            for words in (
                ("requeue",),
                ("drop", "t1", "--all"),
                ("drop", "t1", "--older", "3d"),
                ("drop", "--all", "--older", "soon"),
                ("requeue", "t1", "--bot", "support"),
                ("list", "--limit", "0"),
            )
        ]
        (tmp_path / "other.yaml").write_text(
            (tmp_path / "bots.yaml").read_text().replace("  support:", "  sales:").replace("{dm: open}", "{}")
        )
        await gateway.stop()
        stranger = await lastword(tmp_path, "dead", "requeue", "t1", "--config", "other.yaml")
        strangers = await lastword(tmp_path, "dead", "requeue", "--all", "--config", "other.yaml")

        assert [one.code for one in unknown] == [1, 1, 1]
        assert all("No dead letter is called 'K7Q2M'" in one.err for one in unknown)
        assert [one.code for one in wrong] == [2] * 6
        assert (stranger.code, strangers.code) == (1, 1)
        assert "bot 'support', which there is not any more" in stranger.err
        assert "bot 'support', which there is not any more" in strangers.err
        assert [one["id"] for one in await dead(tmp_path)] == ["t1"]


async def test_nothing_dead_is_said_so(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, config(tg, script=SCRIPT)):
        ran = await lastword(tmp_path, "dead", "list")
        dropped = await lastword(tmp_path, "dead", "drop", "--all")

    assert (ran.code, ran.out, ran.err) == (0, "", "No letter is dead.\n")
    assert dropped.out == "Dropped 0 letters.\n"


async def test_store_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        (tmp_path / "bots.yaml").write_text(config(tg))
    ran = [
        await lastword(tmp_path, "dead", *words)
        for words in (("list",), ("requeue", "--all"), ("drop", "--all"))
    ]
    ran += [await lastword(tmp_path, *words) for words in (("backup", "x.db"), ("turns",), ("why", "ABCDE"))]

    assert {one.code for one in ran} == {1}
    assert all("does not exist yet" in one.err for one in ran)
    assert not (tmp_path / "lastword.db").exists()


async def test_commands_reach_a_store_on_a_server_with_a_gateway_and_without(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    async with TelegramEmulator() as tg:
        with Valkey(tmp_path / "server") as server:
            await _on_a_server(tmp_path, tg, server)


async def _on_a_server(tmp_path: Path, tg: TelegramEmulator, server: Valkey) -> None:
    yaml = config(tg, script=SCRIPT).replace("sqlite:lastword.db", server.url)
    async with Gateway(tmp_path, yaml) as gateway:
        for number in range(2):
            tg.fail("sendMessage", _GONE)
            tg.say("hi", chat=CHAT + number)
        await until(lambda: len(gateway.events("delivery.failed")) == 2)
        first, second = (one["id"] for one in await until(lambda: _both(tmp_path)))
        assert (await lastword(tmp_path, "dead", "requeue", first)).out == "Requeued 1 letter.\n"
        await tg.until(lambda: tg.texts(CHAT) == ["hello"] or tg.texts(CHAT + 1) == ["hello"])
        await gateway.stop()
        assert (await lastword(tmp_path, "dead", "requeue", second)).out == "Requeued 1 letter.\n"
        await gateway.start()
        await tg.until(lambda: tg.texts(CHAT) == tg.texts(CHAT + 1) == ["hello"])


async def _both(folder: Path) -> list[dict[str, object]]:
    found = await dead(folder)
    return found if len(found) == 2 else []


def _ended(gateway: Gateway) -> list[str]:
    return [turn["state"] for turn in gateway.turns() if turn["state"] == "undeliverable"]
