"""What an operator pastes is classified by what it holds, through the function and through the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.cli.classify import command
from gateway.completion import classify_exchange

_DONE = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
_CUT = {"choices": [{"message": {"content": "hi"}, "finish_reason": "length"}]}
_SSE = (
    'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    'data: {"choices":[{"delta":{},"finish_reason":"length"}]}\n\n'
    "data: [DONE]\n"
)


@pytest.mark.parametrize(
    ("reason", "exchange"),
    [
        ("rate_limited", {"status": 429}),
        ("rate_limited", {"http_status": "429", "body": None}),
        ("quota_exhausted", {"status": 429, "body": {"error": {"code": "insufficient_quota"}}}),
        ("quota_exhausted", {"status": 400, "body": '{"error": {"code": "insufficient_quota"}}'}),
        ("length_truncated", {"status": 200, "body": _CUT}),
        ("length_truncated", {"body": json.dumps(_CUT)}),
        ("length_truncated", {"status": 200, "body": _SSE}),
        ("length_truncated", _CUT),
        ("completed", {"status": 200, "body": _DONE}),
        ("provider_error", {"status": 200, "body": {"error": "an odd thing"}}),
        (
            "provider_error",
            {
                "status": 200,
                "body": 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}',
            },
        ),
        ("rate_limited", {"body": "Too many requests, slow down"}),
        ("rate_limited", {"headers": {"x-amzn-errortype": "ThrottlingException"}}),
        ("timeout", {"exception": {"class": "TimeoutError", "message": ""}}),
        ("timeout", {"exception": {"class": "builtins.TimeoutError"}}),
        ("timeout", {"exception": {"class": "httpx.ReadTimeout"}}),
        ("timeout", {"exception": "ReadTimeout"}),
        ("rate_limited", {"exception": {"class": "RateLimitError"}, "status": 429}),
        (
            "quota_exhausted",
            {"exception": {"class": "RateLimitError"}, "body": {"error": {"code": "insufficient_quota"}}},
        ),
        ("network_error", {"exception": {"class": "Error", "message": "socket hang up"}}),
        ("error", {"exception": {"class": "ValueError", "message": "rate limit exceeded"}}),
        ("error", {"exception": {"class": "pydantic.ValidationError", "message": "rate limit exceeded"}}),
        ("error", {"exception": {}}),
        (None, {"status": 200, "body": {"choices": [{"delta": {"content": "x"}}]}}),
        (None, {"status": 200, "body": "hello"}),
        (None, {"body": "hello"}),
        (None, {}),
        (None, "stop"),
        (None, None),
        (None, 5),
    ],
    ids=range(30),
)
def test_exchange_ends_as(reason: str | None, exchange: object) -> None:
    found = classify_exchange(exchange)

    assert (found.reason if found else None) == reason


def test_exchange_passes_on_provider_and_wait() -> None:
    found = classify_exchange({"status": 429, "headers": {"retry-after": "3"}, "provider": "acme"})

    assert found is not None
    assert (found.provider, found.retry_after) == ("acme", 3.0)


def _run(text: str, *options: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(command, [*options, "-"], input=text)
    return done.exit_code, done.stdout, done.stderr


def test_command_prints_the_completion_as_one_line_of_json() -> None:
    code, out, err = _run('{\n "status": 429,\n "headers": {"retry-after": "3"}\n}')

    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "reason": "rate_limited",
        "site": "provider.error",
        "source": "exception",
        "token": "429",
        "retry_after": 3.0,
    }
    assert out.count("\n") == 1


def test_command_says_null_where_nothing_ends() -> None:
    assert _run('{"choices": [{"delta": {}}]}')[:2] == (0, '{"reason": null}\n')


def test_command_reads_one_object_a_line(tmp_path: Path) -> None:
    file = tmp_path / "seen.jsonl"
    file.write_text('{"status": 401}\n\n{"status": 404}\n', "utf-8")

    done = CliRunner().invoke(command, ["--lines", str(file)])

    assert [json.loads(line)["reason"] for line in done.stdout.splitlines()] == [
        "auth_failed",
        "model_not_found",
    ]


@pytest.mark.parametrize(
    ("text", "options", "where"),
    [
        ('{"a":\n x}', [], "line 2, column 2"),
        ('{"status": 401}\n{bad\n', ["--lines"], "line 2, column 2"),
        ('{"status": 401}\n{"status": 404}\n', [], "--lines"),
        ("[" * 200_000, [], "line 1"),
        ("1" * 5_000, [], "line 1"),
        ("", [], "line 1, column 1"),
    ],
)
def test_command_names_the_line_that_is_not_json(text: str, options: list[str], where: str) -> None:
    code, _, err = _run(text, *options)

    assert code == 2
    assert err.startswith("Error: line ")
    assert where in err


def test_command_explains_what_people_are_told() -> None:
    code, out, _ = _run('{"status": 429, "headers": {"retry-after": "30"}}', "--explain")

    assert code == 0
    assert "rate_limited@provider.error" in out
    assert "please try again in 30 seconds." in out
    assert "Provider asks to slow down" in out
    assert "75 (failed)" in out


def test_command_explains_a_clean_end_and_no_end() -> None:
    assert "are told nothing" in _run(json.dumps(_DONE), "--explain")[1]
    assert "nothing about an ending" in _run("{}", "--explain")[1]
    assert "no word of its own" in _run('{"exception": {"class": "TimeoutError"}}', "--explain")[1]


def test_command_survives_half_a_character() -> None:
    code, out, _ = _run('{"finish_reason": "\\ud83d"}')

    assert (code, json.loads(out)["reason"]) == (0, "\ud83d")
    assert _run('{"finish_reason": "\\ud83d"}', "--explain")[0] == 0


def test_command_is_imported_without_the_catalogue() -> None:
    seen = (
        "import sys, gateway.cli.classify; print([n for n in sys.modules if n.startswith('gateway.notes')])"
    )

    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
