"""The folder on the disk: what is read from it and written into it. Everything here blocks."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import threading
from collections.abc import Generator
from pathlib import Path

from gateway.errors import Conflict, DeadTarget

from .inbound import NAME
from .render import BUTTON

__all__ = ["Folder"]

_MESSAGE = re.compile(r"\d{3,}\.md")
_MOST, _LARGEST = 100, 1_000_000  # messages of one commit; bytes of one message


class Folder:
    """An inbox for everybody, and for each chat a folder of numbered answers."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._writing = threading.Lock()  # held by a thread, which goes on when a send is cancelled

    @contextlib.contextmanager
    def alone(self) -> Generator[None]:
        """Read the inbox as the only process; another one is a `Conflict`."""
        for name in ("inbox", "outbox", "files"):
            (self.root / name).mkdir(exist_ok=True)
        with (self.root / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(
                    f"another process reads {self.root}: stop it, or take another folder"
                ) from None
            yield

    def dropped(self) -> dict[str, tuple[bytes, float]]:
        """The oldest messages with their times; one that may not be read stays where it is."""
        paths = [path for path in (self.root / "inbox").iterdir() if path.match("[!.]*.json")]
        found: dict[str, tuple[bytes, float]] = {}
        for path in sorted(paths, key=lambda path: (path.lstat().st_mtime_ns, path.name)):
            with contextlib.suppress(OSError):
                found[path.name] = self.load(f"inbox/{path.name}", _LARGEST), path.stat().st_mtime
            if len(found) == _MOST:
                break
        return found

    def load(self, name: str, most: int) -> bytes:
        """So many bytes of a plain file; a link would lead out of here, a pipe would never end."""
        descriptor = os.open(self.root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(most)
        raise FileNotFoundError(name)

    def post(self, chat: str, head: str, text: str, *, replaces: str = "") -> Path:
        """Write a message, unless one that begins with the same line is there already."""
        with self._writing:
            messages = [path for path in self._chat(chat).iterdir() if _MESSAGE.fullmatch(path.name)]
            messages.sort(key=lambda path: int(path.stem), reverse=True)
            for path in messages:
                if path.read_text("utf-8").startswith(f"{head}\n"):
                    return path
            number = int(messages[0].stem) + 1 if messages else 1
            return self.write(chat, replaces or f"{number:03d}.md", f"{head}\n{text}\n")

    def disarm(self, chat: str, name: str) -> None:
        """Take the buttons out of a message."""
        with self._writing:
            lines = (self._chat(chat) / name).read_text("utf-8").split("\n")
            self.write(chat, name, "\n".join(line for line in lines if not line.startswith(BUTTON)))

    def write(self, chat: str, name: str, text: str) -> Path:
        """Write a file that is there as a whole or not at all."""
        path = self._chat(chat) / name
        half = path.with_name(f".{name}.half")
        try:
            with half.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            return half.replace(path)
        finally:
            with contextlib.suppress(OSError):
                half.unlink()

    def delete(self, chat: str, name: str) -> None:
        """Remove a file of a chat, if it is there."""
        (self._chat(chat) / name).unlink(missing_ok=True)

    def _chat(self, chat: str) -> Path:
        if not NAME.fullmatch(chat):  # somebody wrote it into a configuration; it leads nowhere else
            raise DeadTarget("no chat can be called so", status="name")
        folder = self.root / "outbox" / chat
        folder.mkdir(exist_ok=True)
        return folder
