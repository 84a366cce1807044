"""The file itself: who holds it, and connections to it."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import time
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Literal

from gateway.errors import StoreError, StoreLocked
from gateway.stores.sqlite import schema

__all__ = [
    "FileLock",
    "Synchronous",
    "connect",
    "connect_to_read",
    "copy",
    "examine",
    "kept_before",
    "replace",
]

Synchronous = Literal["FULL", "NORMAL"]

_CACHE = 16 * 1024  # KiB of pages a connection keeps in memory
_STATEMENTS = 256  # prepared statements a connection keeps
_PATIENCE = 5.0  # seconds to wait for a foreign tool that holds SQLite's own lock
_WAL_LIMIT = 64 * 1024 * 1024  # bytes the write-ahead log is cut back to


class FileLock:
    """The claim of one process to a store's file; the kernel drops it when the process dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock beside the file, and write down who holds it.

        Raises:
            StoreLocked: Another gateway holds it.
            StoreError: The folder cannot be written.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise StoreError(f"store {str(self._path)!r} cannot be written: {exc.strerror}") from exc
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise StoreLocked(
                f"store {str(self._path)!r} is held by process {holder or 'unknown'}; one gateway per file:"
                " stop that one, or name another file under `store:`"
            ) from exc
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def drop(self) -> None:
        """Let the file go; the lock file stays, for two processes could hold one each if it were removed."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def connect(path: Path) -> sqlite3.Connection:
    """The connection that writes, on a file of this version's schema.

    It waits for the disk only where the file could be damaged else, and leaves the log alone: both are the
    writer's.

    Raises:
        StoreError: The file cannot be written, is damaged, or is not ours.
    """
    with _explained(path, "opened"), ExitStack() as undo:
        # Conversations are private: SQLite gives its side files the same mode.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        db = undo.enter_context(closing(_open(str(path), uri=False)))
        version = schema.check(db, name=str(path))
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
        db.execute("PRAGMA secure_delete = ON")  # what is forgotten leaves no bytes in free pages
        if 0 < version < schema.VERSION:
            _keep_before(db, path, version)
        schema.migrate(db, name=str(path))
        _free_leases(db)
        undo.pop_all()
        return db


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, beside the gateway that holds the file or without one.

    Raises:
        StoreError: The file is missing, damaged, of another schema, or not ours.
    """
    if not path.exists():
        raise StoreError(f"store {str(path)!r} does not exist yet: run the gateway first")
    with _explained(path, "read"), ExitStack() as undo:
        db = undo.enter_context(closing(_open(f"{path.absolute().as_uri()}?mode=ro", uri=True)))
        version = schema.check(db, name=str(path))
        if version < schema.VERSION:
            raise StoreError(
                f"store {str(path)!r} has an older schema ({version}); run the gateway once to renew it"
            )
        undo.pop_all()
        return db


@contextmanager
def _explained(path: Path, what: str) -> Generator[None, None, None]:
    """Say of a failure which file it was and what to do."""
    try:
        yield
    except (OSError, sqlite3.Error) as exc:
        able = isinstance(exc, OSError | sqlite3.OperationalError)
        advice = "check the folder's owner, mode and free space" if able else "put a copy in its place"
        raise StoreError(f"store {str(path)!r} cannot be {what}: {exc}; {advice}") from exc


def _open(name: str, *, uri: bool) -> sqlite3.Connection:
    """A connection that leaves transactions to us; one thread opens it, another may close it."""
    db = sqlite3.connect(
        name,
        uri=uri,
        timeout=_PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS,
    )
    try:
        db.execute(f"PRAGMA cache_size = -{_CACHE}")
    except sqlite3.Error:
        db.close()  # the file may turn out to be no database at the first look
        raise
    return db


def _free_leases(db: sqlite3.Connection) -> None:
    """Free what an earlier version had leased: the file is ours alone, so nobody can be at work on it."""
    for lanes in ("lanes", "outboxes"):
        db.execute(
            f"UPDATE {lanes} SET hold = 0, token = NULL, worker = '' WHERE token IS NOT NULL"  # noqa: S608  # the names are ours
        )


