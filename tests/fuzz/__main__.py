"""Fuzz every target for a while: `python -m tests.fuzz [--seconds N] [TARGET ...]`, or try one input again.

`python -m tests.fuzz TARGET FILE` runs what a finding left behind, without any fuzzer.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.seeds import words
from tests.fuzz.targets import TARGETS

__all__ = ["fuzz", "main"]

_HOME = Path(".cache/fuzz")
_LONGEST_INPUT = 4096
_PATIENCE = 60  # seconds beyond the time asked for: reading the corpus, shrinking
_DONE = re.compile(r"#(\d+)\s+DONE\s+cov: (\d+) ft: \d+ corp: (\d+)/")
_PLACED = re.compile(r"Test unit written to (\S+)")


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _prepare(name: str) -> tuple[Path, Path, Path]:
    """The corpus with the seeds in it, the dictionary, and where findings go."""
    corpus, found = _HOME / "corpus" / name, _HOME / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    seeds = TARGETS[name].seeds()
    for seed in seeds:
        (corpus / hashlib.sha256(seed).hexdigest()[:20]).write_bytes(seed)
    dictionary = _HOME / f"{name}.dict"
    spelt = ("".join(f"\\x{byte:02x}" for byte in word) for word in words(seeds))
    dictionary.write_text("".join(f'"{word}"\n' for word in spelt), "ascii")
    return corpus, dictionary, found


def fuzz(name: str, seconds: int) -> bool:
    """Fuzz one target and print what was run; whether nothing was found."""
    corpus, dictionary, found = _prepare(name)
    command = [sys.executable, "-m", "tests.fuzz.under", name, str(corpus), f"-max_total_time={seconds}"]
    command += [f"-dict={dictionary}", f"-max_len={_LONGEST_INPUT}", "-timeout=20", "-rss_limit_mb=2048"]
    command += [f"-artifact_prefix={found}/{name}-", "-verbosity=1", "-print_final_stats=0"]
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds + _PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _tell(f"{name}: did not end within {_PATIENCE} s after its time")
        return False
    done = _DONE.search(ran.stderr)
    if ran.returncode == 0 and done:
        _tell(f"{name}: {done[1]} executions in {seconds} s, coverage {done[2]}, corpus {done[3]}")
        return True
    placed = _PLACED.search(ran.stderr)
    _tell("\n".join(ran.stderr.splitlines()[-40:]))
    again = f"python -m tests.fuzz {name} {placed[1]}" if placed else "the fuzzer itself failed"
    _tell(f"{name}: FOUND after {seconds} s or less; again: {again}")
    return False


def main() -> int:
    """Run what the command line asks for; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=20, help="for each target (default: 20)")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    asked = parser.parse_args()
    if len(asked.targets) == 2 and Path(asked.targets[1]).is_file():  # a target and an input
        TARGETS[asked.targets[0]].body(Path(asked.targets[1]).read_bytes())
        _tell("nothing wrong with it")
        return 0
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}")
    if find_spec("atheris") is None:
        parser.error("the fuzzer is not there; `make fuzz` puts it into .cache/fuzz for itself")
    clean = [fuzz(name, asked.seconds) for name in asked.targets or TARGETS]
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
