"""What a Telegram bot's YAML may say."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from gateway_adapters.telegram import options as module
from gateway_adapters.telegram.options import Options

TOKEN = "123456789:AAExampleTokenOfThirtyFiveLetters__"


@pytest.mark.parametrize("key", ["token", "bot_token"])
def test_token_goes_by_both_names(key: str) -> None:
    assert Options.model_validate({key: TOKEN}).token.get_secret_value() == TOKEN


def test_defaults_poll_telegram_itself() -> None:
    options = Options.model_validate({"token": TOKEN})

    assert (options.receive, options.proxy, options.api_base) == ("polling", "", "https://api.telegram.org")


@pytest.mark.parametrize(
    "token",
    [
        "",
        "42424242",
        "42424242:",
        ":AAExample",
        "bot42424242:AAExample",
        "42424242:AA Example",
        "42424242:AAExample\n",
    ],
)
def test_token_that_is_none_is_told_so_without_showing_it(token: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Options.model_validate({"token": token})

    assert "BotFather" in str(caught.value)
    assert not token or token not in str(caught.value)


def test_token_is_not_shown_by_the_options() -> None:
    options = Options.model_validate({"token": TOKEN})

    assert TOKEN not in f"{options!r} {options} {options.model_dump()} {options.model_dump_json()}"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"token": 5},
        {"token": TOKEN, "tokens": "x"},
        {"token": TOKEN, "receive": "pigeon"},
        {"token": TOKEN, "secret_token": "white space"},
        {"token": TOKEN, "secret_token": "a" * 257},
        {"token": TOKEN, "rates": {"overall": -1}},
        {"token": TOKEN, "rates": {"minute": 1}},
        {"token": TOKEN, "proxy": "localhost:8080"},
        {"token": TOKEN, "proxy": "ftp://localhost"},
        {"token": TOKEN, "api_base": "api.telegram.org"},
        {"token": TOKEN, "api_base": ""},
        {"token": TOKEN, "api_base": "https://host/a b"},
    ],
)
def test_what_cannot_run_is_refused_without_showing_the_token(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as caught:
        Options.model_validate(wrong)

    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("proxy", ["", "http://proxy:3128", "https://u:p@proxy.example/"])
def test_proxy_may_be_any_of_http(proxy: str) -> None:
    assert Options.model_validate({"token": TOKEN, "proxy": proxy}).proxy == proxy


@pytest.mark.parametrize("installed", [True, False])
def test_proxy_of_socks_needs_its_library(installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(_: str) -> object:
        return object() if installed else None

    monkeypatch.setattr(module, "find_spec", find)
    given = {"token": TOKEN, "proxy": "socks5://127.0.0.1:9050"}

    if installed:
        assert Options.model_validate(given).proxy == given["proxy"]
        return
    with pytest.raises(ValidationError, match=r"python-telegram-bot\[socks\]"):
        Options.model_validate(given)


def test_options_need_no_library_of_telegrams() -> None:
    """`check` and `schema` work where it is not installed."""
    code = "import sys, gateway_adapters.telegram.options; print(*{'telegram', 'httpx'} & set(sys.modules))"

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert told.stdout.split() == []
