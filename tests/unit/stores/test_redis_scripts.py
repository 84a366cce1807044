"""The scripts keep to what every supported server knows, and to the keys of one slot."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from gateway.stores.redis import scripts

# Commands of Redis 6.2 that the scripts may use; `probe` asks at the start whether each is allowed.
_KNOWN = {
    "DEL",
    "EXISTS",
    "GET",
    "HDEL",
    "HEXISTS",
    "HGET",
    "HINCRBY",
    "HKEYS",
    "HLEN",
    "HMGET",
    "HSCAN",
    "HSET",
    "HSETNX",
    "INCR",
    "LINDEX",
    "LLEN",
    "LPOP",
    "LRANGE",
    "LREM",
    "LSET",
    "LTRIM",
    "MGET",
    "PEXPIRE",
    "PUBLISH",
    "RPUSH",
    "SCAN",
    "SET",
    "TIME",
    "UNLINK",
    "ZADD",
    "ZCARD",
    "ZCOUNT",
    "ZRANGE",
    "ZRANGEBYSCORE",
    "ZREM",
    "ZREVRANGE",
    "ZREVRANGEBYLEX",
    "ZSCAN",
    "ZSCORE",
}
_CALL = re.compile(r"redis\.p?call\('(\w+)'")
_READS = {
    "aged",
    "counts",
    "dead",
    "dead_letter",
    "export_lane",
    "export_lanes",
    "export_some",
    "open_lanes",
    "export_total",
    "export_turns",
    "get",
    "history",
    "scan",
    "turn",
    "turns_matching",
    "waiting",
}
_REPEATABLE = {
    "extend",
    "fade_lines",
    "probe",
    "restore_begin",
    "restore_wipe",
    "schema",
}  # doing them twice is doing them once
_WRITES = frozenset(
    [
        "DEL",
        "HDEL",
        "HINCRBY",
        "HSET",
        "HSETNX",
        "INCR",
        "LPOP",
        "LREM",
        "LSET",
        "LTRIM",
        "RPUSH",
        "SET",
        "UNLINK",
        "ZADD",
        "ZREM",
    ]
)


@pytest.mark.parametrize("name", scripts.NAMES)
def test_a_script_uses_known_commands_only(name: str) -> None:
    assert set(_CALL.findall(scripts.source(name))) <= _KNOWN


def test_every_command_is_probed() -> None:
    used = {command for name in scripts.NAMES for command in _CALL.findall(scripts.source(name))}
    probed = set(re.findall(r"\{'([A-Z]+)'", scripts.source("probe")))

    assert used - {"PUBLISH", "TIME"} <= probed


@pytest.mark.parametrize("name", sorted({*scripts.NAMES} - _READS - _REPEATABLE))
def test_a_script_that_writes_is_done_once(name: str) -> None:
    """It looks for the answer of the same call before it does anything, and keeps its own."""
    text = scripts.source(name)

    assert scripts.writes(name)
    assert "if answered then" in text or name == "free"
    assert text.count("done(") > 1


@pytest.mark.parametrize("name", sorted(_READS))
def test_a_script_that_reads_writes_nothing(name: str) -> None:
    text = resources.files("gateway.stores.redis").joinpath("lua", f"{name}.lua").read_text("utf-8")

    assert not scripts.writes(name)
    assert not set(_CALL.findall(text)) & _WRITES


def test_every_file_is_a_script_or_used_by_one() -> None:
    folder = resources.files("gateway.stores.redis").joinpath("lua")
    files = {path.name.removesuffix(".lua") for path in folder.iterdir()}
    used = {
        word
        for path in folder.iterdir()
        for word in path.read_text("utf-8").partition("\n")[0].removeprefix("-- uses: ").split()
    }

    assert files - {*scripts.NAMES} - {"start"} <= used
