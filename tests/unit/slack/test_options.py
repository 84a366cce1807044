"""What a Slack bot's YAML may say, and what is said about what it may not."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from gateway_adapters.slack.options import Options

_GOOD: dict[str, Any] = {"token": "xoxb-1-2-abc", "app_token": "xapp-1-A-2-abc"}
_SECRET = "0123456789abcdef"


def _problems(**changed: Any) -> list[tuple[str, str]]:
    given = {key: value for key, value in {**_GOOD, **changed}.items() if value is not None}
    with pytest.raises(ValidationError) as caught:
        Options.model_validate(given)
    return [(str(error["loc"][0]), error["msg"]) for error in caught.value.errors()]


def test_options_need_no_more_than_two_tokens() -> None:
    options = Options.model_validate(_GOOD)

    assert (options.receive, options.api_base) == ("socket", "https://slack.com/api")


def test_token_may_be_called_bot_token() -> None:
    given = {"bot_token": _GOOD["token"], "app_token": _GOOD["app_token"]}

    assert Options.model_validate(given).token.get_secret_value() == "xoxb-1-2-abc"


@pytest.mark.parametrize("token", ["", "xoxp-1-2-abc", "xapp-1-A-2-abc", "xoxb-", "xoxb-1 2", "xoxb-1-2-é"])
def test_token_of_another_kind_is_refused_with_where_to_find_the_right_one(token: str) -> None:
    ((key, problem),) = _problems(token=token)

    assert key == "token"
    assert "begins with xoxb-" in problem
    assert "OAuth & Permissions" in problem


def test_socket_without_app_token_says_what_to_do() -> None:
    ((key, problem),) = _problems(app_token=None)

    assert key == "app_token"
    assert "needed by receive: socket" in problem
    assert "connections:write" in problem
    assert "or write receive: webhook" in problem


def test_bot_token_in_place_of_the_app_token_is_noticed() -> None:
    ((key, problem),) = _problems(app_token=_GOOD["token"])

    assert (key, "begins with xapp-" in problem) == ("app_token", True)


def test_webhook_needs_a_signing_secret_and_no_app_token() -> None:
    ((key, problem),) = _problems(receive="webhook", app_token=None)
    fine = {"token": _GOOD["token"], "receive": "webhook", "signing_secret": _SECRET}

    assert (key, "App Credentials" in problem) == ("signing_secret", True)
    assert Options.model_validate(fine).signing_secret.get_secret_value() == _SECRET


@pytest.mark.parametrize("secret", ["short", "with space 0123", "é" * 20])
def test_signing_secret_that_cannot_be_one_is_refused(secret: str) -> None:
    assert [key for key, _ in _problems(signing_secret=secret)] == ["signing_secret"]


@pytest.mark.parametrize(
    "changed",
    [
        {"proxy": "socks5://127.0.0.1:1"},
        {"api_base": "slack.com"},
        {"rates": {"chat": -1}},
        {"rates": {"group": 1}},
        {"receive": "polling"},
        {"colour": "red"},
    ],
)
def test_other_mistakes_are_named_by_their_key(changed: dict[str, Any]) -> None:
    assert [key for key, _ in _problems(**changed)] == list(changed)


def test_secrets_stand_in_no_message() -> None:
    with pytest.raises(ValidationError) as caught:
        Options.model_validate({**_GOOD, "signing_secret": "hush hush"})

    assert "hush" not in str(caught.value)
    assert "abc" not in repr(Options.model_validate(_GOOD))


def test_options_load_no_library_of_slacks() -> None:
    """So that `check` and `schema` work without the extra."""
    code = (
        "import sys; import gateway_adapters.slack.options;"
        " sys.exit(any(name.startswith(('slack_', 'aiohttp')) for name in sys.modules))"
    )

    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ".:adapters"}, check=False).returncode
        == 0
    )
