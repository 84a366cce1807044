"""Alert rules speak of what is exposed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from gateway.completion import ENDINGS
from gateway.observability import Metrics

RULES = Path(__file__).parents[3] / "config/monitoring/alerts.yaml"


def _rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def _exposed() -> dict[str, frozenset[str]]:
    """Labels by series."""
    series: dict[str, frozenset[str]] = {"up": frozenset({"job"})}
    for metric in Metrics().registry.collect():
        for suffix in ("", "_total", "_bucket", "_sum", "_count"):
            series[f"{metric.name}{suffix}"] = frozenset(
                {"bot", "platform", "reason", "result", "agent", "le"}
            )
    return series


def test_every_rule_reads_a_series_that_is_exposed() -> None:
    exposed = _exposed()
    for rule in _rules():
        names = re.findall(r"\b(lastword_\w+|up)\b(?=[\[{ )=>]|$)", rule["expr"])
        assert names, rule["alert"]
        assert set(names) <= set(exposed), rule["alert"]


def test_every_reason_of_a_rule_is_one_of_the_registry() -> None:
    for rule in _rules():
        for words in re.findall(r'reason=~"([^"]+)"', rule["expr"]):
            assert set(words.split("|")) <= set(ENDINGS), rule["alert"]


def test_every_rule_says_what_happened_and_what_to_do() -> None:
    rules = _rules()

    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
