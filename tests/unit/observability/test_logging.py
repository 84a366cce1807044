"""Every line that is written carries its facts and no secret, whoever wrote it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any, cast

import pytest
import structlog

from gateway.observability import bound, configure_logging, get_logger, register_secret

TOKEN = "987654321:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"


class _Written:
    """What was written to standard error so far."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._text = ""

    @property
    def text(self) -> str:
        self._text += self._capsys.readouterr().err
        return self._text

    def one(self) -> dict[str, Any]:
        (line,) = self.text.splitlines()
        found = json.loads(line)
        assert isinstance(found, dict)
        return cast("dict[str, Any]", found)


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Iterator[_Written]:
    """What was written to standard error; logging is put back as it was."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield _Written(capsys)
    root.handlers[:], level = before
    root.setLevel(level)
    structlog.reset_defaults()


def test_line_is_json_where_nobody_watches(lines: _Written) -> None:
    configure_logging()

    get_logger("session").info("turn.finished", reason="completed", seconds=1.5)

    found = lines.one()
    assert found.pop("timestamp").endswith("Z")
    assert found == {"event": "turn.finished", "level": "info", "reason": "completed", "seconds": 1.5}


def test_line_is_for_people_on_a_console(lines: _Written) -> None:
    configure_logging(json=False)

    get_logger("session").warning("adapter.disconnected", bot="support")

    assert "adapter.disconnected" in lines.text
    assert "bot=support" in lines.text


def test_line_of_a_library_carries_what_was_bound(lines: _Written) -> None:
    configure_logging(json=True)

    with bound(bot="support", conversation="support/4711", turn="t1"):
        logging.getLogger("some.library").warning("it said %s", "no")

    found = lines.one()
    assert (found["event"], found["library"]) == ("it said no", "some.library")
    assert (found["bot"], found["turn"]) == ("support", "t1")
    assert len(found["gen_ai.conversation.id"]) == 12
    assert "4711" not in lines.text


def test_what_was_bound_ends_with_its_block(lines: _Written) -> None:
    configure_logging(json=True)
    with bound(bot="support", conversation="c", turn="t"):
        pass

    get_logger("x").info("x.happened")

    assert "bot" not in lines.one()


@pytest.mark.parametrize("as_json", [True, False])
def test_exception_is_written_out_and_masked(lines: _Written, as_json: bool) -> None:
    """Masking comes after the traceback became text."""
    configure_logging(json=as_json)

    try:
        raise ValueError(f"POST https://api.telegram.org/bot{TOKEN}/getMe failed")
    except ValueError:
        get_logger("x").exception("x.broke")
        logging.getLogger("library").exception("it broke")

    written = lines.text
    assert written.count("ValueError") >= 2
    assert "test_logging.py" in written
    assert "987654321" not in written
    assert "AAHdq" not in written


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("token", "short"),
        ("api_key", "short"),
        ("password", "short"),
        ("client_secret", b"short"),
        ("Authorization", "short"),
        ("url", "https://user:short@host/"),
        ("facts", {"deep": {"client_secret": "short"}}),
        ("facts", [{"cookie": "short"}]),
        ("header", "Bearer short.but.long.enough"),
        ("problem", 'the body was {"api_key": "short-but-longer"}'),
        ("problem", "refused api_key=short-but-longer;"),
    ],
)
def test_value_that_is_a_credential_is_masked(lines: _Written, key: str, value: object) -> None:
    configure_logging(json=True)

    get_logger("x").info("x.happened", **{key: value})

    assert "short" not in lines.text
    assert "***" in lines.text


def test_registered_secret_is_masked_wherever_it_stands(lines: _Written) -> None:
    configure_logging(json=True)
    register_secret("correct-horse-battery-staple")

    get_logger("x").info("x.happened", problem=RuntimeError("it was correct-horse-battery-staple"))
    logging.getLogger("library").warning("got %r", {"k": "correct-horse-battery-staple"})

    assert "correct" not in lines.text


def test_what_people_said_is_counted_and_not_written(lines: _Written) -> None:
    configure_logging(json=True)

    get_logger("x").info("x.happened", text="my secret wish", body=b"raw", inner={"prompt": "wish"})

    found = lines.one()
    assert (found["text"], found["body"], found["inner"]) == ("(14 long)", "(3 long)", {"prompt": "(4 long)"})


def test_counts_of_tokens_are_no_secrets(lines: _Written) -> None:
    configure_logging(json=True)

    get_logger("x").info("x.happened", input_tokens=5, usage={"output_tokens": 7, "token_count": 12})

    found = lines.one()
    assert (found["input_tokens"], found["usage"]) == (5, {"output_tokens": 7, "token_count": 12})


def test_number_that_is_a_secret_is_masked(lines: _Written) -> None:
    configure_logging(json=True)

    get_logger("x").info("x.happened", token=4711, secret=None)

    found = lines.one()
    assert (found["token"], found["secret"]) == ("***", None)


def test_dump_of_something_is_only_counted(lines: _Written) -> None:
    configure_logging(json=True)

    get_logger("x").info("x.happened", environ={str(number): "v" for number in range(51)})

    assert lines.one()["environ"] == "(51 entries)"


def test_http_clients_are_quiet(lines: _Written) -> None:
    configure_logging(json=True, level="debug")

    for name in ("httpx", "httpcore", "httpx2", "uvicorn.access"):
        logging.getLogger(name).info("GET /")

    assert lines.text == ""


def test_lines_below_the_level_are_not_written(lines: _Written) -> None:
    configure_logging(json=True, level="warning")

    get_logger("x").info("x.happened")
    logging.getLogger("library").info("it happened")

    assert lines.text == ""


def test_configuring_twice_writes_each_line_once(lines: _Written) -> None:
    configure_logging(json=True)
    configure_logging(json=True)

    get_logger("x").info("x.happened")

    assert lines.one()["event"] == "x.happened"


def test_value_that_json_does_not_know_is_written_as_text(lines: _Written) -> None:
    configure_logging(json=True)

    get_logger("x").info("x.happened", at=object, many={1, 2}, big=2**70, bad="\ud800")

    found = lines.one()
    assert found["many"] == [1, 2]
    assert (found["big"], found["bad"]) == (2**70, "\ud800")
