"""Take a changed configuration over while the gateway runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from gateway import plugins
from gateway.errors import ConfigError, LastwordError
from gateway.observability import get_logger
from gateway.runtime import Runtime
from gateway.settings import Settings, keep_good

__all__ = ["Reloader"]

_LOOK = 1.0  # seconds between two looks at the files
_Stamps = tuple[tuple[str, int, int], ...]


class Reloader:
    """Reads the configuration anew, on demand and when a file of it changes.

    What does not validate, or cannot be reached, leaves what runs as it is.

    Args:
        runtime: What runs.
        load: Reads the settings; raises ConfigError.
        say: Tells the operator.
    """

    def __init__(self, runtime: Runtime, load: Callable[[], Settings], say: Callable[[str], None]) -> None:
        self._runtime = runtime
        self._load = load
        self._say = say
        self._one = asyncio.Lock()
        self._refused = False
        self._log = get_logger("runtime")

    async def reload(self) -> tuple[str, ...]:
        """Take the files over as they are now; what could not be taken over, a line each.

        Raises:
            ConfigError: They do not validate; nothing changed.
        """
        async with self._one:
            settings = await asyncio.to_thread(self._load)
            problems = await self._runtime.reload(settings)
            if not problems:
                await asyncio.to_thread(keep_good, settings, options=plugins.options_of)
            return problems

    async def watch(self) -> None:
        """Reload whenever a file changes, until cancelled."""
        seen = await asyncio.to_thread(_stamps, self._runtime.settings)
        while True:
            await asyncio.sleep(_LOOK)
            now = await asyncio.to_thread(_stamps, self._runtime.settings)
            if now == seen and not (self._refused and await asyncio.to_thread(self._is_right)):
                continue
            seen = await self._settled(now)
            await self._tried()

    def _is_right(self) -> bool:
        """Whether what was refused validates by now: a file it includes anew may have been put right."""
        try:
            self._load()
        except Exception:  # noqa: BLE001  # it was told when it was refused
            return False
        return True

    async def _settled(self, now: _Stamps) -> _Stamps:
        """The files once nobody writes them any more."""
        while True:
            await asyncio.sleep(_LOOK / 2)
            later = await asyncio.to_thread(_stamps, self._runtime.settings)
            if later == now:
                return now
            now = later

    async def _tried(self) -> None:
        self._refused = False
        try:
            problems = await self.reload()
        except ConfigError as exc:
            self._refused = True
            self._log.error("runtime.reload_refused", problems=len(exc.problems))
            self._say(f"The changed configuration is not right; everything runs on as it was:\n{exc}")
        except LastwordError as exc:
            self._log.error("runtime.reload_failed", problem=str(exc))
        except Exception:  # noqa: BLE001  # a reload that breaks leaves what runs as it is
            self._log.exception("runtime.reload_broke")
        else:
            self._say("\n".join(("The configuration was read anew.", *problems)))


def _stamps(settings: Settings) -> _Stamps:
    """What tells that a file of a configuration changed, or that one was added beside it."""
    return tuple(_stamp(path) for path in _watched(settings.files))


def _watched(files: Sequence[Path]) -> list[Path]:
    if not files:
        return []
    folders = {file.parent for file in files[1:]}
    beside = [path for folder in sorted(folders) for path in sorted(folder.glob("*.y*ml"))]
    return list(dict.fromkeys((*files, files[0].parent / ".env", *beside)))


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), found.st_mtime_ns, found.st_size
