"""The example updates beside this module: the shapes the Bot API documents, people and places invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gateway_adapters.telegram.inbound import Me

__all__ = ["ME", "cases"]

ME = Me(123456789, "helper_bot")


def cases() -> dict[str, dict[str, Any]]:
    """Every example by name: what it is `about`, the `update`, and what to `expect`."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(Path(__file__).parent.glob("*.json"))
    }
