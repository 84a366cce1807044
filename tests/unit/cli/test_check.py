"""`check` says what is wrong with a configuration, or what it comes to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway import plugins
from gateway.cli.check import command
from gateway.errors import ConfigError, Unauthorised

GOOD = """\
version: 1
agents: {echo: {kind: scripted, directives: true}}
bots: {site: {platform: local, agent: echo, title: T}}
"""


def _check(folder: Path, text: str, *args: str) -> Result:
    (folder / "bots.yaml").write_text(text, "utf-8")
    return CliRunner().invoke(command, [str(folder / "bots.yaml"), *args])


def test_good_configuration_is_summed_up(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD)

    assert found.exit_code == 0
    assert found.stdout == (
        "site: local, agent echo, private chats open; endings are NOT told:"
        " surface_completion_reason is false\n"
        "The configuration is valid. Agents were not loaded, nor platforms asked: add --probe.\n"
    )


def test_bad_configuration_is_raised_for_the_edge_to_tell(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD.replace("title", "titel"))

    assert isinstance(found.exception, ConfigError)


def test_bad_configuration_is_told_as_json(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD.replace("title", "titel"), "--output", "json")

    assert found.exit_code == 78
    assert json.loads(found.stdout) == {
        "ok": False,
        "problems": [
            f"{tmp_path}/bots.yaml:3:45: bots.site.titel: unknown key; did you mean 'title'?",
        ],
    }


def test_texts_of_an_operator_are_checked_too(tmp_path: Path) -> None:
    text = GOOD.replace("title: T", "notes: {texts: {de: {buzy: {what: W}}}}")

    found = _check(tmp_path, text)

    assert isinstance(found.exception, ConfigError)
    (told,) = found.exception.problems
    assert told.startswith(f"{tmp_path}/bots.yaml:3:")
    assert "bots.site.notes.texts.de.buzy: there is no text 'buzy'; did you mean 'busy'?" in told


def test_bot_is_shown_with_origins(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD, "--show", "site")

    shown = [" ".join(line.split()) for line in found.stdout.splitlines()]
    assert f"bots.site.title T [{tmp_path}/bots.yaml:3:52]" in shown
    assert "bots.site.access.dm open [default]" in shown


def test_bot_is_shown_as_json(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD, "--show", "site", "--output", "json")

    assert {"path": "bots.site.streaming", "value": "auto", "origin": "default"} in json.loads(found.stdout)


def test_secrets_of_a_bot_and_its_agent_are_never_shown(tmp_path: Path) -> None:
    text = """\
version: 1
defaults: {surface_completion_reason: true}
agents:
  helper:
    model: openai-chat:gpt-5-mini
    api_key: ${KEY}
    fallback: [{model: "openai-chat:other", api_key: "sk-written-out-1234"}]
bots:
  support:
    platform: telegram
    token: 123456789:AAWritten-Out
    proxy: http://user:hunter22@proxy.example:3128
    agent: helper
"""
    (tmp_path / ".env").write_text("KEY=kept-beside-it-5678\n")

    found = _check(tmp_path, text, "--show", "support")

    rows = {line.split()[0]: line.split()[1:] for line in found.stdout.splitlines()}
    assert rows["bots.support.token"] == ["***", f"[{tmp_path}/bots.yaml:11:12]"]
    assert rows["agents.helper.api_key"] == ["***", f"[{tmp_path}/bots.yaml:6:14]"]
    assert rows["bots.support.surface_completion_reason"] == [
        "true",
        "[defaults:",
        f"{tmp_path}/bots.yaml:2:39]",
    ]
    for secret in ("written-out", "Written-Out", "kept-beside", "hunter22"):
        assert secret not in found.stdout


def test_language_nobody_wrote_is_advised_against(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD.replace("title: T", "language: xx, fallback_language: de"))

    assert found.exit_code == 0
    assert found.stderr.startswith(
        f"{tmp_path}/bots.yaml:3:55: bots.site.language: there are no notes in 'xx': "
    )
    assert "fallback_language" not in found.stderr


def test_secrets_that_others_can_read_are_advised_against(tmp_path: Path) -> None:
    secrets = tmp_path / ".env"
    secrets.write_text("KEY=value\n")
    secrets.chmod(0o640)

    found = _check(tmp_path, GOOD)

    assert found.exit_code == 0
    assert found.stderr == f"{secrets}: others on this machine can read it: chmod 600 {secrets}\n"
    secrets.chmod(0o600)
    assert _check(tmp_path, GOOD).stderr == ""


def test_language_an_operator_wrote_is_fine(tmp_path: Path) -> None:
    text = "language: tlh, notes: {texts: {tlh: {busy: {what: W, do: D}}}}"

    assert _check(tmp_path, GOOD.replace("title: T", text)).stderr == ""


def test_bot_that_does_not_exist_cannot_be_shown(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD, "--show", "other")

    assert found.exit_code == 1
    assert "There is no bot 'other'; there are: site" in found.stderr


def test_probe_builds_agents_and_asks_platforms(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD, "--probe")

    assert found.exit_code == 0
    assert "agents.echo: kind: scripted, can be built" in found.stdout
    assert "bots.site: " in found.stdout


def test_probe_tells_every_problem_and_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(kind: str, options: object, *, bot: str, base: object) -> object:
        del kind, options, base
        raise Unauthorised(f"the platform refuses the token of {bot}")

    monkeypatch.setattr(plugins, "create_adapter", refused)
    text = GOOD.replace("agents: {", "agents: {mine: {target: 'no_such_module:x'}, ")

    found = _check(tmp_path, text, "--probe")

    assert found.exit_code == 1
    assert "agents.mine: problem: " in found.stderr
    assert "bots.site: problem: the platform refuses the token of site" in found.stderr


def test_probe_as_json(tmp_path: Path) -> None:
    found = _check(tmp_path, GOOD, "--probe", "--output", "json")

    told = json.loads(found.stdout)
    assert told["ok"] is True
    assert set(told["probe"]) == {"agents.echo", "bots.site"}
