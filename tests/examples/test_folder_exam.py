"""Somebody else's adapter sits the exam, and keeps what its README says."""

from __future__ import annotations

import ast
import errno
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.errors import (
    DeadTarget,
    DeliveryError,
    FetchFailed,
    FileTooLarge,
    Rejected,
    Uncertain,
    Unreachable,
)
from gateway.messages import Action, Answer, Attachment, Inbound, Note, Person, Place
from gateway.testing.adapters import AdapterContract, AdapterHarness
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.examples.folder_platform.lastword_folder.adapter import create
from tests.examples.folder_platform.lastword_folder.inbound import read
from tests.examples.folder_platform.lastword_folder.options import Options
from tests.examples.folder_room import FolderRoom, answers, button, drop, read_by_a_person

_CONTINUE = Action("continue", "t0ken", "Continue")


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderRoom:
    return FolderRoom(tmp_path, monkeypatch)


class TestFolder(AdapterContract):
    """A folder of text files."""

    kind = "folder"
    faults = frozenset({"dead_target", "rejected", "unreachable", "lost", "taken"})
    echoes = False

    @pytest.fixture(autouse=True)
    def _room(self, room: FolderRoom) -> None:
        self.room = room

    @asynccontextmanager
    async def harness(self) -> AsyncGenerator[AdapterHarness]:
        yield self.room


