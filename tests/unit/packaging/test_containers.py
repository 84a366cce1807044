"""The container files, as far as they can be judged without containers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from gateway import plugins
from gateway.settings import load

ROOT = Path(__file__).parents[3]


def _compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8")))


def test_image_is_small_in_rights_and_installs_only_what_is_locked() -> None:
    steps = (ROOT / "Dockerfile").read_text("utf-8")

    assert re.search(r"^USER 10001$", steps, re.MULTILINE)
    assert "--require-hashes -r requirements.lock" in steps
    assert 'ENTRYPOINT ["lastword"]' in steps
    for source in re.findall(r"^COPY (?!--from)(.+) \S+$", steps, re.MULTILINE):
        assert all((ROOT / name).exists() for name in source.split())


def test_what_the_image_copies_is_sent_to_it() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"}
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)

    assert {name for names in copied for name in names.split()} <= sent


def test_service_may_do_little_keeps_its_data_and_has_time_to_end() -> None:
    service = _compose()["services"]["gateway"]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert any(volume.startswith("data:/data") for volume in service["volumes"])
    assert int(service["stop_grace_period"].rstrip("s")) > 30
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_example_of_the_container_is_right_and_fits_it(tmp_path: Path) -> None:
    text = (ROOT / "config/examples/docker.yaml").read_text("utf-8")
    (tmp_path / "bots.yaml").write_text(text, "utf-8")
    settings = load(
        tmp_path / "bots.yaml", options=plugins.options_of, env={"TELEGRAM_TOKEN": "123456789:" + "a" * 35}
    )

    assert settings.store == "sqlite:/data/lastword.db"
    assert settings.server.port == 8080
    assert settings.server.host != "127.0.0.1"
