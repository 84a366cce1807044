"""The container files, as far as they can be judged without containers."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
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


GATEWAYS = ("gateway", "gateway-a", "gateway-b")


@pytest.mark.parametrize("name", [*GATEWAYS, "valkey"])
def test_service_may_do_little_and_has_time_to_end(name: str) -> None:
    service = _compose()["services"][name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert int(service["stop_grace_period"].rstrip("s")) >= 30
    assert service["healthcheck"]["test"]
    assert service["restart"] == "unless-stopped"


def test_single_gateway_keeps_its_data_and_starts_without_a_profile() -> None:
    services = _compose()["services"]

    assert [name for name, service in services.items() if "profiles" not in service] == ["gateway"]
    assert any(volume.startswith("data:/data") for volume in services["gateway"]["volumes"])


def test_replicas_share_one_valkey_that_keeps_everything() -> None:
    compose = _compose()
    services = compose["services"]
    valkey = services["valkey"]
    told = dict(itertools.pairwise(valkey["command"]))

    assert {name for name, service in services.items() if service.get("profiles") == ["replicas"]} == {
        "gateway-a",
        "gateway-b",
        "valkey",
    }
    assert (told["--appendonly"], told["--maxmemory-policy"]) == ("yes", "noeviction")
    assert any(volume.startswith("valkey:/data") for volume in valkey["volumes"])
    assert {"data", "valkey"} == set(compose["volumes"])
    for name in ("gateway-a", "gateway-b"):
        assert services[name]["environment"] == {"LASTWORD_STORE": "redis://valkey:6379/0"}
        assert services[name]["depends_on"] == {"valkey": {"condition": "service_healthy"}}


def test_ports_are_of_this_machine_alone_and_do_not_clash() -> None:
    ports = [port for name in GATEWAYS for port in _compose()["services"][name]["ports"]]

    assert all(port.startswith("127.0.0.1:") for port in ports)
    outside = [re.findall(r":-(\d+)}", port) for port in ports]
    assert sorted(outside) == [["8080"], ["8081"], ["8082"]]


def test_example_of_the_container_is_right_and_fits_it(tmp_path: Path) -> None:
    text = (ROOT / "config/examples/docker.yaml").read_text("utf-8")
    (tmp_path / "bots.yaml").write_text(text, "utf-8")
    settings = load(
        tmp_path / "bots.yaml", options=plugins.options_of, env={"TELEGRAM_TOKEN": "123456789:" + "a" * 35}
    )

    assert settings.store == "sqlite:/data/lastword.db"
    assert settings.server.port == 8080
    assert settings.server.host != "127.0.0.1"


def test_example_of_the_container_takes_the_store_that_replicas_get(tmp_path: Path) -> None:
    text = (ROOT / "config/examples/docker.yaml").read_text("utf-8")
    (tmp_path / "bots.yaml").write_text(text, "utf-8")
    env = {"TELEGRAM_TOKEN": "123456789:" + "a" * 35, "LASTWORD_STORE": "redis://valkey:6379/0"}

    assert load(tmp_path / "bots.yaml", options=plugins.options_of, env=env).store == "redis://valkey:6379/0"