def kept_before(path: Path, version: int) -> Path:
    """Where a file's copy is kept that was made before it was brought on from a schema."""
    return path.with_name(f"{path.name}.schema-{version}")


def _keep_before(db: sqlite3.Connection, path: Path, version: int) -> None:
    """Copy the file before it is changed, so that the version that wrote it can go on with it.

    Raises:
        StoreError: There is no room for it.
    """
    needed, free = path.stat().st_size, shutil.disk_usage(path.parent).free
    if free < needed * 2:
        raise StoreError(
            f"store {str(path)!r} must be renewed (schema {version} to {schema.VERSION}), and a copy is kept"
            f" of it: {needed * 2} bytes are needed beside it, {free} are free"
        )
    _write_copy(db, kept_before(path, version))


def copy(source: Path, target: Path) -> None:
    """Copy a live file to a new one; the copy is complete or not there.

    Raises:
        StoreError: The target exists already or cannot be written.
    """
    if target.exists():
        raise StoreError(f"backup {str(target)!r} exists already; name a new file")
    with closing(connect_to_read(source)) as live:
        _write_copy(live, target)


def _write_copy(live: sqlite3.Connection, target: Path) -> None:
    """Copy what a connection sees to a file; it is complete, on the disk and sound, or not there.

    Raises:
        StoreError: It cannot be written.
    """
    partial = target.with_name(f"{target.name}.partial")
    try:
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        with closing(_open(str(partial), uri=False)) as written:
            live.backup(written)
            written.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
        _flush(partial)
        partial.replace(target)
        _flush(target.parent)
    except (OSError, sqlite3.Error) as exc:
        told = exc.strerror if isinstance(exc, OSError) else exc
        raise StoreError(f"backup {str(target)!r} cannot be written: {told}") from exc
    finally:
        with suppress(OSError):
            partial.unlink()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def examine(path: Path) -> int:
    """The schema version of a file that may take a store's place.

    Raises:
        StoreError: It is missing, damaged, not ours, or of a newer version.
    """
    if not path.is_file():
        raise StoreError(f"backup {str(path)!r} does not exist")
    with _explained(path, "read"), closing(_open(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        version = schema.check(db, name=str(path))
        found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if not version or found != "ok":
            raise StoreError(f"backup {str(path)!r} is no sound store: {found if version else 'it is empty'}")
        return version


def replace(path: Path, source: Path) -> Path | None:
    """Put a backup in the place of a store that nobody holds; what was there is kept beside it.

    Returns:
        Where the replaced file is now; `None` where there was none.

    Raises:
        StoreLocked: A gateway holds the store.
        StoreError: The backup is not sound, or cannot be copied.
    """
    examine(source)
    lock = FileLock(path)
    lock.take()
    try:
        fresh = path.with_name(f"{path.name}.restored")
        with (
            _explained(source, "read"),
            closing(_open(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as db,
        ):
            _write_copy(db, fresh)
        aside = _put_aside(path)
        fresh.replace(path)
        _flush(path.parent)
    finally:
        lock.drop()
    return aside


def _put_aside(path: Path) -> Path | None:
    """Keep a store under another name, whole: what its write-ahead log holds is in it first."""
    if not path.exists():
        return None
    stamp = f"{time.strftime('%Y%m%dT%H%M%S')}-{time.time_ns() % 10**9:09d}"
    aside = path.with_name(f"{path.name}.before-restore-{stamp}")
    with (
        suppress(sqlite3.Error),
        closing(_open(str(path), uri=False)) as db,
    ):  # it may be damaged: then as it is
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for end in ("-wal", "-shm"):
        beside = path.with_name(f"{path.name}{end}")
        if beside.exists():
            beside.replace(aside.with_name(f"{aside.name}{end}"))
    try:
        os.link(path, aside)  # both names until the backup takes the first: a store is there at any instant
    except OSError:  # a file system without links
        path.replace(aside)
    return aside
