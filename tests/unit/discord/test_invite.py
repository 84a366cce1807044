"""The link that adds a bot to a server."""

from __future__ import annotations

import base64
from importlib import resources
from urllib.parse import parse_qs, urlsplit

import pytest

from gateway_adapters.discord.invite import PERMISSIONS, intents_to_switch_on, invite_link
from gateway_adapters.discord.options import Options
from gateway_adapters.discord.receiver import intents_of
from tests.unit.discord.oracle import permissions

_ID = "1234567890123456789"
_TOKEN = f"{base64.urlsafe_b64encode(_ID.encode()).decode().rstrip('=')}.Gx4mpl.s3cret"


def test_permissions_are_those_the_library_knows_by_name() -> None:
    asked = permissions("view_channel", "send_messages", "read_message_history", "send_messages_in_threads")

    assert sum(PERMISSIONS.values()) == asked


@pytest.mark.parametrize("given", [_ID, _TOKEN])
def test_link_names_the_application_and_what_it_needs(given: str) -> None:
    link = urlsplit(invite_link(given))

    assert (link.scheme, link.hostname, link.path) == ("https", "discord.com", "/oauth2/authorize")
    assert parse_qs(link.query) == {
        "client_id": [_ID],
        "scope": ["bot applications.commands"],
        "permissions": [str(sum(PERMISSIONS.values()))],
    }
    assert "s3cret" not in link.geturl()


@pytest.mark.parametrize("given", ["", "hello", "a.b.c", "ä.b.c", "====.b.c"])
def test_link_of_what_is_no_application_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="neither"):
        invite_link(given)


def test_intent_is_named_as_the_portal_names_it() -> None:
    assert intents_to_switch_on(message_content=True) == ("Message Content Intent",)
    assert intents_to_switch_on(message_content=False) == ()


@pytest.mark.parametrize("content", [True, False])
def test_intents_are_no_more_than_is_read(content: bool) -> None:
    options = Options.model_validate({"token": "a.b.c", "intents": {"message_content": content}})
    asked = intents_of(options)

    assert {name for name, on in asked if on} == {"guilds", "guild_messages", "dm_messages"} | (
        {"message_content"} if content else set()
    )


def test_steps_tell_the_link_that_is_made() -> None:
    steps = resources.files("gateway_adapters.discord").joinpath("setup.txt").read_text("utf-8")

    assert f"permissions={sum(PERMISSIONS.values())}" in steps
    assert invite_link(_ID).replace(_ID, "APPLICATION_ID") in steps
    assert all(name in steps for name in (*PERMISSIONS, *intents_to_switch_on(message_content=True)))
