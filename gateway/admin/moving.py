"""Backups of a store, whichever it is, and their way into this one or another."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gateway.ownership import LEASES, PREFIX
from gateway.stores.portable import Archive, Row, Written, is_archive, write_archive
from gateway.stores.sqlite.file import FileLock, examine, replace
from gateway.stores.sqlite.moving import made_of, read_rows

__all__ = ["examine_backup", "export_server", "restore_file", "restore_server"]


async def export_server(url: str, *, base: Path, target: Path) -> int:
    """Write everything that a server keeps of a store to a new file, while gateways use it; how many rows.

    Raises:
        StoreError: The server cannot be used, or the file cannot be written; nothing is left of it.
    """
    from gateway.stores.redis.address import parse
    from gateway.stores.redis.exporting import exported

    rows = exported(parse(url, base=base))
    return await write_archive(target, rows, store="redis", made=time.time())


def examine_backup(source: Path) -> str:
    """What a backup is, in a few words.

    Raises:
        StoreError: It cannot be restored.
    """
    if not source.is_file() or not is_archive(source):
        return f"schema {examine(source)}"
    archive = Archive(source)
    made = time.strftime("%Y-%m-%d %H:%M", time.localtime(archive.made))
    return f"{archive.count} rows of {made}"


def restore_file(path: Path, source: Path) -> Path | None:
    """Put a backup of any store in the place of a file; where the file is now that was there.

    Raises:
        StoreLocked: A gateway holds the store.
        StoreError: The backup is not sound, or cannot be written.
    """
    if not source.is_file() or not is_archive(source):
        return replace(path, source)
    lock = FileLock(path)
    lock.take()  # told before anything is made; it is taken again when the file takes its place
    lock.drop()
    with made_of(_lasting(Archive(source).rows()), beside=path) as made:
        return replace(path, made)


async def restore_server(url: str, *, base: Path, source: Path, anew: bool) -> None:
    """Put a backup of any store in the place of what a server keeps.

    Args:
        url: Where the server is.
        base: The folder that relative paths start from.
        source: The backup.
        anew: Whether what is there may go.

    Raises:
        StoreError: The backup is not sound, gateways use the store, or the server goes away; then it is to be
            begun again.
    """
    from gateway.stores.redis.address import parse
    from gateway.stores.redis.restoring import restore

    with _rows_of(source) as rows:
        await restore(parse(url, base=base), _lasting(rows), leases=LEASES, replace=anew)


@contextmanager
def _rows_of(source: Path) -> Generator[Iterator[Row], None, None]:
    if source.is_file() and is_archive(source):
        yield Archive(source).rows()
    else:
        with read_rows(source) as rows:
            yield rows


def _lasting(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows without what processes told each other of themselves: they are not those of today."""
    own = PREFIX.encode()
    return (row for row in rows if not (isinstance(row, Written) and row.key.startswith(own)))
