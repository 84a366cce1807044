"""What editors are told agrees with what the loader takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from gateway.settings import schema
from tests.unit.settings.options import GOOD, Messenger, Model, Page, Script, loaded, problems

SCHEMA = schema({"telegram": Messenger, "local": Page}, {"scripted": Script, "builtin": Model})
VALIDATOR = Draft202012Validator(SCHEMA)


def _fits(text: str) -> bool:
    return VALIDATOR.is_valid(yaml.safe_load(text))  # pyright: ignore[reportUnknownMemberType]  # its stub


def test_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "    pages: 3",
        "    pages: ${PAGES}",
        "    never_silent: ${LOUD:-true}",
        "    receive: ${HOW:-polling}",
        "    access: {admins: [4711, '12']}",
        "    notes: {texts: {de: {busy: {what: W}}}}",
        "    session: {history: 5, scope: auto}",
        "server: {port: '${PORT:-8080}'}",
        "defaults: {proxy: x, surface_completion_reason: true}",
        "include: [a.d/*.yaml]",
        "  page: {platform: local, agent: {script: [{when: x}], timeout: 90s}}",
        "  second: {platform: telegram, bot_token: '1:x', agent: {kind: builtin, model: 'p:m'}}",
    ],
)
def test_what_the_loader_takes_fits_the_schema(tmp_path: Path, line: str) -> None:
    text = f"{GOOD}{line}\n"

    loaded(tmp_path, text, PAGES="2")

    assert _fits(text)


@pytest.mark.parametrize(
    "line",
    [
        "    pages: many",
        "    streaming: sometimes",
        "    titel: x",
        "    access: {dmm: open}",
        "    limits: {a: 1}",
        "servre: {}",
        "store: 5",
        "  page: {platform: local, agent: {script: [{wen: x}]}}",
        "  page: {platform: local, agent: {script: [], timeout: 90}}",
        "defaults: {titel: x}",
    ],
)
def test_what_the_loader_refuses_does_not_fit_the_schema(tmp_path: Path, line: str) -> None:
    text = f"{GOOD}{line}\n"

    assert problems(tmp_path, text)
    assert not _fits(text)
