"""The scripts, put together out of their files."""

from __future__ import annotations

from functools import cache
from importlib import resources

__all__ = ["NAMES", "source", "writes"]

NAMES = (
    "advance",
    "aged",
    "claim",
    "commit",
    "counts",
    "cover",
    "dead",
    "dead_letter",
    "drop",
    "erase",
    "export_lane",
    "export_lanes",
    "export_some",
    "export_total",
    "export_turns",
    "extend",
    "fade",
    "fade_lines",
    "free",
    "get",
    "history",
    "lease",
    "open_lanes",
    "plan",
    "probe",
    "put",
    "record",
    "release",
    "restore_begin",
    "restore_end",
    "restore_rows",
    "restore_wipe",
    "retry",
    "revive",
    "rewrite",
    "scan",
    "schema",
    "set",
    "settle",
    "swap",
    "trim",
    "turn",
    "turns_matching",
    "waiting",
)
_USES = "-- uses: "


@cache
def source(name: str) -> str:
    """A script's text with what its first line says it uses before it."""
    text = _read(name)
    return "\n".join([*map(_read, ("start", *_uses(text))), text])


@cache
def writes(name: str) -> bool:
    """Whether a script writes what must not be lost."""
    return "write" in _uses(_read(name))


def _uses(text: str) -> list[str]:
    first = text.partition("\n")[0]
    return first.removeprefix(_USES).split() if first.startswith(_USES) else []


def _read(name: str) -> str:
    return resources.files("gateway.stores.redis").joinpath("lua", f"{name}.lua").read_text("utf-8")
