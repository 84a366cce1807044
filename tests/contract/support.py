"""What each platform can do, as its exam proves it: `python -m tests.contract.support` writes it down."""

from __future__ import annotations

import re
from pathlib import Path

from gateway import plugins
from gateway.abc.adapter import Features
from gateway.testing.adapters import AdapterContract
from tests.contract.test_discord_adapter import TestDiscord
from tests.contract.test_local_adapter import TestLocal
from tests.contract.test_slack_adapter import TestSlack
from tests.contract.test_telegram_adapter import TestTelegram

__all__ = ["README", "kept", "table"]

README = Path(__file__).parents[2] / "adapters" / "README.md"
_BLOCK = re.compile(r"(?<=<!-- support -->\n\n).*?(?=\n\n<!-- /support -->)", re.DOTALL)
_EXAMS: dict[type[AdapterContract], dict[str, str]] = {
    TestTelegram: {"token": "123456789:" + "a" * 35},
    TestSlack: {"token": "xoxb-1-2-abc", "app_token": "xapp-1-2-abc"},
    TestDiscord: {"token": "MTIz.abc.def"},
    TestLocal: {},
}
_PREVIEWS = {"none": "–", "ephemeral": "vanishes by itself", "message": "a message that is edited"}
_FAULTS = {
    "rate_limit": "asked to slow down",
    "dead_target": "nobody there any more",
    "rejected": "content refused",
    "unreachable": "not connected",
    "lost": "no answer, nothing sent",
    "taken": "no answer, yet sent",
    "unauthorised": "credentials refused",
}


def table() -> str:
    """The table, in Markdown: a row for each thing the exam proves, a column for each platform."""
    exams = list(_EXAMS)
    features = {exam: _features(exam) for exam in exams}
    rows: list[tuple[str, list[str]]] = [
        ("typing", [_yes(features[exam].typing) for exam in exams]),
        ("growing text", [_PREVIEWS[features[exam].preview] for exam in exams]),
        ("seconds between two looks of it", [f"{features[exam].preview_interval:g}" for exam in exams]),
        ("buttons", [_yes(features[exam].buttons) for exam in exams]),
        ("a message can be taken back", [_yes(features[exam].retracts) for exam in exams]),
        ("the same part sent twice is one message", [_yes(features[exam].reconcile) for exam in exams]),
        ("buttons that are answered are taken off", [_yes(exam.disarms) for exam in exams]),
        ("a changed message is told as one", [_yes(exam.edits) for exam in exams]),
        ("files beside a message are fetched", [_yes(exam.files) for exam in exams]),
        ("longest message, in the letter a", [f"{exam.limit:,}" if exam.limit else "any" for exam in exams]),
        ("an event may come twice, and is one", [_yes(exam.repeats) for exam in exams]),
        ("hears its own messages, and ignores them", [_yes(exam.echoes) for exam in exams]),
    ]
    rows += [
        (f"told apart: {told}", [_yes(fault in exam.faults) for exam in exams])
        for fault, told in _FAULTS.items()
    ]
    head = "| the exam proves | " + " | ".join(f"`{exam.kind}`" for exam in exams) + " |"
    lines = [head, "|---" * (len(exams) + 1) + "|"]
    return "\n".join([*lines, *(f"| {what} | {' | '.join(cells)} |" for what, cells in rows)])


def kept() -> str:
    """The table as it stands in the README; empty where there is none."""
    found = _BLOCK.search(README.read_text("utf-8"))
    return found.group() if found is not None else ""


def _features(exam: type[AdapterContract]) -> Features:
    """What the adapter of an exam says of itself."""
    options = plugins.options_of("adapter", exam.kind).model_validate(_EXAMS[exam])
    return plugins.create_adapter(exam.kind, options, bot="support").features


def _yes(holds: bool) -> str:
    return "yes" if holds else "–"


if __name__ == "__main__":
    README.write_text(_BLOCK.sub(lambda _: table(), README.read_text("utf-8")), "utf-8")
