"""A file of rows: whole or not there, and known to be as it was written.

It begins with a line that names it and its format. Then come frames, each as four bytes of length and so many
of MessagePack: a head, the rows, and how many they were; and at the end the SHA-256 of everything before.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from gateway.errors import StoreError
from gateway.stores.portable.rows import Row

__all__ = ["Archive", "is_archive", "write_archive"]

_NAME = b"Lastword store, format "
_FORMAT = 1  # of the file; a row with more fields is read by older versions, which leave them out
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 4
_LONGEST = 1 << 30  # bytes of one frame; a store takes no body that is as long
_BUFFER = 1 << 20  # bytes that are gathered before the disk gets them


class _Head(msgspec.Struct, frozen=True):
    """What stands before the rows.

    Attributes:
        made: When it was begun, unix seconds.
        store: The kind of store that it was made from.
    """

    made: float
    store: str


class _End(msgspec.Struct, frozen=True, array_like=True, tag="end"):
    """What stands after the rows: how many they were."""

    rows: int


_encoder = msgspec.msgpack.Encoder()
_heads = msgspec.msgpack.Decoder(_Head)
_rows: msgspec.msgpack.Decoder[Row | _End] = msgspec.msgpack.Decoder(Row | _End)


def is_archive(path: Path) -> bool:
    """Whether a file says that it is one.

    Raises:
        StoreError: It cannot be read.
    """
    with _explained(path, "read"), path.open("rb") as file:
        return file.read(len(_NAME)) == _NAME


async def write_archive(path: Path, rows: AsyncIterable[Row], *, store: str, made: float) -> int:
    """Write rows to a new file, which nobody else may read; how many they were.

    Raises:
        StoreError: The file exists, or cannot be written; nothing is left of it.
    """
    await asyncio.to_thread(_refuse_known, path)
    partial = path.with_name(f"{path.name}.partial")
    with _explained(path, "written"):
        try:
            with _begun(partial) as file:
                count = await _write(file, rows, _Head(made, store))
                await asyncio.to_thread(os.fsync, file.fileno())
            await asyncio.to_thread(_in_place, partial, path)
        finally:
            with suppress(OSError):
                partial.unlink()
    return count


def _refuse_known(path: Path) -> None:
    if path.exists():
        raise StoreError(f"backup {str(path)!r} exists already; name a new file")


@contextmanager
def _begun(path: Path) -> Generator[BinaryIO, None, None]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb", buffering=_BUFFER) as file:
        yield file
        file.flush()


async def _write(file: BinaryIO, rows: AsyncIterable[Row], head: _Head) -> int:
    digest = hashlib.sha256()

    def put(data: bytes) -> None:
        digest.update(data)
        file.write(data)

    put(_NAME + b"%d\n" % _FORMAT)
    put(_frame(head))
    count = 0
    async for row in rows:
        put(_frame(row))
        count += 1
    put(_frame(_End(count)))
    file.write(digest.digest())
    file.flush()
    return count


def _frame(value: msgspec.Struct) -> bytes:
    body = _encoder.encode(value)
    return len(body).to_bytes(_LENGTH, "big") + body


def _in_place(partial: Path, path: Path) -> None:
    try:
        os.link(partial, path)  # unlike a rename it takes nobody's place
    except FileExistsError:
        raise StoreError(f"backup {str(path)!r} exists already; name a new file") from None
    except OSError:  # a file system without links
        partial.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class Archive:
    """A file of rows, looked through once before any is given away.

    Attributes:
        made: When it was begun, unix seconds.
        store: The kind of store that it was made from.
        count: How many rows there are.

    Raises:
        StoreError: It is missing, damaged, incomplete, or of a newer version.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _explained(path, "read"):
            self._check()
            with path.open("rb") as file:
                head, self._first = self._head(file)
        self.made, self.store = head.made, head.store
        self.count = sum(1 for _ in self.rows())

    def rows(self) -> Iterator[Row]:
        """The rows, in their order.

        Raises:
            StoreError: It is not what it was.
        """
        count = 0
        with _explained(self._path, "read"), self._path.open("rb") as file:
            file.seek(self._first)
            while not isinstance(row := _rows.decode(self._frame(file)), _End):
                count += 1
                yield row
            if row.rows != count:
                raise self._damaged()

    def _check(self) -> None:
        left = self._path.stat().st_size - _DIGEST
        digest = hashlib.sha256()
        with self._path.open("rb") as file:
            name = file.readline(len(_NAME) + 20)
            if not name.startswith(_NAME):
                raise StoreError(f"{str(self._path)!r} is no backup of Lastword's")
            if name != _NAME + b"%d\n" % _FORMAT:
                raise StoreError(
                    f"backup {str(self._path)!r} was written by another version (format"
                    f" {name.removeprefix(_NAME).decode('ascii', 'replace').strip()},"
                    f" this one reads {_FORMAT}); restore it with that version"
                )
            file.seek(0)
            while left > 0 and (block := file.read(min(left, _BUFFER))):
                digest.update(block)
                left -= len(block)
            if file.read() != digest.digest():
                raise self._damaged()

    def _head(self, file: BinaryIO) -> tuple[_Head, int]:
        file.readline()
        return _heads.decode(self._frame(file)), file.tell()

    def _frame(self, file: BinaryIO) -> bytes:
        length = int.from_bytes(file.read(_LENGTH), "big")
        if not 0 < length <= _LONGEST or len(body := file.read(length)) != length:
            raise self._damaged()
        return body

    def _damaged(self) -> StoreError:
        return StoreError(f"backup {str(self._path)!r} is damaged or not complete; take another copy of it")


@contextmanager
def _explained(path: Path, what: str) -> Generator[None, None, None]:
    """Say of a failure which file it was."""
    try:
        yield
    except OSError as exc:
        raise StoreError(f"backup {str(path)!r} cannot be {what}: {exc.strerror or exc}") from exc
    except msgspec.MsgspecError as exc:
        raise StoreError(
            f"backup {str(path)!r} cannot be {what}: it holds what this version cannot read"
        ) from exc
