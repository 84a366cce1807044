"""What a web chat's YAML may say."""

from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from gateway_adapters.local.adapter import LocalAdapter
from gateway_adapters.local.options import Options
from gateway_adapters.local.visitors import new_secret, person_of


@pytest.mark.parametrize(
    ("options", "base", "title"),
    [
        (Options(), "/chat/site", "site"),
        (Options(title="Ada", path="/talk"), "/talk", "Ada"),
        (Options(path="/talk/"), "/talk", "site"),
        (Options(path="/"), "", "site"),
    ],
)
def test_options_say_where_and_under_which_name(options: Options, base: str, title: str) -> None:
    adapter = LocalAdapter(options, bot="site")

    assert (adapter.base, adapter.title) == (base, title)


@pytest.mark.parametrize(
    "values", [{"path": "talk"}, {"path": "/a b"}, {"path": "/{x}"}, {"tilte": "x"}, {"keep_days": 0}]
)
def test_wrong_options_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Options.model_validate(values)


def test_person_follows_from_the_secret_and_does_not_tell_it() -> None:
    secret = new_secret()

    person = person_of(secret)

    assert person == person_of(secret)
    assert person != person_of(new_secret())
    assert re.fullmatch(r"[0-9a-f]{32}", person)


@pytest.mark.parametrize("value", [None, "", "short", "x" * 42, "x" * 44, "é" * 43, "x" * 42 + "\n"])
def test_value_that_is_no_secret_of_ours_is_nobody(value: str | None) -> None:
    assert person_of(value) == ""
