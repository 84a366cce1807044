"""`lastword setup` tells the steps, and what is wrong with the bots of a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli import probing
from gateway.cli.setup import command
from gateway.errors import PluginError, Unauthorised

FACTS = {
    "name": "@firm_bot",
    "reads in groups": "commands, mentions and replies; for all messages tell somebody",
    "webhook": "none",
    "waiting": "0",
}


def _file(folder: Path, *, top: str = "", bot: str = "") -> Path:
    file = folder / "bots.yaml"
    file.write_text(
        f"version: 1\n{top}\nagents: {{a: {{kind: scripted}}}}\n"
        "bots:\n  site: {platform: local, agent: a}\n"
        f"  support: {{platform: telegram, token: '1:aa', agent: a, {bot}}}\n"
    )
    return file


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the platform tells."""
    facts = dict(FACTS)

    async def facts_of(platform: str, options: object, *, bot: str, base: object) -> Mapping[str, str]:
        del options, base
        assert (platform, bot) == ("telegram", "support")
        return facts

    monkeypatch.setattr(probing, "facts_of", facts_of)
    return facts


def _setup(file: Path, *args: str) -> Result:
    return CliRunner().invoke(command, ["telegram", "--config", str(file), *args])


def _problems(done: Result) -> list[str]:
    mark = "  problem: "
    return [line.removeprefix(mark) for line in done.output.splitlines() if line.startswith(mark)]


def test_steps_are_told() -> None:
    done = CliRunner().invoke(command, ["telegram"])

    assert done.exit_code == 0
    for word in (
        "/newbot",
        "/setprivacy",
        "/setjoingroups",
        "/setcommands",
        "receive: webhook",
        "lastword init",
    ):
        assert word in done.output
    assert max(map(len, done.output.splitlines())) <= 120


def test_platform_without_steps_says_so() -> None:
    done = CliRunner().invoke(command, ["local"])

    assert done.exit_code == 1
    assert "There is nothing to set up for 'local'" in done.output


def test_platform_that_does_not_exist_is_told() -> None:
    done = CliRunner().invoke(command, ["telegramm"])

    assert isinstance(done.exception, PluginError)
    assert "did you mean 'telegram'?" in str(done.exception)


@pytest.mark.usefixtures("told")
def test_bot_in_order_is_told_with_what_it_means(tmp_path: Path) -> None:
    done = _setup(_file(tmp_path))

    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "support (telegram)"
    assert "  access.groups    mention: in groups it answers a mention, a reply to it, and a command" in lines
    assert "  receive          polling" in lines
    assert lines[-1] == "  All is well."


def test_bot_that_is_to_answer_all_but_hears_little_is_wrong(tmp_path: Path, told: dict[str, str]) -> None:
    file = _file(tmp_path, bot="access: {groups: all}")

    done = _setup(file)

    assert done.exit_code == 1
    (problem,) = _problems(done)
    assert problem.startswith("access.groups is all, but the platform hands it only commands, mentions")
    told["reads in groups"] = "all messages"
    assert _setup(file).exit_code == 0


def test_webhook_of_somebody_else_is_wrong_while_polling(tmp_path: Path, told: dict[str, str]) -> None:
    told["webhook"] = "rival.example"

    done = _setup(_file(tmp_path))

    assert done.exit_code == 1
    (problem,) = _problems(done)
    assert problem.startswith("a webhook at rival.example receives for this bot")


@pytest.mark.parametrize(
    ("address", "facts", "wrong"),
    [
        ("", {}, "public_url is no https address"),
        ("http://bots.example", {}, "public_url is no https address"),
        ("https://bots.example", {"webhook": "rival.example"}, "the webhook leads to rival.example"),
        (
            "https://bots.example",
            {"webhook": "bots.example", "waiting": "3", "last failure": "Connection refused"},
            "the platform cannot deliver to public_url: Connection refused",
        ),
        ("https://bots.example", {"webhook": "bots.example", "last failure": "Connection refused"}, ""),
        ("https://bots.example", {"webhook": "none"}, ""),
        ("https://bots.example", {"webhook": "bots.example"}, ""),
    ],
)
def test_webhook_of_ones_own_is_judged(
    tmp_path: Path, told: dict[str, str], address: str, facts: Mapping[str, str], wrong: str
) -> None:
    told.update(facts)

    done = _setup(_file(tmp_path, top=f'public_url: "{address}"', bot="receive: webhook"))

    assert done.exit_code == int(bool(wrong)), done.output
    assert len(_problems(done)) == int(bool(wrong))
    assert wrong in done.output


def test_token_that_is_refused_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(platform: str, options: object, *, bot: str, base: object) -> Mapping[str, str]:
        del platform, options, bot, base
        raise Unauthorised("Telegram rejected the token: copy it from BotFather again")

    monkeypatch.setattr(probing, "facts_of", refused)

    done = _setup(_file(tmp_path))

    assert done.exit_code == 1
    assert _problems(done) == ["Telegram rejected the token: copy it from BotFather again"]


def test_bot_that_is_not_there_is_told(tmp_path: Path) -> None:
    file = _file(tmp_path)

    done = _setup(file, "--bot", "other")

    assert done.exit_code == 1
    assert f"{file} has no bot named 'other' on 'telegram'." in done.output
