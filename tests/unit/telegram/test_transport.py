"""Which HTTP library carries a bot's requests."""

from __future__ import annotations

import pytest
from telegram.request import BaseRequest, HTTPXRequest

from gateway.abc.dates import Dates
from gateway_adapters.telegram.transport import DirectRequest, request_for

BASE = "https://api.telegram.org"


def _chosen(proxy: str = "", base: str = BASE) -> type[BaseRequest]:
    return type(request_for(base, Dates(), proxy=proxy, pool=2, read=1.0, wait=1.0))


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_bot_that_needs_no_proxy_is_carried_by_aiohttp() -> None:
    assert _chosen() is DirectRequest


def test_bot_with_a_proxy_is_carried_by_httpx() -> None:
    assert _chosen(proxy="http://proxy.example:3128") is HTTPXRequest


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
def test_proxy_of_the_environment_is_heeded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "http://proxy.example:3128")

    assert _chosen() is HTTPXRequest
    assert _chosen(base="http://127.0.0.1:8081") is (HTTPXRequest if name == "all_proxy" else DirectRequest)


def test_host_that_the_environment_excepts_is_reached_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "api.telegram.org")

    assert _chosen() is DirectRequest
