"""One folder as a platform: look for what people dropped, write what they are answered."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.errors import Conflict, FetchFailed, FileTooLarge, StoreError, Unreachable
from gateway.messages import Answer, Attachment, Inbound, Part, Place, Receipt

from .errors import as_delivery
from .folder import Folder
from .inbound import read
from .options import Options
from .render import growing, render

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["create"]

_AGAIN = 5.0  # seconds until the next try after a fault


def create(options: Options, *, bot: str, base: Path = Path()) -> Adapter:
    """The adapter of one folder, which a relative path looks for beside the configuration."""
    there = options.model_copy(update={"folder": base / options.folder})
    return FolderAdapter(there, bot=bot)


class FolderAdapter:
    """See `Adapter`."""

    features = Features(typing=True, preview="message", preview_interval=0.5, reconcile=True, retracts=True)

    def __init__(self, options: Options, *, bot: str) -> None:
        self._folder = Folder(options.folder.expanduser().absolute())
        self._pause = options.look_every
        self._bot = bot

    async def run(self, context: AdapterContext) -> None:
        """Receive until cancelled; there are no credentials, so nothing else ends it."""
        context.report("connecting")
        try:
            while True:
                try:
                    with self._folder.alone():
                        await self._receive(context)
                except Conflict as exc:
                    context.report("conflict", str(exc))
                except StoreError as exc:
                    context.report("deaf", f"messages cannot be kept ({exc}); trying on")
                except OSError as exc:
                    context.report("misconfigured", f"{exc}; trying on")
                await context.clock.sleep(_AGAIN)
        finally:
            context.report("stopped")

    async def _receive(self, context: AdapterContext) -> None:
        """Hand in what is there, and only then remove it; what is left comes again under the same keys."""
        while True:
            dropped = await to_thread(self._folder.dropped)
            events = [read(name, raw, at=at, bot=self._bot) for name, (raw, at) in dropped.items()]
            if events:
                await context.accept(events)
            for name in dropped:
                await to_thread((self._folder.root / "inbox" / name).unlink, missing_ok=True)
            context.report("up")
            await context.clock.sleep(self._pause)

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """The text of a file; see `render`."""
        return render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Write a part as a file; the same part again is the same file."""
        del plain  # there is no plainer form
        with as_delivery():
            path = await to_thread(
                self._folder.post, place.chat, f"<!-- {part.id} -->", part.body["text"], replaces=replaces
            )
            await to_thread(self._folder.delete, place.chat, ".typing")
            return Receipt(path.name, path.stat().st_mtime)

    async def typing(self, place: Place) -> None:
        """Touch a file; it counts for a few seconds, and goes with the answer."""
        with as_delivery():
            await to_thread(self._folder.write, place.chat, ".typing", "")

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Let a file grow; the handle is its name."""
        head, text = f"<!-- {turn} is being written -->", growing(text)
        with as_delivery():
            if not handle:
                return (await to_thread(self._folder.post, place.chat, head, text)).name
            return (await to_thread(self._folder.write, place.chat, handle, f"{head}\n{text}\n")).name

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a message."""
        with as_delivery():
            await to_thread(self._folder.delete, place.chat, handle)

    async def disarm(self, place: Place, message_id: str) -> None:
        """Take the buttons out of a message."""
        with as_delivery():
            await to_thread(self._folder.disarm, place.chat, message_id)

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Show the text, if there is any; once this returned, no message says it."""
        if text:
            with as_delivery():
                await to_thread(self._folder.write, inbound.place.chat, "notice.txt", f"{text}\n")

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """Read a file that a message names, from the one folder where they lie."""
        try:
            data = await to_thread(self._folder.load, f"files/{attachment.id}", limit + 1)
        except OSError as exc:
            raise FetchFailed("the file is not there, or may not be read") from exc
        if len(data) > limit:
            raise FileTooLarge("the file is too large")
        return data

    def routes(self) -> Sequence[BaseRoute]:
        """None: nothing comes over the network."""
        return ()

    async def probe(self) -> Mapping[str, str]:
        """Where people drop messages."""
        if not await to_thread(self._folder.root.is_dir):
            raise Unreachable(f"there is no folder {self._folder.root}: make it, or correct `folder`")
        return {"address": str(self._folder.root / "inbox")}

    async def close(self) -> None:
        """Nothing is held: `run` let go of the folder."""
