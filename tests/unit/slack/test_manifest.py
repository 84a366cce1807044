"""The manifest holds whatever Slack demands for what the adapter does."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Literal

import pytest

from gateway_adapters.slack.manifest import command_of, manifest
from tests.emulators.slack_rules import EVENTS, GRANTED

Json = dict[str, Any]


def _made(name: str = "Helper", *, receive: Literal["socket", "webhook"] = "socket", url: str = "") -> Json:
    return manifest(name=name, receive=receive, url=url)


@pytest.mark.parametrize("receive", ["socket", "webhook"])
def test_manifest_asks_for_every_scope_and_event_that_is_demanded(
    receive: Literal["socket", "webhook"],
) -> None:
    """What the emulator refuses without, the manifest grants; every test of the adapter runs against that."""
    made = _made(receive=receive, url="https://bots.example/slack/team/events")

    assert set(made["oauth_config"]["scopes"]["bot"]) >= GRANTED
    assert set(made["settings"]["event_subscriptions"]["bot_events"]) >= set(EVENTS)
    assert made["settings"]["interactivity"]["is_enabled"]
    assert made["features"]["app_home"]["messages_tab_enabled"]
    assert not made["features"]["app_home"]["messages_tab_read_only_enabled"]


def test_socket_needs_no_address() -> None:
    made = _made()

    assert made["settings"]["socket_mode_enabled"]
    assert "url" not in repr(made)


def test_webhook_names_one_address_everywhere() -> None:
    url = "https://bots.example/slack/team/events"
    made = _made(receive="webhook", url=url)

    assert not made["settings"]["socket_mode_enabled"]
    assert made["settings"]["event_subscriptions"]["request_url"] == url
    assert made["settings"]["interactivity"]["request_url"] == url
    assert made["features"]["slash_commands"][0]["url"] == url


def test_webhook_without_https_is_refused() -> None:
    with pytest.raises(ValueError, match="https address"):
        _made(receive="webhook", url="http://localhost")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Helper", "/helper"),
        ("Our Team Bot", "/our-team-bot"),
        ("status", "/status-bot"),
        ("助手", "/lastword"),
    ],
)
def test_slash_command_is_none_that_slack_keeps(name: str, wanted: str) -> None:
    assert command_of(name) == wanted


def test_names_are_cut_to_what_slack_takes() -> None:
    made = _made(name="x" * 90)

    assert len(made["display_information"]["name"]) == 35
    assert len(made["features"]["slash_commands"][0]["command"]) == 32


def test_scopes_are_granted_to_the_emulator_as_a_set_of_words() -> None:
    """Guards the comparison above against an empty right side."""
    assert {"chat:write", "users:read", "im:history"} <= GRANTED
    assert len(EVENTS) == 7


def test_guide_shows_the_manifest_as_it_is_made() -> None:
    """What `lastword setup slack` tells people to paste."""
    guide = resources.files("gateway_adapters.slack").joinpath("setup.txt").read_text("utf-8")
    start = guide.index("   {\n")
    end = guide.index("\n   }\n") + len("\n   }\n")

    assert json.loads(guide[start:end]) == manifest(name="Helper")
    assert max(map(len, guide.splitlines())) <= 120
