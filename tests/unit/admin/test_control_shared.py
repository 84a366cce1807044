"""Gateways of one configuration on one machine: each listens, and commands reach all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from gateway.admin.control import ControlServer, ask, ask_all


@pytest.fixture
def path() -> Generator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "s.sock"


def _server(path: Path, name: str) -> ControlServer:
    async def who(_: Mapping[str, object]) -> dict[str, object]:
        return {"who": name}

    return ControlServer(path, {"who": who}, shared=True)


async def _who(path: Path) -> list[object]:
    return [answer["who"] for answer in await ask_all(path, {"do": "who"})]


async def test_each_of_two_is_asked(path: Path) -> None:
    async with _server(path, "one"), _server(path, "two"):
        assert await _who(path) == ["one", "two"]
        assert await ask(path, {"do": "who"}) == {"ok": True, "who": "one"}


async def test_one_that_ends_leaves_the_other_within_reach(path: Path) -> None:
    async with _server(path, "one") as first, _server(path, "two"):
        await first.__aexit__()

        assert await _who(path) == ["two"]
        assert await ask(path, {"do": "who"}) == {"ok": True, "who": "two"}


async def test_place_of_one_that_ended_is_taken_again(path: Path) -> None:
    async with _server(path, "one"):
        pass
    async with _server(path, "three"):
        assert await _who(path) == ["three"]


async def test_nobody_is_asked_where_nobody_listens(path: Path) -> None:
    assert await ask_all(path, {"do": "who"}) == []
