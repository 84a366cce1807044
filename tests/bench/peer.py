"""`BotSessionManager` against the one that PyPI's `praisonai-bot` ships, in an environment of its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import ROOT

__all__ = ["Peer", "against_peer"]

_PACKAGE, _MODULE = "praisonai-bot", "praisonai_bot.bots._session"
_HOME = ROOT / ".cache" / "bench" / _PACKAGE
_INSTALL = 90.0  # seconds
_RUN = 60.0
_SCRIPT = Path(__file__).with_name("turns_of.py")


@dataclass(frozen=True, slots=True)
class Peer:
    """Turns per second of processor time.

    Attributes:
        theirs: Theirs; 0 where they could not be measured.
        why: What stood in the way, with `theirs` at 0; otherwise their version.
    """

    ours: float
    theirs: float = 0.0
    why: str = ""


def against_peer(*, rounds: int, turns: int, install: bool) -> Peer:
    """Ours and theirs, interleaved; ours alone where theirs cannot be installed."""
    python, why = _installed(install=install)
    ours: list[float] = []
    theirs: list[float] = []
    try:
        for _ in range(rounds):
            ours.append(_rate(sys.executable, "gateway", turns))
            if python is not None:
                theirs.append(_rate(str(python), _MODULE, turns))
    except subprocess.SubprocessError as exc:
        why = f"{_PACKAGE} broke: {type(exc).__name__}"
    known = statistics.median(theirs) if len(theirs) == rounds else 0.0
    return Peer(statistics.median(ours), known, why)


def _installed(*, install: bool) -> tuple[Path | None, str]:
    """Its interpreter and version; or `None` and what stood in the way."""
    python = _HOME / "bin" / "python"
    if not python.exists() and not install:
        return None, f"{_PACKAGE} is not installed here; run without --quick"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(_HOME)], check=True, timeout=_INSTALL)
        pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
        if install:
            done = [*pip, "install", _PACKAGE]
            subprocess.run(done, check=True, timeout=_INSTALL, capture_output=True)
        asked = f"import importlib.metadata as m; print(m.version({_PACKAGE!r}))"
        found = subprocess.run(
            [python, "-c", asked], check=True, timeout=_RUN, capture_output=True, text=True
        )
    except (OSError, subprocess.SubprocessError) as exc:
        return None, f"{_PACKAGE} could not be installed ({type(exc).__name__})"
    return python, f"{_PACKAGE} {found.stdout.strip()}"


def _rate(python: str, module: str, turns: int) -> float:
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    done = subprocess.run(
        [python, str(_SCRIPT), module, str(turns)],
        env=os.environ | ({"PYTHONPATH": path} if module == "gateway" else {}),
        check=True,
        timeout=_RUN,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.strip().splitlines()[-1])
