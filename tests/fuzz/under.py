"""Fuzz one target under coverage, for good: `python -m tests.fuzz.under TARGET [options of libFuzzer]`."""

from __future__ import annotations

import sys
from importlib import import_module

__all__ = ["main"]

_ROOMS = ["gateway", "gateway_adapters"]


def main() -> None:
    """Watch which lines of the product each input reaches, and keep the inputs that reach new ones."""
    atheris = import_module("atheris")  # there only where `make fuzz` put it
    with atheris.instrument_imports(include=_ROOMS):
        targets = import_module("tests.fuzz.targets").TARGETS
    program, name, *options = sys.argv
    atheris.Setup([program, *options], targets[name].body)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
