"""`lastword init` writes a configuration that loads, keeps secrets out of it, and asks three things."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway import plugins
from gateway.cli import introducing
from gateway.cli.asking import Interview
from gateway.cli.init import command
from gateway.errors import PluginError, Unauthorised, Unreachable
from gateway.settings import Settings, load

TOKEN, OTHER = "123456789:AAFirst-token", "987654321:AAOther-token"
KNOWN = {"name": "@firm_bot", "address": "https://t.me/firm_bot"}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TELEGRAM_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A platform that knows one token; every token it was asked about."""
    asked: list[str] = []

    async def facts_of(platform: str, options: object, *, bot: str, base: object) -> Mapping[str, str]:
        del platform, bot, base
        token = getattr(options, "token").get_secret_value()  # noqa: B009  # of whatever model
        asked.append(token)
        if token != TOKEN:
            raise Unauthorised("Telegram rejected the token: copy it from BotFather again")
        return KNOWN

    monkeypatch.setattr(introducing, "facts_of", facts_of)
    return asked


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits there, whose lines are standard input."""

    def begin(self: Interview, *, asks: bool) -> None:
        del asks
        self.asks = True

    monkeypatch.setattr(Interview, "__init__", begin)


def _init(folder: Path, *args: str, said: str = "") -> Result:
    return CliRunner().invoke(command, [str(folder / "bots.yaml"), *args], input=said)


def _loaded(folder: Path) -> Settings:
    return load(folder / "bots.yaml", options=plugins.options_of, env={})


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.usefixtures("platform")
def test_token_alone_makes_a_bot_that_loads(tmp_path: Path) -> None:
    done = _init(tmp_path, "--token", TOKEN)

    assert done.exit_code == 0, done.output
    settings = _loaded(tmp_path)
    bot = settings.bots["firm_bot"]
    assert (bot.platform, bot.surface_completion_reason, bot.access.dm) == ("telegram", True, "pairing")
    assert bot.options.token.get_secret_value() == TOKEN
    assert settings.agents[bot.agent].kind == "scripted"


@pytest.mark.usefixtures("platform")
def test_token_is_in_the_secrets_alone_and_only_its_owner_reads_them(tmp_path: Path) -> None:
    done = _init(tmp_path, "--token", TOKEN)

    assert TOKEN not in done.output
    assert TOKEN not in (tmp_path / "bots.yaml").read_text()
    assert "token: ${TELEGRAM_TOKEN}" in (tmp_path / "bots.yaml").read_text()
    assert (tmp_path / ".env").read_text() == f"TELEGRAM_TOKEN={TOKEN}\n"
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("platform")
def test_what_was_written_and_what_comes_next_are_told(tmp_path: Path) -> None:
    lines = _init(tmp_path, "--token", TOKEN).output.splitlines()

    assert lines == [
        "This is @firm_bot, https://t.me/firm_bot.",
        f"Wrote {tmp_path}/bots.yaml, the bot.",
        f"Wrote {tmp_path}/.env, its secrets; keep them out of version control.",
        f"Wrote {tmp_path}/bots.schema.json, by which editors complete and check it.",
        "",
        "Next:",
        f"  lastword run {tmp_path}/bots.yaml",
        (
            "  It shows a message with a code:"
            " open https://t.me/firm_bot and send that to the bot, and it is yours."
        ),
        "  Say hello, then !max_steps: that is how an ending is told.",
        f"  lastword check --probe {tmp_path}/bots.yaml   after each change of the file",
    ]


@pytest.mark.usefixtures("platform")
def test_first_line_names_a_schema_that_is_there(tmp_path: Path) -> None:
    _init(tmp_path, "--token", TOKEN)

    first = (tmp_path / "bots.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=bots.schema.json"
    assert json.loads((tmp_path / "bots.schema.json").read_text())["title"] == "Lastword configuration"


@pytest.mark.parametrize(
    ("args", "kind", "option", "value"),
    [
        (("--model", "openai-chat:gpt-5-mini"), "builtin", "model", "openai-chat:gpt-5-mini"),
        (
            ("--model", "openai-chat:org/own model: $1 #2"),
            "builtin",
            "model",
            "openai-chat:org/own model: $1 #2",
        ),
        (("--target", "my_bot:agent"), "python", "target", "my_bot:agent"),
        (("--demo",), "scripted", "directives", True),
    ],
)
@pytest.mark.parametrize("place", [("--token", TOKEN, "--dm", "open"), ("--platform", "local")])
@pytest.mark.usefixtures("platform")
def test_every_way_to_answer_loads_everywhere(
    tmp_path: Path, args: tuple[str, ...], kind: str, option: str, value: object, place: tuple[str, ...]
) -> None:
    done = _init(tmp_path, *place, *args)

    assert done.exit_code == 0, done.output
    settings = _loaded(tmp_path)
    (bot,) = settings.bots.values()
    agent = settings.agents["helper"]
    assert (agent.kind, getattr(agent.options, option), bot.access.dm) == (kind, value, "open")


def test_web_chat_needs_no_secret(tmp_path: Path) -> None:
    done = _init(tmp_path, "--platform", "local")

    assert done.exit_code == 0
    assert _files(tmp_path) == ["bots.schema.json", "bots.yaml"]
    assert "site" in _loaded(tmp_path).bots


@pytest.mark.usefixtures("platform")
def test_secrets_of_others_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# ours\nADMIN=x")

    _init(tmp_path, "--token", TOKEN)

    assert (tmp_path / ".env").read_text() == f"# ours\nADMIN=x\nTELEGRAM_TOKEN={TOKEN}\n"


@pytest.mark.usefixtures("platform")
def test_name_that_holds_another_token_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"TELEGRAM_TOKEN={OTHER}\n")

    _init(tmp_path, "--token", TOKEN)

    assert (tmp_path / ".env").read_text() == f"TELEGRAM_TOKEN={OTHER}\nTELEGRAM_TOKEN_2={TOKEN}\n"
    assert _loaded(tmp_path).bots["firm_bot"].options.token.get_secret_value() == TOKEN


@pytest.mark.usefixtures("platform")
def test_name_that_the_environment_overrides_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the environment says wins over `.env`, so the bot would run with the other token."""
    monkeypatch.setenv("TELEGRAM_TOKEN", OTHER)

    _init(tmp_path, "--token", TOKEN)

    assert "TELEGRAM_TOKEN_2" in (tmp_path / "bots.yaml").read_text()


