"""What a Discord bot's YAML may say, and what is said about what it may not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from gateway_adapters.discord.options import Options

TOKEN = "MTIz.Gx4mpl.s3cret"


def _given(**more: Any) -> Options:
    return Options.model_validate({"token": TOKEN, **more})


def test_defaults_need_a_token_alone() -> None:
    options = _given()

    assert options.api_base == "https://discord.com/api/v10"
    assert not options.intents.message_content
    assert options.register_commands


def test_bot_token_is_another_name_for_the_token() -> None:
    assert Options.model_validate({"bot_token": TOKEN}).token.get_secret_value() == TOKEN


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("Bot MTIz.Gx4mpl.s3cret", "the token alone"),
        ("0123456789abcdef0123456789abcdef", "neither the client secret nor the public key"),
        ("MTIz.Gx4mpl", "three parts"),
        ("MTIz..s3cret", "three parts"),
        ("MTIz.Gx4mpl.s3 cret", "three parts"),
        ("", "developer portal"),
    ],
)
def test_token_of_another_shape_is_refused_with_what_to_do(token: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _given(token=token)

    assert said in str(caught.value)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize(
    "more",
    [
        {"api_base": "discord.com"},
        {"gateway_url": "https://gateway.discord.gg"},
        {"proxy": "socks5://127.0.0.1:1080"},
        {"intents": {"members": True}},
        {"rates": {"channel": -1}},
        {"shards": 2},
    ],
)
def test_what_cannot_work_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        _given(**more)


def test_options_load_without_the_library() -> None:
    code = "import sys, gateway_adapters.discord.options; print({'discord', 'aiohttp'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_path()
    )

    assert done.stdout.strip() == "set()"


def _path() -> dict[str, str]:

    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
