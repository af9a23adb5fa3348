"""A service or a worker says when it starts what its folder may not do, and not by executions that
fail."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import CHAIN, fleet, slow_model, team, template, until
from flowc.runtime.cli.app import run

from .conftest import Clock, Opening


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that its user never trusted."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    place = tmp_path / "stranger"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_it_does_not_start_in_a_folder_that_wants_what_nobody_granted(
    command: str, stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stranger / "flowc.toml").write_text('base_url = "http://127.0.0.1:9/v1"\n')
    assert run([command, "--store", "some.db"]) == 8
    error = capsys.readouterr().err
    assert "sends prompts and your key to http://127.0.0.1:9/v1" in error
    assert re.search("flowc trust . shows it and asks; or FLOWC_TRUST=[0-9a-f]{64} grants", error)
    assert not (stranger / "some.db").exists()


def test_what_a_digest_grants_holds_for_every_execution(
    opening: Opening, store: str, stranger: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    with (
        slow_model(0.0) as (server, _),
        fleet(stranger, store) as workers,
        opening(Clock(), concurrency=0, base_url=server.url) as desk,
    ):
        workers.config(server.url)
        with contextlib.chdir(stranger):
            assert run(["worker", "--store", store]) == 8
        granted = re.search(r"FLOWC_TRUST=([0-9a-f]+)", capsys.readouterr().err)
        assert granted is not None
        monkeypatch.setenv("FLOWC_TRUST", granted[1])
        workers.start()
        made = desk.post("/teams", team())
        workflow = desk.post("/workflows", template(1, CHAIN))["workflow_id"]
        asked = {"workflow_id": workflow, "team_id": made["team_id"]}
        id = desk.post("/executions", asked)["execution_id"]
        until(lambda: desk.status(id)["workflow_status"] in ("completed", "failed"))
        assert desk.status(id)["workflow_status"] == "completed"
