"""The Kubernetes manifests, as far as they can be judged without a cluster."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "config/kubernetes"


def _objects() -> dict[tuple[str, str], dict[str, Any]]:
    """Everything the folder holds, by kind and name."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        for made in yaml.safe_load_all(path.read_text("utf-8")):
            key = (made["kind"], made["metadata"]["name"])
            assert key not in found
            found[key] = made
    return found


def _pod(kind: str, name: str) -> dict[str, Any]:
    template = _objects()[kind, name]["spec"]["template"]
    return dict(template["spec"])


@pytest.mark.parametrize(("kind", "name"), [("Deployment", "lastword"), ("StatefulSet", "lastword-valkey")])
def test_pods_may_do_little(kind: str, name: str) -> None:
    pod = _pod(kind, name)
    container = pod["containers"][0]

    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]
    assert container["livenessProbe"]
    assert container["readinessProbe"]


def test_gateways_are_two_replaced_one_after_the_other_with_time_to_end() -> None:
    made = _objects()["Deployment", "lastword"]["spec"]
    pod = _pod("Deployment", "lastword")

    assert made["replicas"] == 2
    assert made["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert pod["terminationGracePeriodSeconds"] > 30
    assert _objects()["PodDisruptionBudget", "lastword"]["spec"]["minAvailable"] == 1
    image = (ROOT / "Dockerfile").read_text("utf-8")
    assert f"USER {pod['securityContext']['runAsUser']}\n" in image


def test_gateways_find_the_store_and_nobody_else_does() -> None:
    objects = _objects()
    env = {given["name"]: given["value"] for given in _pod("Deployment", "lastword")["containers"][0]["env"]}
    policy = objects["NetworkPolicy", "lastword-valkey"]["spec"]

    assert env["LASTWORD_STORE"] == "redis://lastword-valkey:6379/0"
    assert objects["Service", "lastword-valkey"]["spec"]["ports"][0]["port"] == 6379
    assert policy["ingress"][0]["from"] == [{"podSelector": {"matchLabels": {"app": "lastword"}}}]


def test_store_keeps_everything() -> None:
    container = _pod("StatefulSet", "lastword-valkey")["containers"][0]
    told = dict(itertools.pairwise(container["args"]))

    assert (told["--appendonly"], told["--maxmemory-policy"]) == ("yes", "noeviction")
    assert container["volumeMounts"] == [{"name": "data", "mountPath": "/data"}]


@pytest.mark.parametrize(("kind", "name"), [("Deployment", "lastword"), ("StatefulSet", "lastword-valkey")])
def test_selectors_choose_the_pods_they_mean(kind: str, name: str) -> None:
    objects = _objects()
    made = objects[kind, name]["spec"]
    labels = made["template"]["metadata"]["labels"]

    assert made["selector"]["matchLabels"] == labels
    assert objects["Service", name]["spec"]["selector"] == labels
