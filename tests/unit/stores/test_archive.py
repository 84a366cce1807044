"""A file of rows is whole, or is told to be none."""

# ruff: noqa: ASYNC240  # files are what is tested here
from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from gateway.errors import StoreError
from gateway.stores.portable import Archive, Row, Total, Written, is_archive, write_archive

ROWS: list[Row] = [Written(b"k", b"\x00\xff", None), Written(b"half \xed\xa0\x80", b"", 5.0), Total(7)]


async def _given(*rows: Row) -> AsyncIterator[Row]:
    for row in rows:
        yield row


async def _breaking() -> AsyncIterator[Row]:
    yield ROWS[0]
    raise StoreError("the server went away")


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A sound file."""
    path = tmp_path / "backup"
    await write_archive(path, _given(*ROWS), store="redis", made=5.0)
    return path


def test_file_gives_back_what_was_written(path: Path) -> None:
    archive = Archive(path)

    assert list(archive.rows()) == ROWS
    assert (archive.count, archive.made, archive.store) == (3, 5.0, "redis")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["backup"]


async def test_file_that_is_there_is_not_replaced(path: Path) -> None:
    before = path.read_bytes()

    with pytest.raises(StoreError, match="exists already"):
        await write_archive(path, _given(), store="redis", made=6.0)

    assert path.read_bytes() == before


async def test_nothing_is_left_of_a_file_whose_rows_end_early(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="went away"):
        await write_archive(tmp_path / "backup", _breaking(), store="redis", made=6.0)

    assert list(tmp_path.iterdir()) == []


async def test_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        await write_archive(tmp_path / "none" / "backup", _given(), store="redis", made=6.0)


@pytest.mark.parametrize(
    ("kept", "more"),
    [(-1, b""), (90, b""), (30, b""), (1000, b"more")],
    ids=["cut", "half", "head", "longer"],
)
def test_file_that_is_not_whole_is_noticed_before_anything_is_given(
    path: Path, kept: int, more: bytes
) -> None:
    path.write_bytes(path.read_bytes()[:kept] + more)

    with pytest.raises(StoreError, match="damaged or not complete"):
        Archive(path)


def test_byte_that_changed_is_noticed(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\x00\xff", b"\x00\xfe"))

    with pytest.raises(StoreError, match="damaged or not complete"):
        Archive(path)


def test_other_files_are_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "letter").write_bytes(b"dear sir")

    assert not is_archive(tmp_path / "letter")
    with pytest.raises(StoreError, match="no backup"):
        Archive(tmp_path / "letter")
    with pytest.raises(StoreError, match="cannot be read"):
        is_archive(tmp_path / "none")


def test_newer_format_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"format 1\n", b"format 2\n"))

    with pytest.raises(StoreError, match="another version"):
        Archive(path)


def test_row_that_is_not_known_is_refused_and_more_in_a_known_one_is_not(path: Path) -> None:
    sound = path.read_bytes()
    head = sound[: sound.index(b"redis") + len(b"redis")]  # the head's last word

    def sealed(*rows: list[object]) -> bytes:
        data = head
        for row in (*rows, ["end", len(rows)]):
            body = msgspec.msgpack.encode(row)
            data += len(body).to_bytes(4, "big") + body
        return data + hashlib.sha256(data).digest()

    more, unknown = sealed(["fact", b"k", b"v", None, "later"]), sealed(["poem", b"k"])

    path.write_bytes(more)
    assert list(Archive(path).rows()) == [Written(b"k", b"v", None)]
    path.write_bytes(unknown)
    with pytest.raises(StoreError, match="cannot read"):
        Archive(path)
