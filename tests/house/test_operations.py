"""docs/operations: what its files start is there, and the page names them all."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from flowc.runtime.cli.app import run

FOLDER = "docs/operations"
UNITS = ("flowc-serve.service", "flowc-worker@.service")


def compose(root: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((root / FOLDER / "compose.yaml").read_text(encoding="utf-8")))


def lines(root: Path, name: str) -> list[str]:
    return (root / FOLDER / name).read_text(encoding="utf-8").splitlines()


def commands(root: Path) -> list[list[str]]:
    """What the containers and the units start, behind `flowc`."""
    of_compose = [service.get("command") for service in compose(root)["services"].values()]
    [of_image] = [yaml.safe_load(s[4:]) for s in lines(root, "Dockerfile") if s.startswith("CMD ")]
    of_units = [
        line.partition("/flowc ")[2].split()
        for unit in UNITS
        for line in lines(root, unit)
        if line.startswith("ExecStart=")
    ]
    return [words for words in (*of_compose, of_image, *of_units) if words]


def test_every_command_is_one_of_flowc(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = commands(root)
    assert {words[0] for words in found} == {"serve", "worker"}
    assert len(found) == 5
    for words in found:
        assert run([*words, "--help"]) == 0
        shown = capsys.readouterr().out
        assert all(word in shown for word in words if word.startswith("--")), words


def test_the_image_installs_extras_that_there_are_and_is_not_root(root: Path) -> None:
    text = "\n".join(lines(root, "Dockerfile"))
    named = text.partition("'.[")[2].partition("]'")[0].split(",")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(named) <= set(project["project"]["optional-dependencies"])
    assert "\nUSER 10001\n" in text
    assert "--uid 10001" in text
    assert "uid=10001" in str(compose(root)["services"]["serve"]["tmpfs"])


def test_compose_starts_a_store_a_service_and_two_workers_without_a_secret(root: Path) -> None:
    services = compose(root)["services"]
    assert set(services) == {"db", "serve", "worker"}
    assert services["worker"]["deploy"]["replicas"] == 2
    assert services["serve"]["ports"] == ["127.0.0.1:8321:8321"]
    for service in services.values():
        for name, value in service["environment"].items():
            assert value.startswith("${") or not name.endswith(("PASSWORD", "KEY")), name


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_the_units_are_right(root: Path, tmp_path: Path) -> None:
    flowc = tmp_path / "flowc"
    flowc.write_text("#!/bin/sh\n")
    flowc.chmod(0o755)
    for unit in UNITS:
        text = (root / FOLDER / unit).read_text(encoding="utf-8")
        (tmp_path / unit).write_text(text.replace("/usr/local/flowc/bin/flowc", str(flowc)))
    words = ["systemd-analyze", "verify", *(str(tmp_path / unit) for unit in UNITS)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    ours = [line for line in done.stderr.splitlines() if line.startswith("flowc")]
    assert ours == []


def test_the_page_names_every_file(root: Path) -> None:
    page = (root / "docs/operations.md").read_text(encoding="utf-8")
    for file in (root / FOLDER).iterdir():
        assert f"(operations/{file.name})" in page