def test_token_of_the_environment_is_used_and_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: list[str]
) -> None:
    monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)

    done = _init(tmp_path)

    assert platform == [TOKEN]
    assert "TELEGRAM_TOKEN stands in the environment and is used." in done.output
    assert not (tmp_path / ".env").exists()


def test_token_kept_already_is_used(tmp_path: Path, platform: list[str]) -> None:
    (tmp_path / ".env").write_text(f"TELEGRAM_TOKEN={TOKEN}\n")

    assert _init(tmp_path).exit_code == 0
    assert platform == [TOKEN]
    assert (tmp_path / ".env").read_text() == f"TELEGRAM_TOKEN={TOKEN}\n"


def test_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "bots.yaml").write_text("mine")

    done = _init(tmp_path, "--platform", "local")

    assert done.exit_code == 1
    assert "exists already" in done.output
    assert (tmp_path / "bots.yaml").read_text() == "mine"
    assert _init(tmp_path, "--platform", "local", "--force").exit_code == 0
    assert "site" in _loaded(tmp_path).bots


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        ((), 2, "set TELEGRAM_TOKEN, or give --token"),
        (("--token", "abc"), 1, "The token is no bot token; BotFather gives one like 123456789:ABC-DEF"),
        (("--token", OTHER), 1, "Telegram rejected the token: copy it from BotFather again"),
        (("--token", TOKEN, "--model", "gpt"), 2, "'gpt' names no provider"),
        (("--token", TOKEN, "--target", "gpt"), 2, "not of the form 'module:name'"),
        (("--token", TOKEN, "--demo", "--model", "a:b"), 2, "give one of them"),
        (("--token", TOKEN, "--api-base", "nowhere"), 2, "--api-base is not for telegram, or is no address"),
        (("--platform", "local", "--api-base", "http://x"), 2, "--api-base is not for local"),
        (("--platform", "local", "--token", TOKEN), 2, "--token is not for local"),
    ],
)
@pytest.mark.usefixtures("platform")
def test_what_is_wrong_is_told_and_nothing_written(
    tmp_path: Path, args: tuple[str, ...], code: int, told: str
) -> None:
    done = _init(tmp_path, *args)

    assert (done.exit_code, _files(tmp_path)) == (code, [])
    assert told in done.output
    assert "abc" not in done.output


def test_platform_that_does_not_exist_is_told(tmp_path: Path) -> None:
    assert isinstance(_init(tmp_path, "--platform", "telegramm").exception, PluginError)


def test_folder_that_does_not_exist_is_told(tmp_path: Path) -> None:
    done = _init(tmp_path / "nowhere", "--platform", "local")

    assert done.exit_code == 1
    assert "make it first" in done.output


def test_platform_is_not_asked_where_it_may_not_be(tmp_path: Path, platform: list[str]) -> None:
    done = _init(tmp_path, "--token", OTHER, "--no-probe")

    assert (done.exit_code, platform) == (0, [])
    assert "telegram" in _loaded(tmp_path).bots


