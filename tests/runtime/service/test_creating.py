"""CREATE_WORKFLOW, CREATE_TEAM, EXECUTE_WORKFLOW: every rule of their validation (C2–C11, C22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from flowc.runtime.service.records.tables import AT_ONCE
from watched import watched

from .conftest import Desk, Opening, contract, gate, step, team

GREET = """\
flow: 1
name: greet
params:
  NAME: {type: text, required: true}
outputs: [GREETING]
state: {GREETING: text}
nodes:
  - name: greet
    assign: {GREETING: '"hello " + NAME'}
"""


def called(id: str) -> dict[str, Any]:
    """A team as it was created, with an agent of this id."""
    agents = [{"agent_id": id, "role": "writer"}, {"agent_id": "ben", "role": "reader"}]
    return {"agent_roles": None, "agents": agents}


class TestCreateWorkflow:
    def test_c5_the_duration_is_the_sum_also_in_parallel(self, desk: Desk) -> None:
        made = desk.post("/workflows", contract(workflow_type="parallel"))
        assert made["estimated_total_duration"] == 30
        assert made["validation_status"]["is_valid"] is True
        assert made["error"] is None

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"steps": []}, "step"),
            ({"steps": [step("a", "r", "nobody")]}, "nobody"),
            ({"steps": [step("a", "r", "b"), step("b", "r", "a")]}, "a"),
            ({"steps": [step("a", "r", "a")]}, "a"),
            ({"steps": [step("a", required_role="")]}, "required_role"),
            ({"steps": [step("a", success_criteria="")]}, "success_criteria"),
            ({"steps": [step("a"), step("a")]}, "a"),
            ({"steps": [step("a", step_type="dance")]}, "dance"),
            ({"workflow_type": "sideways"}, "sideways"),
            ({"quality_gates": gate(1.5)}, "required_score"),
        ],
    )
    def test_c2_c3_what_is_no_workflow_is_refused_with_its_lines(
        self, desk: Desk, fields: dict[str, Any], words: str
    ) -> None:
        told = desk.post("/workflows", contract(**fields), 422)
        assert told["error_code"] == "INVALID_WORKFLOW_DEFINITION"
        found = told["validation_status"]
        assert found["is_valid"] is False
        assert any(words in error for error in found["errors"])
        assert found["diagnostics"][0]["line"] >= 1

    def test_c6_warnings_do_not_prevent_use(self, desk: Desk) -> None:
        text = f"{GREET}  - {{name: lonely, assign: {{GREETING: '\"never\"'}}}}\n"
        text = text.replace("- name: greet\n", "- name: greet\n    next: end\n")
        made = desk.post("/workflows", {"file_name": "greet.flow.yaml", "source": text})
        assert any("FC2002" in warning for warning in made["validation_status"]["warnings"])

    def test_c22_ids_of_one_moment_differ(self, desk: Desk) -> None:
        ids = {desk.workflow() for _ in range(20)}
        assert len(ids) == 20

    @pytest.mark.parametrize("body", [b"", b"[", b"nonsense", b"[1, 2]", b'"text"', b"null"])
    def test_what_is_no_json_object_is_refused(self, desk: Desk, body: bytes) -> None:
        answer = desk.client.post("/v1/workflows", content=body)
        assert answer.status_code == 422
        assert answer.json()["error_code"] == "INVALID_WORKFLOW_DEFINITION"

    def test_a_text_that_is_not_utf_8_is_refused(self, desk: Desk) -> None:
        answer = desk.client.post("/v1/workflows", content=b'{"workflow_name": "\xff"}')
        assert answer.status_code == 422
        assert "not UTF-8" in answer.json()["error_message"]

    def test_files_of_this_machine_are_not_there(self, desk: Desk) -> None:
        text = (
            "# Workflow\n\n```mermaid\nflowchart TD\n    START([Start]) --> CALL_X[[/etc/passwd]]\n"
        )
        text += "    CALL_X --> SUCCESS([Done])\n```\n"
        told = desk.post("/workflows", {"file_name": "a.wf.md", "source": text}, 422)
        assert "localhost" not in str(told)


class TestCreateTeam:
    def test_c9_a_team_is_ready_with_an_id_for_each_agent(self, desk: Desk) -> None:
        made = desk.post("/teams", team())
        assert made["team_status"] == "ready"
        assert len({agent["agent_id"] for agent in made["agents"]}) == 3

    @pytest.mark.parametrize(
        "fields",
        [
            {"team_name": ""},
            {"team_name": "x" * 101},
            {"team_type": "band"},
            {"agent_roles": team()["agent_roles"][:1]},
            {"agent_roles": team()["agent_roles"] * 2},
            {"agent_roles": [team()["agent_roles"][0]] * 2},
            {"agent_roles": [{}, {}]},
            {"agent_roles": "all"},
            {"workflow_config": {"type": "sideways"}},
            *(called(id) for id in ("ALL", "a b", "é", "a\0", "x" * 201)),
        ],
    )
    def test_c9_what_is_no_team_is_refused(self, desk: Desk, fields: dict[str, Any]) -> None:
        asked = {**team(), **fields}
        told = desk.post("/teams", {k: v for k, v in asked.items() if v is not None}, 422)
        assert told["error_code"] == "INVALID_TEAM_CONFIG"
        assert "line " in told["error_message"]

    def test_invalid_team_config(self, desk: Desk) -> None:
        """The line is one of what was sent, and every fault is told."""
        text = '{"team_name": "T",\n"team_type":\n"band", "agent_roles": []}'
        told = desk.client.post("/v1/teams", content=text).json()
        assert told["error_code"] == "INVALID_TEAM_CONFIG"
        lines = [d["line"] for d in told["details"]["diagnostics"]]
        assert lines == [3, 3]
        assert "band" in told["error_message"]
        assert told["execution_context"]["execution_id"] == ""
        assert desk.client.post("/v1/teams", content=b"\xff").json()["error_code"] == (
            "INVALID_REQUEST"
        )
        assert desk.get("/teams")["teams"] == []


class TestExecute:
    def test_c11_only_the_first_step_is_assigned_in_a_sequential_one(self, desk: Desk) -> None:
        id, agents = desk.team()
        made = desk.post("/executions", {"workflow_id": desk.workflow(), "team_id": id})
        (first,) = made["initial_assignments"]
        assert (first["step_id"], first["agent_id"]) == ("gather", agents["researcher"])
        assert first["estimated_start"] == "2026-05-01T09:00:00.000+00:00"
        assert first["deadline"] == "2026-05-01T09:10:00.000+00:00"
        assert "gather is right" in first["task_description"]

    def test_c11_every_free_step_is_assigned_in_a_parallel_one(self, desk: Desk) -> None:
        id, _ = desk.team()
        steps = [step("a"), step("b", "analyst"), step("c", "synthesizer", "a", "b")]
        workflow = desk.workflow(workflow_type="parallel", steps=steps, quality_gates=gate(0.5))
        made = desk.post("/executions", {"workflow_id": workflow, "team_id": id})
        assert [a["step_id"] for a in made["initial_assignments"]] == ["a", "b"]
        assert made["next_milestone"]["milestone_name"] == "It is good"
        assert made["next_milestone"]["estimated_completion"] == "2026-05-01T09:20:00.000+00:00"

    def test_workflow_not_found(self, desk: Desk) -> None:
        told = desk.post("/executions", {"workflow_id": "wf-none"}, 404)
        assert told["error_code"] == "WORKFLOW_NOT_FOUND"

    def test_team_not_found(self, desk: Desk) -> None:
        asked = {"workflow_id": desk.workflow(), "team_id": "team-none"}
        assert desk.post("/executions", asked, 404)["error_code"] == "TEAM_NOT_FOUND"

    def test_c10_missing_required_roles_are_named(self, desk: Desk) -> None:
        id, _ = desk.team(roles=("researcher", "writer"))
        told = desk.post("/executions", {"workflow_id": desk.workflow(), "team_id": id}, 409)
        assert told["error_code"] == "MISSING_REQUIRED_ROLES"
        assert "analyst, synthesizer" in told["error_message"]

    @pytest.mark.parametrize(
        "config",
        [
            {"max_iterations": 0},
            {"max_iterations": 101},
            {"timeout_minutes": 0},
            {"quality_enforcement": "harsh"},
            {"auto_retry": "yes"},
            {"unknown": 1},
        ],
    )
    def test_the_configuration_is_within_its_ranges(
        self, desk: Desk, config: dict[str, Any]
    ) -> None:
        id, _ = desk.team()
        asked = {"workflow_id": desk.workflow(), "team_id": id, "execution_config": config}
        told = desk.post("/executions", asked, 422)
        assert told["error_code"] == "INVALID_REQUEST"
        assert next(iter(config)) in told["error_message"]

    def test_another_dialect_is_executed_with_its_parameters(self, desk: Desk) -> None:
        made = desk.post("/workflows", {"file_name": "greet.flow.yaml", "source": GREET})
        asked: dict[str, Any] = {"workflow_id": made["workflow_id"]}
        told = desk.post("/executions", asked, 422)
        assert "`NAME`" in told["error_message"]
        told = desk.post("/executions", {**asked, "input_parameters": {"NAM": "x"}}, 422)
        assert "`NAM`" in told["error_message"]
        asked["input_parameters"] = {"NAME": "Ada"}
        id = desk.post("/executions", asked)["execution_id"]
        for _ in range(200):
            if desk.status(id)["workflow_status"] not in ("starting", "executing"):
                break
        status = desk.status(id)
        assert (status["workflow_status"], status["result"]) == ("completed", "hello Ada")


def test_lists_read_a_few_texts_at_a_time(opening: Opening) -> None:
    """A text may have megabytes: those of a whole list are never there together."""
    limits: list[int] = []

    def watch(query: str, values: Sequence[Any]) -> None:
        if query.startswith("select body, id from service_workflows"):
            limits.append(values[-1] if query.endswith("limit ?") else 10**9)

    with opening(around=lambda e: replace(e, db=watched(e.db, watch))) as desk:
        _read_lists(desk)
    assert limits
    assert max(limits) <= AT_ONCE + 1


def _read_lists(desk: Desk) -> None:
    made = [desk.workflow(workflow_name=f"w{number:03}") for number in range(AT_ONCE + 3)]
    for limit in (500, AT_ONCE + 3, AT_ONCE + 1, AT_ONCE, 1):
        told = desk.get(f"/workflows?limit={limit}")["workflows"]
        assert len(told) == len({w["workflow_id"] for w in told}) == min(limit, len(made))
    last = told[-1]["workflow_id"]
    rest = desk.get(f"/workflows?limit=500&after={last}")["workflows"]
    assert {w["workflow_id"] for w in rest} == set(made) - {last}
    assert "w000" in desk.client.get("/").text
