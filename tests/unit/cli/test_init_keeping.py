"""What `init` writes is whole or not there, and secrets come back as they were kept."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cli.keeping import Page, Secrets, write
from gateway.errors import ConfigError

_VALUES = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=20)


@given(_VALUES)
def test_secret_comes_back_as_it_was_kept(value: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        secrets = Secrets(folder, {})
        secrets.keep("KEY", value)
        page = secrets.page()
        assert page is not None
        write([page])

        assert Secrets(folder, {}).find("KEY") == value


def test_secret_that_is_kept_already_is_not_written_again(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=one\n")
    secrets = Secrets(tmp_path, {"OTHER": "two"})

    names = [secrets.keep("KEY", "one"), secrets.keep("OTHER", "two")]

    assert names == ["KEY", "OTHER"]
    assert secrets.page() is None


def test_empty_line_of_a_template_is_filled(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=\n")
    secrets = Secrets(tmp_path, {})

    assert secrets.keep("KEY", "one") == "KEY"
    page = secrets.page()
    assert page is not None
    write([page])
    assert Secrets(tmp_path, {}).find("KEY") == "one"


def test_empty_variable_of_the_environment_is_not_relied_on(tmp_path: Path) -> None:
    """It would win over what is kept."""
    assert Secrets(tmp_path, {"KEY": ""}).keep("KEY", "one") == "KEY_2"


def test_secrets_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("no assignment\n")

    with pytest.raises(ConfigError, match=r"\.env:1:1: this line is not KEY=VALUE"):
        Secrets(tmp_path, {})


def test_file_behind_a_link_is_replaced_and_the_link_kept(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")

    write([Page(tmp_path / "link", "new", secret=True)])

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600


def test_nothing_is_replaced_before_all_is_written(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("old")

    with pytest.raises(FileNotFoundError):
        write([Page(tmp_path / "one", "new"), Page(tmp_path / "nowhere" / "two", "new")])

    assert (tmp_path / "one").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
