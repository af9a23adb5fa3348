"""Whatever the service is asked, its answer fits its OpenAPI description: schemathesis with all its
checks, among them no 5xx and no answer outside its schema."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from flowc.runtime.config.settings import Config
from flowc.runtime.service.app import make_app
from flowc.runtime.service.contract.operations import OPERATIONS
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.operations.executions import open_executing

from .served import Served, served

HERE = Path(__file__).parent
SEED = os.environ.get("FLOWC_SEED", "1")


def checked(service: Served, folder: Path, *options: str, **env: str) -> int:
    """How many requests were sent, after all of them were answered as described."""
    inside = service.app.state.service
    now = inside.executing.clock()
    token = service.in_loop(inside.tokens.create("checker", "admin", None, None, now))
    path = os.pathsep.join([str(HERE), *(part for part in sys.path if part)])
    argv = [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "schemathesis.toml"]
    argv += ["run", f"{service.address}/v1/openapi.json", "--checks", "all", "--no-color"]
    argv += ["--header", f"Authorization: Bearer {token}", "--seed", SEED]
    done = subprocess.run(
        [*argv, "--rate-limit", "95/s", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    sent = re.search(r"(\d+) generated", done.stdout)
    assert sent is not None, done.stdout[-2000:]
    noted = service.in_loop(inside.audit.page(500))
    assert not [row for row in noted if row[3] == "INTERNAL"]
    return int(sent[1])


def test_a_few_dozen_requests_are_answered_as_described(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        assert checked(service, tmp_path, "-n", "2", "--phases", "examples,fuzzing") >= 30


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_five_thousand_requests_are_answered_as_described(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        sent = checked(service, tmp_path, "-n", "70", "--phases", "examples,coverage,fuzzing")
    print(f"{sent} requests, seed {SEED}: all answered as described")
    assert sent >= 5000


def test_a_link_leads_to_an_operation_and_fills_what_it_takes(tmp_path: Path) -> None:
    described = make_app(lambda: open_service(open_executing("", Config()), trusted=True)).openapi()
    operations = {
        operation["operationId"]: operation
        for path in described["paths"].values()
        for operation in path.values()
    }
    links = [
        link
        for operation in operations.values()
        for link in operation["responses"].get("200", {}).get("links", {}).values()
    ]
    assert len(links) >= sum(len(row.links) for row in OPERATIONS)
    for link in links:
        target = operations[link["operationId"]]
        assert link.get("parameters", {}).keys() <= {p["name"] for p in target["parameters"]}
        body = target.get("requestBody", {}).get("content", {}).get("application/json", {})
        name = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
        fields = described["components"]["schemas"][name]["properties"] if name else {}
        assert link.get("requestBody", {}).keys() <= fields.keys()


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_what_is_made_is_asked_about_as_links_follow_from_it(tmp_path: Path) -> None:
    """What one answer made is what the next request is about: executions of workflows and teams
    that are there, messages in executions, pauses and their tokens."""
    with served(tmp_path) as service:
        phase = ("-n", "40", "--phases", "stateful")
        assert checked(service, tmp_path, *phase, FRESH_KEYS="1") >= 200
