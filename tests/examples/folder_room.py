"""A person with a folder, as the exam for adapters needs one."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from gateway.abc.adapter import Adapter
from gateway.messages import Action, Place
from gateway.testing.adapters import AdapterFault
from tests.examples.folder_platform.lastword_folder.adapter import create
from tests.examples.folder_platform.lastword_folder.options import Options
from tests.examples.folder_platform.lastword_folder.render import BUTTON, MARK

__all__ = ["FolderRoom", "answers", "button", "drop", "read_by_a_person"]

_UNREADABLE = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff",
    b"[" * 9999,
    b'{"chat": "../..", "text": "out"}',
    b'{"chat": 5}',
)


def drop(root: Path, name: str, **said: object) -> None:
    """Drop a file as the README asks for it: under another name first."""
    half = root / "inbox" / f".{name}"
    half.write_text(json.dumps(said), "utf-8")
    half.replace(root / "inbox" / name)


def answers(root: Path, chat: str) -> list[Path]:
    """The answers in a chat, oldest first."""
    return sorted((root / "outbox" / chat).glob("*.md"), key=lambda path: int(path.stem))


def button(path: Path, label: str = "") -> str:
    """What stands behind a button of an answer; empty for no such button."""
    found = re.search(rf"^{BUTTON}{label or '.*'}: (\S+)$", path.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else ""


def read_by_a_person(path: Path) -> str:
    """The answer without its first line, its buttons and the bar before what the gateway says."""
    lines = path.read_text("utf-8").split("\n")[1:]
    return "\n".join(line.removeprefix(MARK) for line in lines if not line.startswith(BUTTON)).strip()


class FolderRoom:
    """One folder and one person; see `AdapterHarness`."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.adapter: Adapter = create(Options(folder=root, look_every=0.05), bot="desk")
        self.place = Place("ann")
        self.secret = ""
        self._patch = patch
        self._numbers = count(1)
        self._said = ""
        self._name = ""
        for name in ("inbox", "outbox"):
            (root / name).mkdir()

    async def say(self, text: str) -> None:
        self._said, self._name = text, f"{next(self._numbers)}.json"
        await self.say_again()

    async def say_again(self) -> None:
        drop(self.root, self._name, chat="ann", text=self._said)

    async def edit(self, text: str) -> None:
        drop(self.root, f"{next(self._numbers)}.json", chat="ann", edits=self._name, text=text)

    async def attach(self, name: str, content: bytes) -> None:
        files = self.root / "files"
        files.mkdir(exist_ok=True)
        (files / name).write_bytes(content)
        drop(self.root, f"{next(self._numbers)}.json", chat="ann", files=[name])

    async def press(self, action: Action) -> None:
        path = next(path for path in reversed(answers(self.root, "ann")) if button(path, action.label))
        token = button(path, action.label)
        drop(self.root, f"{next(self._numbers)}.json", chat="ann", press=token, on=path.name)

    async def echo(self) -> None:
        raise AssertionError("an inbox holds only what people drop")

    async def confuse(self) -> None:
        inbox = self.root / "inbox"
        for number, raw in enumerate(_UNREADABLE):
            (inbox / f"odd{number}.json").write_bytes(raw)
        (inbox / "folder.json").mkdir()
        (inbox / "link.json").symlink_to("/etc/hostname")
        os.mkfifo(inbox / "pipe.json")

    async def shown(self) -> Sequence[str]:
        return [read_by_a_person(path) for path in answers(self.root, "ann")]

    async def offered(self) -> Sequence[str]:
        texts = [path.read_text("utf-8") for path in answers(self.root, "ann")]
        return [label for text in texts for label in re.findall(rf"^{BUTTON}(.*): \S+$", text, re.MULTILINE)]

    def acknowledged(self) -> bool:
        return not list((self.root / "inbox").glob("*.json"))

    def fail(self, fault: AdapterFault) -> None:
        if fault == "dead_target":
            (self.root / "outbox" / "ann").touch()
        elif fault == "unreachable":
            (self.root / "outbox").rmdir()
        elif fault == "rejected":
            self.break_disk(errno.EFBIG)
        elif fault == "lost":
            self.break_disk(errno.EIO)
        else:
            assert fault == "taken"
            self._patch.setattr(Path, "replace", _replaced_and_broken)

    def break_disk(self, number: int) -> None:
        """Let every write fail from now on, the way disks fail: late."""

        def fsync(_: int) -> None:
            raise OSError(number, os.strerror(number))

        self._patch.setattr(os, "fsync", fsync)


def _replaced_and_broken(path: Path, target: Path) -> None:
    path.rename(target)
    raise OSError(errno.EIO, os.strerror(errno.EIO))