def test_line_that_is_down_does_not_stop_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def facts_of(platform: str, options: object, *, bot: str, base: object) -> Mapping[str, str]:
        del platform, options, bot, base
        raise Unreachable("Telegram could not be reached")

    monkeypatch.setattr(introducing, "facts_of", facts_of)

    done = _init(tmp_path, "--token", TOKEN)

    assert done.exit_code == 0
    assert "Telegram could not be reached: the token stays unchecked; `lastword check --probe`" in done.output
    assert "telegram" in _loaded(tmp_path).bots


def test_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Path, mode: int) -> None:
        del mode
        if "schema" in self.name:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "chmod", fails)

    done = _init(tmp_path, "--platform", "local")

    assert (done.exit_code, _files(tmp_path)) == (1, [])
    assert "No space left on device. Nothing was written." in done.output


@pytest.mark.usefixtures("terminal")
def test_three_questions_are_asked_and_enter_takes_the_default(tmp_path: Path, platform: list[str]) -> None:
    done = _init(tmp_path, said=f"\n{TOKEN}\n\n\n")

    assert done.exit_code == 0, done.output
    assert platform == [TOKEN]
    assert [line[:6] for line in done.output.splitlines() if " of 3 " in line] == [
        "1 of 3",
        "2 of 3",
        "3 of 3",
    ]
    assert "`lastword setup telegram` tells how to get one" in done.output
    assert TOKEN not in done.output
    assert _loaded(tmp_path).bots["firm_bot"].access.dm == "pairing"


@pytest.mark.usefixtures("terminal")
def test_wrong_token_is_asked_for_again(tmp_path: Path, platform: list[str]) -> None:
    done = _init(tmp_path, said=f"\nabc\n{OTHER}\n{TOKEN}\n\n\n")

    assert done.exit_code == 0, done.output
    assert platform == [OTHER, TOKEN]
    assert "BotFather gives one like 123456789:ABC-DEF, keep all of it." in done.output
    assert "copy it from BotFather again." in done.output


@pytest.mark.usefixtures("terminal", "platform")
def test_third_wrong_token_ends_it(tmp_path: Path) -> None:
    done = _init(tmp_path, said="\na\nb\nc\n")

    assert (done.exit_code, _files(tmp_path)) == (1, [])
    assert done.output.endswith("Error: Nothing was written.\n")


@pytest.mark.usefixtures("terminal", "platform")
@pytest.mark.parametrize("said", ["", "telegram\n", f"\n{TOKEN}\n", f"\n{TOKEN}\nmodel\n"])
def test_end_of_input_leaves_nothing(tmp_path: Path, said: str) -> None:
    (tmp_path / ".env").write_text("ADMIN=x\n")

    done = _init(tmp_path, said=said)

    assert done.exit_code == 1
    assert "Nothing was written." in done.output
    assert _files(tmp_path) == [".env"]
    assert (tmp_path / ".env").read_text() == "ADMIN=x\n"


@pytest.mark.usefixtures("terminal", "platform")
def test_key_of_a_model_is_asked_for_unseen(tmp_path: Path) -> None:
    done = _init(tmp_path, said=f"\n{TOKEN}\nmodel\ngpt\nanthropic:claude-sonnet-5\nsecret-key-1\nopen\n")

    assert done.exit_code == 0, done.output
    assert "'gpt' names no provider" in done.output
    assert "secret-key-1" not in done.output
    assert "ANTHROPIC_API_KEY=secret-key-1\n" in (tmp_path / ".env").read_text()
    assert _loaded(tmp_path).agents["helper"].options.api_key.get_secret_value() == "secret-key-1"


@pytest.mark.usefixtures("terminal")
def test_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    done = _init(tmp_path, said="local\nmodel\n\n\n")

    assert done.exit_code == 0, done.output
    assert (
        f"Write OPENAI_API_KEY=... into {tmp_path}/.env, or base_url into {tmp_path}/bots.yaml."
        in done.output
    )
    assert "api_key: ${OPENAI_API_KEY:-}" in (tmp_path / "bots.yaml").read_text()
    assert _loaded(tmp_path).agents["helper"].options.api_key is None


def test_key_of_the_environment_is_used_and_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key-2")

    _init(tmp_path, "--platform", "local", "--model", "openai-chat:gpt-5-mini")

    assert "api_key: ${OPENAI_API_KEY}\n" in (tmp_path / "bots.yaml").read_text()
    assert not (tmp_path / ".env").exists()


def test_code_that_is_not_there_yet_is_shown(tmp_path: Path) -> None:
    done = _init(tmp_path, "--platform", "local", "--target", "my_bot:agent")

    assert f"Write {tmp_path}/my_bot.py, with any function or object that answers:" in done.output
    (tmp_path / "my_bot.py").touch()
    again = _init(tmp_path, "--platform", "local", "--target", "my_bot:agent", "--force")
    assert "my_bot.py" not in again.output
