"""The control socket: this user only, one request a line, and an answer whatever is asked."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from gateway.admin.control import ControlServer, ask, socket_path
from gateway.errors import LastwordError


@pytest.fixture
def path() -> Generator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "s.sock"


async def _echo(request: Mapping[str, object]) -> dict[str, object]:
    if request.get("fail"):
        raise LastwordError("it cannot be done")
    if request.get("break"):
        raise RuntimeError("api_key=sk-abcdefghijklmnop")
    return {"said": request.get("say")}


async def _raw(path: Path, data: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(data)
    writer.write_eof()
    try:
        async with asyncio.timeout(5):
            return await reader.read()
    finally:
        writer.close()


async def test_request_is_answered(path: Path) -> None:
    async with ControlServer(path, {"echo": _echo}):
        assert await ask(path, {"do": "echo", "say": "hi"}) == {"ok": True, "said": "hi"}


async def test_nobody_listening_is_no_error(path: Path) -> None:
    assert await ask(path, {"do": "echo"}) is None

    async with ControlServer(path, {}):
        pass

    assert await ask(path, {"do": "echo"}) is None
    assert not await asyncio.to_thread(path.exists)


async def test_socket_is_for_this_user_only(path: Path) -> None:
    async with ControlServer(path, {}):
        found = await asyncio.to_thread(path.stat)

    assert stat.S_IMODE(found.st_mode) == 0o600


async def test_socket_a_dead_gateway_left_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))

    async with ControlServer(path, {"echo": _echo}):
        assert await ask(path, {"do": "echo", "say": 1}) == {"ok": True, "said": 1}


async def test_refusal_is_told(path: Path) -> None:
    async with ControlServer(path, {"echo": _echo}):
        assert await ask(path, {"do": "echo", "fail": True}) == {
            "ok": False,
            "problem": "it cannot be done",
        }
        unknown = await ask(path, {"do": "dance"})

    assert unknown is not None
    assert unknown["ok"] is False
    assert "dance" in str(unknown["problem"])


@pytest.mark.parametrize("data", [b"", b"\n", b"{\n", b"[1]\n", b"\xff\xfe\n", b"null\n", b'{"do": 3}\n'])
async def test_nonsense_is_answered_and_others_are_served_on(path: Path, data: bytes) -> None:
    async with ControlServer(path, {"echo": _echo}):
        answer = await _raw(path, data)

        assert b'"ok":false' in answer
        assert await ask(path, {"do": "echo", "say": 1}) == {"ok": True, "said": 1}


async def test_request_that_is_too_long_does_not_end_the_server(path: Path) -> None:
    async with ControlServer(path, {"echo": _echo}):
        with pytest.raises((LastwordError, ConnectionError)):
            await ask(path, {"do": "echo", "say": "x" * 200_000})

        assert await ask(path, {"do": "echo", "say": 1}) == {"ok": True, "said": 1}


async def test_handler_that_breaks_is_a_refusal_that_tells_nothing_internal(path: Path) -> None:
    async with ControlServer(path, {"echo": _echo}):
        answer = await ask(path, {"do": "echo", "break": True})

    assert answer is not None
    assert answer["ok"] is False
    assert "sk-abc" not in str(answer)


def test_socket_stands_beside_the_store() -> None:
    assert socket_path(Path("/srv/lastword.db")) == Path("/srv/lastword.db.sock")


def test_socket_of_a_deep_folder_has_a_short_path() -> None:
    deep = Path("/" + "/".join(["a-long-folder-name"] * 10)) / "lastword.db"

    short = socket_path(deep)

    assert len(os.fsencode(short)) < 100
    assert short == socket_path(deep)
    assert short != socket_path(deep.with_name("other.db"))