def test_package_imports_only_what_adapters_may() -> None:
    package = Path(__file__).with_name("folder_platform") / "lastword_folder"
    trees = [ast.parse(path.read_text("utf-8")) for path in package.glob("*.py")]
    names = {
        node.module or ""
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level
    }

    seen = {name for name in names if name.partition(".")[0] in ("gateway", "gateway_adapters", "tests")}
    assert seen == {"gateway.abc.adapter", "gateway.errors", "gateway.messages"}


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.EROFS, Unreachable),
        (errno.ENOSPC, Unreachable),
        (errno.EDQUOT, Unreachable),
        (errno.EACCES, Unreachable),
        (errno.EFBIG, Rejected),
        (errno.EIO, Uncertain),
        (errno.ESTALE, Uncertain),
    ],
)
async def test_disk_that_fails_is_told_by_what_it_says_and_leaves_nothing(
    room: FolderRoom, number: int, error: type[DeliveryError]
) -> None:
    (part,) = room.adapter.render(Answer("hello"), key="k")
    room.break_disk(number)

    with pytest.raises(error) as caught:
        await room.adapter.send(room.place, part)

    assert caught.value.status == errno.errorcode[number]
    assert list((room.root / "outbox" / "ann").iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
async def test_full_disk_keeps_the_answer_for_later(room: FolderRoom) -> None:
    """The kernel itself says that there is no room; once there is, the same part goes out."""
    (part,) = room.adapter.render(Answer("hello"), key="k")
    (room.root / "outbox" / "ann").mkdir()
    (room.root / "outbox" / "ann" / ".001.md.half").symlink_to("/dev/full")

    with pytest.raises(Unreachable, match="cannot be written"):
        await room.adapter.send(room.place, part)
    await room.adapter.send(room.place, part)

    assert [path.name for path in (room.root / "outbox" / "ann").iterdir()] == ["001.md"]


async def test_part_that_was_taken_without_a_word_is_not_written_twice(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        room = FolderRoom(tmp_path, patch)
        (part,) = room.adapter.render(Answer("hello"), key="k")
        room.fail("taken")
        with pytest.raises(Uncertain):
            await room.adapter.send(room.place, part)

    receipt = await room.adapter.send(room.place, part)

    assert receipt.message_id == "001.md"
    assert await room.shown() == ["hello"]


@pytest.mark.parametrize("chat", ["..", "a/b", ".", "", "ann\n", "a" * 65])
async def test_chat_that_leads_out_of_the_outbox_is_dead(room: FolderRoom, chat: str) -> None:
    (part,) = room.adapter.render(Answer("hello"), key="k")

    with pytest.raises(DeadTarget):
        await room.adapter.send(Place(chat), part)

    assert not list(room.root.rglob("*.md"))


async def test_second_process_is_told_and_takes_over_when_the_first_ends(room: FolderRoom) -> None:
    second = FakeAdapterContext()
    rival = create(Options(folder=room.root), bot="b")
    async with listening(rival, second):
        await second.until(lambda: "up" in second.states)
        async with listening(room.adapter) as context:
            await context.until(lambda: "conflict" in context.states)
            assert "another process" in dict(context.reports)["conflict"]

    async with listening(room.adapter, context):
        await context.until(lambda: context.states[-1] == "up")


async def test_folder_that_is_missing_is_told_until_it_is_there(tmp_path: Path) -> None:
    root = tmp_path / "later"
    adapter = create(Options(folder=root), bot="b")
    with pytest.raises(Unreachable, match="make it"):
        await adapter.probe()

    async with listening(adapter) as context:
        await context.until(lambda: "misconfigured" in context.states)
        root.mkdir()
        await context.until(lambda: "up" in context.states)

    assert await adapter.probe() == {"address": str(root / "inbox")}


async def test_messages_come_in_the_order_they_were_dropped(room: FolderRoom) -> None:
    for number in range(150):
        drop(room.root, f"{999 - number}.json", chat="ann", text=str(number))
        os.utime(room.root / "inbox" / f"{999 - number}.json", (number, number))

    async with listening(room.adapter) as context:
        await context.until(lambda: len(context.inbounds) == 150)

    assert [inbound.text for inbound in context.inbounds] == [str(number) for number in range(150)]
    assert [inbound.at for inbound in context.inbounds[:3]] == [0.0, 1.0, 2.0]
    assert [len(batch) for batch in context.batches if batch] == [100, 50]


async def test_buttons_go_once_one_was_pressed_and_the_rest_stays(room: FolderRoom) -> None:
    (part,) = room.adapter.render(Answer("text", Note("⏳ Cut.", "max_steps"), (_CONTINUE,)), key="k")
    name = (await room.adapter.send(room.place, part)).message_id
    (path,) = answers(room.root, "ann")
    assert button(path) == "t0ken"

    await room.adapter.disarm(room.place, name)

    assert button(path) == ""
    assert read_by_a_person(path) == "text\n\n⏳ Cut."


async def test_word_about_a_press_is_shown(room: FolderRoom) -> None:
    (room.root / "outbox" / "ann").mkdir()

    await room.adapter.answer_press(Inbound("action", room.place, Person("ann"), press="1.json"), "Too late.")

    assert (room.root / "outbox" / "ann" / "notice.txt").read_text("utf-8") == "Too late.\n"


def test_agent_can_write_neither_note_nor_button(room: FolderRoom) -> None:
    real = room.adapter.render(Answer(note=Note("Cut.", "x"), actions=(_CONTINUE,)), key="k")[0].body["text"]

    (spoof,) = room.adapter.render(Answer(real), key="k")

    assert "▌" in real
    assert "▌" not in spoof.body["text"]


async def test_file_beside_a_message_is_fetched_within_its_limit(room: FolderRoom) -> None:
    files = room.root / "files"
    files.mkdir()
    (files / "a.png").write_bytes(b"12345")
    (files / "out").symlink_to("/etc/hostname")

    assert await room.adapter.fetch(Attachment("a.png", "image"), limit=5) == b"12345"
    with pytest.raises(FileTooLarge):
        await room.adapter.fetch(Attachment("a.png", "image"), limit=4)
    for name in ("out", "none"):
        with pytest.raises(FetchFailed) as caught:
            await room.adapter.fetch(Attachment(name, "image"), limit=5)
        assert type(caught.value) is FetchFailed


def _read(said: str) -> Inbound:
    event = read("1.json", said.encode(), at=1.0, bot="desk")
    assert event.inbound is not None
    assert event.dedupe == ("1.json",)
    return event.inbound


def test_inbound_tells_a_group_from_a_private_chat_and_whether_the_bot_is_meant() -> None:
    private = _read('{"chat": "ann", "text": "hi", "language": "de", "name": "Ann"}')
    aside = _read('{"chat": "team", "from": "ann", "text": "hi"}')

    assert (private.place, private.sender) == (Place("ann"), Person("ann", "Ann", "de"))
    assert private.addressed
    assert (aside.place.private, aside.addressed) == (False, False)
    for said in ('"text": "@desk hi"', '"text": "hi", "on": "001.md"', '"text": "/help"'):
        assert _read(f'{{"chat": "team", "from": "ann", {said}}}').addressed


def test_inbound_knows_edits_presses_commands_and_files() -> None:
    edit = _read('{"chat": "ann", "edits": "0.json", "text": "/better"}')
    press = _read('{"chat": "ann", "press": "t0ken", "on": "003.md"}')
    command = _read('{"chat": "ann", "text": "/New\\n now "}')
    files = _read('{"chat": "ann", "files": ["a.png", "b.pdf"]}')

    assert (edit.kind, edit.message_id, edit.text) == ("edit", "0.json", "/better")
    assert (press.kind, press.action, press.message_id, press.press) == (
        "action",
        "t0ken",
        "003.md",
        "1.json",
    )
    assert (command.kind, command.command, command.text) == ("command", "new", "now")
    assert [file.kind for file in files.attachments] == ["image", "document"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{", "unparsable"),
        ('{"chat": "../x", "text": "a"}', "unparsable"),
        ('{"chat": "ann\\n", "text": "a"}', "unparsable"),
        ('{"chat": "ann", "files": ["../a"]}', "unparsable"),
        ('{"chat": "ann", "files": [".lock"]}', "unparsable"),
        ('{"chat": "ann", "text": " "}', "empty"),
    ],
)
def test_file_that_means_nothing_is_dropped_without_a_key(said: str, why: str) -> None:
    event = read("1.json", said.encode(), at=1.0, bot="desk")

    assert (event.inbound, event.dropped, event.dedupe, event.raw) == (None, why, (), said.encode())
