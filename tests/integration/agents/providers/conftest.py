"""The surroundings of a machine whose operator uses the emulated providers."""

from __future__ import annotations

import os
import pathlib

import pytest


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key or address of the machine, and the account that the emulated AWS knows."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    # half the time of a test is the reading of certificates that loopback does not need
    monkeypatch.setenv("SSL_CERT_DIR", str(pathlib.Path(__file__).parent))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "sk-emulated")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
