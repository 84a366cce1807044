"""Each example dispatch means what is written beside it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from gateway_adapters.discord.inbound import read_dispatch
from tests.replay.discord.dispatches import ME, cases


@pytest.mark.parametrize("name", sorted(cases()))
def test_dispatch_means_what_is_written_beside_it(name: str) -> None:
    case = cases()[name]
    raw = json.dumps(case["data"]).encode()

    event = read_dispatch(case["kind"], case["data"], raw, ME)

    told: dict[str, Any] = {"dropped": event.dropped, "dedupe": list(event.dedupe)}
    if event.inbound is not None:
        told |= json.loads(json.dumps(asdict(event.inbound)))
    assert {key: told[key] for key in case["event"]} == case["event"]
    assert case["event"].keys() >= ({"dropped"} if event.dropped else {"kind", "text", "place", "addressed"})
