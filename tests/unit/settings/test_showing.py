"""An operator sees what a bot runs with, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.settings import describe
from tests.unit.settings.options import GOOD, loaded


def _rows(folder: Path, text: str, bot: str) -> dict[str, tuple[str, str]]:
    rows = describe(loaded(folder, text), bot)
    return {row.path: (row.value, row.origin.replace(f"{folder}/", "")) for row in rows}


def test_every_value_names_where_it_comes_from(tmp_path: Path) -> None:
    rows = _rows(
        tmp_path, f"{GOOD}defaults: {{access: {{admins: [1]}}, proxy: 'http://u:pw@h'}}\n", "support"
    )

    assert rows["bots.support.platform"] == ("telegram", "bots.yaml:6:15")
    assert rows["bots.support.never_silent"] == ("true", "default")
    assert rows["bots.support.access.admins"] == ("[1]", "defaults: bots.yaml:9:29")
    assert rows["bots.support.proxy"] == ("http://***@h", "defaults: bots.yaml:9:42")
    assert rows["agents.helper.directives"] == ("true", "bots.yaml:3:24")
    assert rows["agents.helper.timeout"] == ("300.0", "default")


def test_secret_is_never_shown(tmp_path: Path) -> None:
    rows = _rows(tmp_path, GOOD, "support")

    assert rows["bots.support.token"] == ("***", "bots.yaml:7:12")
    assert "123456:secret" not in str(rows)


def test_agent_written_inline_is_shown_under_its_bot(tmp_path: Path) -> None:
    rows = _rows(
        tmp_path,
        "version: 1\nbots: {b: {platform: local, agent: {model: 'p:m', api_key: k}}}\n",
        "b",
    )

    assert rows["bots.b.agent.model"] == ("p:m", "bots.yaml:2:44")
    assert rows["bots.b.agent.api_key"][0] == "***"
    assert rows["bots.b.title"] == ("(empty)", "default")


def test_long_values_are_cut(tmp_path: Path) -> None:
    steps = ", ".join(["{when: x}"] * 12)
    rows = _rows(
        tmp_path,
        f"version: 1\nbots: {{b: {{platform: local, title: {'x' * 500}, agent: {{script: [{steps}]}}}}}}\n",
        "b",
    )

    assert rows["bots.b.title"][0] == "x" * 100 + "…"
    assert rows["bots.b.agent.script"][0] == "12 entries"


def test_bot_that_does_not_exist_cannot_be_shown(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        describe(loaded(tmp_path, GOOD), "other")
