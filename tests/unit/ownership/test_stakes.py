"""What tells one configuration of a bot from another."""

from __future__ import annotations

import os
from pathlib import Path

from gateway import plugins
from gateway.ownership import Stake
from gateway.settings import load
from gateway.stakes import stake_of

_TEXT = """
version: 1
agents:
  teller: {{kind: scripted, script: [{{when: "*", say: "{say}"}}]}}
  other: {{kind: scripted, script: [{{when: "*", say: "{other}"}}]}}
bots:
  support:
    platform: telegram
    token: "{token}"
    agent: teller
    partitions: {partitions}
"""


def _stake(
    folder: Path, *, say: str = "hi", other: str = "hi", number: int = 1, partitions: int = 1
) -> Stake:
    path = folder / "bots.yaml"
    path.write_text(_TEXT.format(say=say, other=other, token=f"{number}:abc", partitions=partitions), "utf-8")
    settings = load(path, options=plugins.options_of, env={})
    return stake_of(settings, settings.bots["support"], ["teller"])


def test_same_settings_are_the_same_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()

    assert _stake(tmp_path).digest == _stake(tmp_path / "elsewhere").digest


def test_every_setting_of_the_bot_and_its_agent_counts(tmp_path: Path) -> None:
    before = _stake(tmp_path)
    changed = [
        _stake(tmp_path, say="hello"),
        _stake(tmp_path, number=2),
        _stake(tmp_path, partitions=2),
    ]

    assert len({before.digest, *(stake.digest for stake in changed)}) == 4
    assert changed[-1].partitions == 2


def test_agent_of_another_bot_does_not_count(tmp_path: Path) -> None:
    assert _stake(tmp_path).digest == _stake(tmp_path, other="hello").digest


def test_newer_file_is_newer_whenever_it_was_read(tmp_path: Path) -> None:
    newer = _stake(tmp_path)
    os.utime(tmp_path / "bots.yaml", (1.0, 1.0))
    settings = load(tmp_path / "bots.yaml", options=plugins.options_of, env={})
    older = stake_of(settings, settings.bots["support"], ["teller"])

    assert newer.is_newer(older)
    assert not older.is_newer(newer)


def test_same_file_read_later_is_newer() -> None:
    assert Stake("b", files=1.0, read=2.0).is_newer(Stake("a", files=1.0, read=1.0))
