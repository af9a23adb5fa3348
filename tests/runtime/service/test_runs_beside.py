"""Runs of `flowc run` in the store of a service: its lists and its page show them beside the
executions, to those who see every team, and change nothing in them."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stores import KINDS

from .conftest import Desk, Opening
from .test_faults import until
from .test_page import page

ASKS = """\
flow: 1
name: order
title: An order
outputs: [COUNT]
state: {COUNT: integer, NOTE: text}
nodes:
  - {name: note, assign: {NOTE: '"from the terminal"'}}
  - {name: count, ask: "How <b>many</b>?", into: COUNT}
"""
FAILS = """\
flow: 1
name: bad luck
outputs: [NOTE]
state: {NOTE: text}
nodes:
  - {name: luck, assert: '1 == 2'}
"""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def flowc(folder: Path, store: str, *argv: str, code: int = 0) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "flowc", *argv, "--store", store],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, done.stderr


@pytest.fixture
def runs(tmp_path: Path, store: str) -> Path:
    """The folder of the workflows, two of which have run: one waits for an answer, one failed."""
    (tmp_path / "asks.flow.yaml").write_text(ASKS)
    (tmp_path / "fails.flow.yaml").write_text(FAILS)
    flowc(tmp_path, store, "run", "asks.flow.yaml", "--run-id", "calm-otter", code=4)
    flowc(tmp_path, store, "run", "fails.flow.yaml", "--run-id", "bold-newt", code=1)
    return tmp_path


def listed(desk: Desk, query: str = "", **headers: str) -> list[tuple[str, str, bool]]:
    """Id, status, and whether it is a run, of what the list has."""
    found = desk.get(f"/executions{query}", **headers)["executions"]
    return [(e["execution_id"], e["status"], e["is_run"]) for e in found]


class TestLists:
    def test_runs_stand_among_the_executions_by_their_begin(
        self, runs: Path, opening: Opening
    ) -> None:
        with opening() as desk:
            id = desk.execution()  # the clock of the test is long before that of the runs
            until(lambda: desk.status(id)["workflow_status"] == "executing")
            both = [("bold-newt", "failed", True), ("calm-otter", "executing", True)]
            assert listed(desk) == [*both, (id, "executing", False)]
            assert listed(desk, "?limit=1") == both[:1]
            assert listed(desk, "?limit=1&after=bold-newt") == both[1:]
            assert listed(desk, "?after=calm-otter") == [(id, "executing", False)]
            assert listed(desk, f"?after={id}") == []
            assert listed(desk, "?status=failed") == both[:1]
            assert listed(desk, "?status=executing") == [both[1], (id, "executing", False)]
            assert listed(desk, "?status=paused") == listed(desk, "?status=completed") == []
            first = desk.get("/executions")["executions"][1]
            assert first["file_name"] == "asks.flow.yaml"
            assert first["workflow_id"] == first["team_id"] == ""
            workflow = desk.get("/workflows")["workflows"][0]["workflow_id"]
            assert [one[0] for one in listed(desk, f"?workflow_id={workflow}")] == [id]

    def test_one_without_a_process_is_paused(self, runs: Path, opening: Opening) -> None:
        with opening() as desk:
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
            query = "update runs set status = 'running' where id = 'calm-otter'"
            desk.client.portal.call(executing.db.run, query)  # type: ignore[union-attr]
            assert listed(desk, "?status=paused") == [("calm-otter", "paused", True)]
            assert listed(desk, "?status=executing") == []
            assert listed(desk)[1] == ("calm-otter", "paused", True)

    def test_what_ended_is_completed(self, runs: Path, store: str, opening: Opening) -> None:
        flowc(runs, store, "resume", "calm-otter", "--answer", "count=3")
        with opening() as desk:
            assert listed(desk, "?status=completed") == [("calm-otter", "completed", True)]
            assert desk.get("/executions/calm-otter")["workflow_status"] == "completed"

    def test_a_token_of_a_team_sees_none(self, runs: Path, opening: Opening) -> None:
        with opening(trusted=False) as desk:
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
            tokens = desk.client.app.state.service.tokens  # type: ignore[attr-defined]

            def token(name: str, owner: str | None) -> dict[str, str]:
                call = desk.client.portal.call  # type: ignore[union-attr]
                made = call(tokens.create, name, "admin", owner, None, executing.clock())
                return {"Authorization": f"Bearer {made}"}

            own, every = token("ana", "hedge"), token("ben", None)
            assert listed(desk, **own) == []
            assert len(listed(desk, **every)) == 2
            for path in ("", "/checkpoints", "/events"):
                desk.get(f"/executions/calm-otter{path}", 404, **own)
            desk.get("/executions/calm-otter", **every)


class TestOne:
    def test_its_status_is_told_and_nothing_changes_it(self, runs: Path, opening: Opening) -> None:
        with opening() as desk:
            status = desk.status("calm-otter")
            assert status["workflow_status"] == "executing"
            assert [q["question_id"] for q in status["questions"]] == ["count"]
            assert desk.get("/executions/calm-otter/checkpoints")["checkpoints"]
            changes: dict[str, dict[str, Any]] = {
                "pause": {},
                "cancel": {},
                "resume": {"resume_token": "t"},
                "questions/count": {"answer": 3},
                "forks": {"at": "count"},
                "assignments": {"step_id": "count", "agent_id": "a"},
            }
            for name, body in changes.items():
                told = desk.post(f"/executions/calm-otter/{name}", body, 409)
                assert told["error_code"] == "EXECUTION_NOT_ACTIVE"
                assert "flowc resume calm-otter" in told["recovery_options"][0]
            failed = desk.status("bold-newt")
            assert failed["failure"]["recovery_options"][0].endswith("flowc show bold-newt")

    def test_its_page_has_graph_log_timeline_and_the_command_that_answers(
        self, runs: Path, store: str, opening: Opening
    ) -> None:
        with opening() as desk:
            home = page(desk, "/")
            assert "An order" in home or "order" in home
            assert "1 waits for a person" in home
            text = page(desk, "/executions/calm-otter")
            assert 'id="picture"' in text
            assert 'id="log-1"' in text
            assert 'class="gantt scroll"' in text
            assert "How &lt;b&gt;many&lt;/b&gt;?" in text
            command = re.search(r'aria-label="Command">([^<]*)<', text)
            assert command is not None
            shown = html.unescape(command[1])
            assert shown.startswith("flowc resume calm-otter --store ")
            assert shown.endswith("--answer count=ANSWER")
            assert "<form" not in text.partition("</header>")[2]
            node = page(desk, "/executions/calm-otter/nodes/0")
            assert "from the terminal" in node
            past = page(desk, "/executions/calm-otter/checkpoints")
            assert "flowc fork calm-otter" in html.unescape(past)
            assert "/forks" not in past
            assert "What can be done" in page(desk, "/executions/bold-newt")
