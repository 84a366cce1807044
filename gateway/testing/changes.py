"""The part of an adapter's exam about what belongs to a message: its edits, its files, its buttons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from gateway.errors import FetchFailed, FileTooLarge
from gateway.messages import Action, Answer, Attachment
from gateway.testing.harness import AdapterHarness
from gateway.testing.watching import listening, meaningful

__all__ = ["ChangesContract"]

_ACTION = Action("continue", "t" * 48, "Continue")
_FILE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


class ChangesContract(ABC):
    """What the gateway relies on once a message stands there.

    Attributes:
        edits: Whether people may change what they wrote.
        files: Whether people may send files.
        disarms: Whether buttons stay until `disarm`; a page of our own may take them off by itself.
    """

    edits: bool = True
    files: bool = True
    disarms: bool = True

    @abstractmethod
    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        """A platform of its own for one test."""

    async def test_edit_is_told_as_one_of_the_same_message(self) -> None:
        """With keys of its own, so that it is not taken for the message come twice."""
        if not self.edits:
            pytest.skip("on this platform nobody can change what they wrote")
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.say("helo")
            await context.until(lambda: context.inbounds)
            await platform.edit("/hello")
            await context.until(lambda: len(context.inbounds) == 2)

        said, edit = context.inbounds
        first, second = meaningful(context)
        assert (edit.kind, edit.text, edit.command) == ("edit", "/hello", "")
        assert (edit.message_id, edit.place, edit.sender.id) == (said.message_id, said.place, said.sender.id)
        assert not set(first.dedupe) & set(second.dedupe)

    async def test_file_is_fetched_whole_and_no_more_than_is_taken(self) -> None:
        """A file of just the size is taken; of a larger one nothing is kept."""
        if not self.files:
            pytest.skip("on this platform nobody can send a file")
        async with self._platform() as platform, listening(platform.adapter) as context:
            await platform.attach("picture.png", _FILE)
            await context.until(lambda: context.inbounds)
            (file,) = context.inbounds[0].attachments

            assert await platform.adapter.fetch(file, limit=len(_FILE)) == _FILE
            with pytest.raises(FileTooLarge):
                await platform.adapter.fetch(file, limit=len(_FILE) - 1)

    async def test_file_that_nobody_sent_is_not_given(self) -> None:
        """A name that was made up, or that leads elsewhere, is told by the error that fits."""
        async with self._platform() as platform, listening(platform.adapter):
            for name in ("none", "../../etc/hostname", "http://169.254.169.254/latest"):
                with pytest.raises(FetchFailed) as caught:
                    await platform.adapter.fetch(Attachment(name, "image"), limit=100)

                assert not isinstance(caught.value, FileTooLarge)

    async def test_buttons_that_are_taken_off_are_gone_and_the_words_stay(self) -> None:
        """And doing it again, as after a restart, does no harm."""
        async with self._platform() as platform, listening(platform.adapter):
            if not platform.adapter.features.buttons:
                pytest.skip("this platform has no buttons")
            (part,) = platform.adapter.render(Answer("Go on?", actions=(_ACTION,)), key="k")
            receipt = await platform.adapter.send(platform.place, part)
            assert list(await platform.offered()) == [_ACTION.label]

            for _ in range(2):
                await platform.adapter.disarm(platform.place, receipt.message_id)

            assert list(await platform.offered()) == ([] if self.disarms else [_ACTION.label])
            assert list(await platform.shown()) == ["Go on?"]

    @asynccontextmanager
    async def _platform(self) -> AsyncGenerator[AdapterHarness]:
        async with self.harness() as platform:
            try:
                yield platform
            finally:
                await platform.adapter.close()
