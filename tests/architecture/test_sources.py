"""Rules about the sources that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("gateway", "adapters", "agents")
_VENDOR_WORDS = re.compile(r"finish_?reason|stop_?reason|finishReason|stopReason", re.IGNORECASE)
_ALLOWED_WORDS = {"last_stop_reason"}  # part of the public contract of agent objects


def _sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_sources_stay_within_four_hundred_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in _sources(*ROOMS, "tests")
        if (lines := len(path.read_text("utf-8").splitlines())) > 400
    }

    assert long == {}


def test_functions_stay_within_fifty_lines() -> None:
    """A docstring counts, decorators do not."""
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in _sources(*ROOMS)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= 50
    ]

    assert long == []


def _names_and_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.lineno, node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def test_words_of_providers_occur_only_in_readers_and_agents() -> None:
    """One place reads how a provider says that it ended."""
    found = [
        f"{path.relative_to(ROOT)}:{line} {text[:60]!r}"
        for path in _sources("gateway", "adapters")
        if "completion/readers" not in path.as_posix()
        for line, text in _names_and_texts(ast.parse(path.read_text("utf-8")))
        if _VENDOR_WORDS.search(text)
        and not any(allowed in text for allowed in _ALLOWED_WORDS)
        and text != "gen_ai.response.finish_reasons"
    ]

    assert found == []


def test_agents_and_adapters_folders_are_source_roots_only() -> None:
    """A package named `agents` would hide the one that openai-agents installs."""
    assert not (ROOT / "agents" / "__init__.py").exists()
    assert not (ROOT / "adapters" / "__init__.py").exists()


@pytest.mark.parametrize(
    "pattern",
    [
        r"pypi[.]" + r"org|pythonhosted[.]" + r"org|registry[.]npm" + r"js",
        r"(?<![A-Za-z0-9._-])/(?:wo" + r"rk|ro" + r"ot)/[A-Za-z]",
        r"[.][.]/sha" + r"red",
    ],
)
def test_tracked_files_name_no_registry_host_and_no_machine_path(pattern: str) -> None:
    forbidden = re.compile(pattern)
    found: list[str] = []
    for path in _tracked():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in forbidden.finditer(text)]

    assert found == []


def test_every_listed_command_exists() -> None:
    from gateway.cli import COMMANDS

    missing = [name for name in COMMANDS if not (ROOT / "gateway" / "cli" / f"{name}.py").exists()]

    assert missing == []
