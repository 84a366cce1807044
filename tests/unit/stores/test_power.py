"""What was answered survives a power cut: it is on the disk by then, with everything before it."""

from __future__ import annotations

import asyncio
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gateway.abc.store import Commit, Entry, Fact
from gateway.stores.sqlite import SqliteStore, writer

BOT = "support"


@dataclass(slots=True)
class _Disk:
    """Keeps what is on the disk each time that it was awaited, and what had been answered by the next.

    Attributes:
        answered: What callers were told is kept, in order.
        cuts: A copy of the files, and how much had been answered when the next write reached the disk: had
            the power gone in between, the copy is all there is.
    """

    file: Path
    folder: Path
    answered: list[str] = field(default_factory=list[str])
    cuts: list[tuple[Path, int]] = field(default_factory=list[tuple[Path, int]])

    def wait(self, _: int) -> None:
        if self.cuts:
            self.cuts[-1] = (self.cuts[-1][0], len(self.answered))
        copy = self.folder / f"{len(self.cuts)}" / self.file.name
        copy.parent.mkdir(parents=True)
        for end in ("", "-wal"):
            shutil.copyfile(f"{self.file}{end}", f"{copy}{end}")
        self.cuts.append((copy, 0))


async def _talk(store: SqliteStore, disk: _Disk, person: int) -> None:
    """Accept, claim and end messages, and write down what was promised."""
    chance = random.Random(person)  # noqa: S311  # the same each time, no secret
    lane = f"{BOT}/{person}"
    for number in range(6):
        name = f"{person}/{number}"
        await store.put([Entry(BOT, lane, (name,), b"x" * chance.randrange(3000), 1.0)])
        disk.answered.append(f"key {name}")
        (claim,) = await store.claim("w", bots=[BOT], limit=1, lease=30.0) or (None,)
        if claim is None:
            continue
        await asyncio.sleep(chance.random() / 500)
        await store.commit(claim, Commit(facts=(Fact(f"done {claim.entry}", b"1"),)))
        disk.answered.append(f"done {claim.entry}")


@pytest.mark.parametrize("changes", [2_000, 40])  # the log is worked into the file never, and all the time
async def test_what_was_answered_is_there_after_a_power_cut_at_any_instant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int
) -> None:
    disk = _Disk(tmp_path / "store.db", tmp_path / "cuts")
    monkeypatch.setattr(writer, "_CHANGES", changes)
    monkeypatch.setattr(writer, "_PAGES", changes)
    store = SqliteStore(disk.file)
    await store.open()
    monkeypatch.setattr(writer, "_fdatasync", disk.wait)
    await asyncio.gather(*(_talk(store, disk, person) for person in range(8)))
    await store.close()

    assert len(disk.cuts) > 10
    for copy, count in disk.cuts[:-1]:
        after = SqliteStore(copy)
        await after.open()
        for promised in disk.answered[:count]:
            kind, _, name = promised.partition(" ")
            if kind == "key":
                again = [Entry(BOT, f"{BOT}/again", (name,), b"", 1.0)]
                assert await after.put(again) == (False,), promised
            else:
                assert await after.get(promised) == b"1", promised
        await after.close()
