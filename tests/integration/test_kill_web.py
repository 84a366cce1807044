"""Kill a real gateway at each step of the line; the person sees one outcome each time."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from tests.integration.process import Gateway, until
from tests.integration.webchat import Visitor

pytestmark = pytest.mark.kill

CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {port: 0}
agents:
  teller:
    kind: scripted
    directives: true
    pace: 0.05
    script:
      - when: acting
        say: "one two three four five six seven eight nine ten eleven twelve"
        action: send_report
        hang: true
        resume: "and the rest"
      - when: thinking
        say: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
      - {when: waiting, wait: 1.5, say: "done waiting"}
      - {when: quick, say: "quick answer"}
bots:
  site: {platform: local, agent: teller, surface_completion_reason: true}
"""
CHAT = "/chat/site"


async def _again(gateway: Gateway, visitor: Visitor) -> None:
    await gateway.restart()
    visitor.address = gateway.address


def _states(gateway: Gateway) -> list[str]:
    return [turn["state"] for turn in gateway.turns()]


async def test_killed_right_after_the_inbox_commit_answers_once(tmp_path: Path) -> None:
    async with Gateway(tmp_path, CONFIG) as gateway, Visitor(gateway.address, CHAT) as visitor:
        await visitor.say("waiting please")
        await gateway.kill()

        await _again(gateway, visitor)
        answer = await visitor.answered(1)
        await asyncio.sleep(0.3)

        assert (answer["text"], len(visitor.answers)) == ("done waiting", 1)
        assert "note" not in answer


async def test_killed_mid_agent_without_an_action_runs_again(tmp_path: Path) -> None:
    async with Gateway(tmp_path, CONFIG) as gateway, Visitor(gateway.address, CHAT) as visitor:
        await visitor.say("thinking please")
        await visitor.until(lambda: visitor.previews)
        await gateway.kill()

        await _again(gateway, visitor)
        answer = await visitor.answered(1)
        await asyncio.sleep(0.3)

        assert answer["text"].endswith("fourteen")
        assert len(visitor.answers) == 1
        assert [attempt["number"] for attempt in gateway.turns()[0]["attempts"]] == [1, 2]


async def test_killed_mid_agent_after_an_action_says_so_and_continues(tmp_path: Path) -> None:
    """The action is not repeated behind the person's back; Continue goes on where the text stopped."""
    async with Gateway(tmp_path, CONFIG) as gateway, Visitor(gateway.address, CHAT, language="de") as visitor:
        await visitor.say("acting please")
        await visitor.until(lambda: any("five" in html for html in visitor.previews))
        await asyncio.sleep(1.2)
        await gateway.kill()

        await _again(gateway, visitor)
        answer = await visitor.answered(1)

        assert answer["text"].startswith("one two three")
        assert answer["note"]["reason"] == "aborted"
        assert "neu gestartet" in answer["note"]["text"]
        assert [action["kind"] for action in answer["actions"]] == ["continue", "retry"]

        await visitor.press("continue")
        assert (await visitor.answered(2))["text"] == "and the rest"


async def test_killed_after_the_turn_commit_delivers_once(tmp_path: Path) -> None:
    """A kill anywhere around commit and delivery yields one bubble: the web chat knows a part again."""
    async with Gateway(tmp_path, CONFIG) as gateway, Visitor(gateway.address, CHAT) as visitor:
        for round_ in range(6):
            await visitor.say(f"quick {round_}")
            await asyncio.sleep(0.002 * round_)
            await gateway.kill()
            await _again(gateway, visitor)
            await visitor.answered(round_ + 1)
        await until(lambda: _states(gateway) == ["delivered"] * 6)

        assert [answer["text"] for answer in visitor.answers] == ["quick answer"] * 6


async def test_stopped_gateway_ends_running_turns_with_a_note(tmp_path: Path) -> None:
    """SIGTERM, twice: the second one does not wait for the grace time."""
    async with Gateway(tmp_path, CONFIG) as gateway, Visitor(gateway.address, CHAT) as visitor:
        await visitor.say("acting please")
        await visitor.until(lambda: any("five" in html for html in visitor.previews))
        stopping = asyncio.create_task(gateway.stop())
        await asyncio.sleep(0.5)

        assert not stopping.done()
        await gateway.kill()
        await stopping
        await gateway.start()
        visitor.address = gateway.address
        answer = await visitor.answered(1)

        assert answer["note"]["reason"] == "aborted"


async def test_message_that_kills_the_process_ends_as_an_error(tmp_path: Path) -> None:
    """A poisoned message is run a bounded number of times and never blocks the next one."""
    (tmp_path / "poison.py").write_text(
        "import os, signal\n"
        "class Agent:\n"
        "    reports_actions = True\n"
        "    async def chat(self, text, context):\n"
        "        if 'poison' in text:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return 'fine'\n"
        "agent = Agent()\n"
    )
    config = CONFIG.replace("agents:\n", 'agents:\n  odd: {target: "poison:agent"}\n').replace(
        "agent: teller", "agent: odd"
    )
    async with Gateway(tmp_path, config) as gateway, Visitor(gateway.address, CHAT) as visitor:
        saying = asyncio.gather(visitor.say("poison"), visitor.say("hello"))
        for _ in range(8):
            await asyncio.sleep(1.0)
            if len(visitor.answers) >= 2:
                break
            with contextlib.suppress(AssertionError):  # it died while it started
                await _again(gateway, visitor)
        await saying
        await visitor.answered(2)

        told = {answer.get("note", {}).get("reason", answer["text"]) for answer in visitor.answers}
        assert told == {"error", "fine"}
