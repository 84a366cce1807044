"""Kinds are found by name, and only what is named is imported."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from pydantic import BaseModel

from gateway import plugins
from gateway.errors import PluginError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that can be imported, made known as third parties' kinds."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.startswith("third_")]:  # of another test's folder
        del sys.modules[name]
    points = EntryPoints(
        EntryPoint(name, f"third_{name}", "gateway.adapters")
        for name in ("good", "empty", "hollow", "needy", "torn", "Bad Name")
    )

    def listed(*, group: str) -> EntryPoints:
        return points.select(group=group)

    monkeypatch.setattr(plugins, "entry_points", listed)
    return tmp_path


def _package(home: Path, name: str, **modules: str) -> None:
    (home / name).mkdir()
    (home / name / "__init__.py").write_text("", "utf-8")
    for module, text in modules.items():
        (home / name / f"{module}.py").write_text(text, "utf-8")


def test_what_ships_is_found_by_its_folder() -> None:
    assert "local" in plugins.kinds("adapter", shipped_only=True)
    assert {"builtin", "python", "scripted"} <= set(plugins.kinds("agent", shipped_only=True))


@pytest.mark.parametrize(("side", "kind"), [("adapter", "local"), ("agent", "scripted"), ("agent", "python")])
def test_options_of_what_ships_are_a_strict_model(side: plugins.Side, kind: str) -> None:
    options = plugins.options_of(side, kind)

    assert options.model_config.get("extra") == "forbid"


def test_shipped_agent_can_be_created(tmp_path: Path) -> None:
    options = plugins.options_of("agent", "scripted").model_validate({"directives": True})

    assert plugins.create_agent("scripted", options, name="a", base=tmp_path).reports_actions


def test_shipped_adapter_can_be_created() -> None:
    options = plugins.options_of("adapter", "local").model_validate({})

    assert plugins.create_adapter("local", options, bot="b").routes()


def test_third_party_is_found_by_its_entry_point(home: Path) -> None:
    _package(
        home,
        "third_good",
        options="from pydantic import BaseModel\nclass Options(BaseModel):\n    x: int = 1\n",
        adapter="def create(options, *, bot):\n    return f'{bot} {options.x}'\n",
    )

    options = plugins.options_of("adapter", "good")

    assert issubclass(options, BaseModel)
    assert str(plugins.create_adapter("good", options(), bot="b")) == "b 1"
    assert "good" in plugins.kinds("adapter")
    assert "good" not in plugins.kinds("adapter", shipped_only=True)
    assert "Bad Name" not in plugins.kinds("adapter")


def test_factory_that_asks_for_the_folder_of_the_configuration_is_given_it(home: Path) -> None:
    _package(home, "third_good", adapter="def create(options, *, bot, base):\n    return base / options\n")

    assert str(plugins.create_adapter("good", "a.txt", bot="b", base=home)) == str(home / "a.txt")
    assert str(plugins.create_adapter("good", "a.txt", bot="b")) == str(Path.cwd() / "a.txt")


@pytest.mark.parametrize(
    "field", ["language: str = ''", "tools: int = 1", "x: str = Field('', alias='agent')"]
)
def test_option_that_a_bot_keeps_for_itself_is_refused(home: Path, field: str) -> None:
    """It would stand in the YAML, and never reach the adapter."""
    head = "from pydantic import BaseModel, Field\nclass Options(BaseModel):\n    "
    _package(home, "third_good", options=f"{head}{field}\n")

    name = "agent" if "alias" in field else field.partition(":")[0]
    with pytest.raises(
        PluginError, match=f"adapter 'good' is broken: its Options name '{name}', which every"
    ):
        plugins.options_of("adapter", "good")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("locl", r"there is no adapter 'locl'; did you mean 'local'\?"),
        ("zzz", r"there is no adapter 'zzz'; available in this version: .*local"),
        ("../local", "there is no adapter"),
        ("local.options", "there is no adapter"),
        ("", "there is no adapter"),
        ("_hidden", "there is no adapter"),
        ("Bad Name", "there is no adapter"),
        ("os", "there is no adapter"),
    ],
)
@pytest.mark.usefixtures("home")
def test_kind_that_nobody_provides_is_told_with_what_is_near(kind: str, told: str) -> None:
    with pytest.raises(PluginError, match=told):
        plugins.options_of("adapter", kind)


def test_library_that_is_not_installed_is_named_with_its_package(home: Path) -> None:
    _package(home, "third_needy", adapter="import some_sdk_nobody_has\n")

    with pytest.raises(
        PluginError, match=r"needs 'some_sdk_nobody_has', which is not installed: pip install"
    ):
        plugins.create_adapter("needy", object(), bot="b")


def test_sdk_of_what_ships_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is None in `sys.modules` cannot be imported."""
    for name in [name for name in sys.modules if name.startswith("gateway_adapters.local.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.routing", None)
    monkeypatch.setitem(sys.modules, "markdown_it", None)

    with pytest.raises(PluginError, match=r'which is not installed: pip install "lastword\[local\]"'):
        plugins.create_adapter("local", object(), bot="b")


def test_library_of_another_version_is_told(home: Path) -> None:
    _package(home, "third_torn", adapter="from json import nothing_of_this_name\n")

    with pytest.raises(PluginError, match="does not fit what is installed beside it"):
        plugins.create_adapter("torn", object(), bot="b")


def test_package_without_its_modules_is_broken(home: Path) -> None:
    _package(home, "third_empty")

    with pytest.raises(PluginError, match=r"is broken: 'third_empty\.options' does not exist"):
        plugins.options_of("adapter", "empty")


@pytest.mark.parametrize("text", ["", "Options = 5\n", "class Options: pass\n"])
def test_package_without_its_names_is_broken(home: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "third_hollow.options", raising=False)
    _package(home, "third_hollow", options=text)

    with pytest.raises(PluginError, match="is broken"):
        plugins.options_of("adapter", "hollow")


def test_options_of_every_shipped_kind_import_no_sdk() -> None:
    """`check` and `schema` work with no extra installed."""
    code = """
import sys
from gateway import plugins
for side in ("adapter", "agent"):
    for kind in plugins.kinds(side, shipped_only=True):
        plugins.options_of(side, kind)
heavy = {"telegram", "pydantic_ai", "openai", "starlette", "httpx", "uvicorn"} & set(sys.modules)
sys.exit(f"loaded {heavy}" if heavy else 0)
"""
    path = [str(ROOT), str(ROOT / "adapters"), str(ROOT / "agents")]
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}{code}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (found.returncode, found.stderr) == (0, "")
