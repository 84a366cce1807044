"""Example dispatches of Discord, scrubbed, and what each means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gateway_adapters.discord.inbound import Me

__all__ = ["ME", "cases"]

ME = Me("900", "901")


def cases() -> dict[str, dict[str, Any]]:
    """Every example, by name: `kind`, `data`, and the `event` it means."""
    return {
        path.stem: json.loads(path.read_text("utf-8"))
        for path in sorted(Path(__file__).parent.glob("*.json"))
    }
