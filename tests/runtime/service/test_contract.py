"""Every validation rule of the contract and every error code, each with a test of its name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.service.records.errors import FAULTS

from .conftest import Desk, contract, gate, step

RULES = (
    "workflow_has_at_least_one_step",
    "dependencies_reference_valid_steps",
    "no_circular_dependencies",
    "steps_specify_role_and_success_criteria",
    "workflow_id_references_a_valid_workflow",
    "team_id_references_a_team",
    "team_has_all_required_roles",
    "execution_config_is_within_ranges",
    "execution_id_references_an_active_execution",
    "step_id_is_a_step_of_the_workflow",
    "agent_is_a_team_member_with_a_compatible_role",
    "dependencies_are_satisfied_before_assignment",
    "assignment_id_references_an_active_assignment",
    "completion_status_is_valid",
    "quality_self_assessment_is_between_0_and_1",
    "output_meets_success_criteria",
    "sender_agent_id_is_a_team_member",
    "recipient_agent_ids_are_other_team_members",
    "message_type_is_one_of_the_four",
    "content_text_has_1_to_2000_characters",
    "message_priority_is_one_of_the_four",
    "agent_id_is_a_team_member",
    "limit_is_1_to_100",
    "filter_values_are_valid",
    "sort_order_is_supported",
    "agents_mark_only_messages_for_them",
    "responder_is_a_recipient_of_the_original",
    "original_message_requires_a_response",
    "response_text_has_1_to_2000_characters",
    "response_status_is_one_of_the_four",
)
ELSEWHERE = {
    "FORBIDDEN": "test_reading_is_not_operating",
    "UNAUTHENTICATED": "test_the_first_token_closes_the_door",
    "TOO_MANY_REQUESTS": "test_a_caller_is_told_how_long_to_wait",
    "INTERNAL": "test_a_bug_is_answered_in_its_form_and_tells_nothing",
    "CONFLICT": "test_the_key_of_another_request_is_refused",
}
"""Codes that need more than a desk: the tests that see them."""


def test_every_rule_and_every_code_has_a_test() -> None:
    names = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    said = " ".join(names)
    codes = [kind.code for kind in FAULTS if kind.code not in ELSEWHERE]
    lacking = [rule for rule in RULES if f"test_{rule}" not in names]
    lacking += [code for code in codes if code.lower() not in said]
    lacking += [code for code, name in ELSEWHERE.items() if name not in names]
    assert lacking == []


def _refused(desk: Desk, words: str, **fields: Any) -> None:
    told = desk.post("/workflows", contract(**fields), 422)
    assert told["error_code"] == "INVALID_WORKFLOW_DEFINITION"
    assert words in " ".join(told["validation_status"]["errors"])


def test_workflow_has_at_least_one_step(desk: Desk) -> None:
    _refused(desk, "the workflow has no step", steps=[])


def test_dependencies_reference_valid_steps(desk: Desk) -> None:
    _refused(desk, "nobody", steps=[step("a", "r", "nobody")])


def test_no_circular_dependencies(desk: Desk) -> None:
    _refused(desk, "a", steps=[step("e"), step("a", "r", "b", "e"), step("b", "r", "a")])


@pytest.mark.parametrize("name", ["required_role", "success_criteria"])
def test_steps_specify_role_and_success_criteria(desk: Desk, name: str) -> None:
    whole = step("a")
    del whole[name]
    _refused(desk, name, steps=[whole])
    _refused(desk, name, steps=[step("a", **{name: ""})])


def test_invalid_workflow_definition(desk: Desk) -> None:
    _refused(desk, "sideways", workflow_type="sideways")


def _execute(desk: Desk, status: int, **fields: Any) -> dict[str, Any]:
    team, _ = desk.team()
    return desk.post(
        "/executions", {"workflow_id": desk.workflow(), "team_id": team, **fields}, status
    )


def test_workflow_id_references_a_valid_workflow(desk: Desk) -> None:
    assert _execute(desk, 404, workflow_id="wf-none")["error_code"] == "WORKFLOW_NOT_FOUND"


def test_team_id_references_a_team(desk: Desk) -> None:
    assert _execute(desk, 404, team_id="team-none")["error_code"] == "TEAM_NOT_FOUND"


def test_team_has_all_required_roles(desk: Desk) -> None:
    team, _ = desk.team(roles=("researcher", "analyst"))
    told = _execute(desk, 409, team_id=team)
    assert told["error_code"] == "MISSING_REQUIRED_ROLES"
    assert "synthesizer" in told["error_message"]


@pytest.mark.parametrize(
    ("name", "within", "beyond"),
    [
        ("max_iterations", (1, 100), (0, 101)),
        ("timeout_minutes", (1, 525_600), (0, 525_601)),
        ("quality_enforcement", ("strict", "advisory"), ("", "STRICT")),
    ],
)
def test_execution_config_is_within_ranges(
    desk: Desk, name: str, within: tuple[Any, ...], beyond: tuple[Any, ...]
) -> None:
    for value in within:
        _execute(desk, 200, execution_config={name: value})
    for value in beyond:
        told = _execute(desk, 422, execution_config={name: value})
        assert told["error_code"] == "INVALID_REQUEST"


def test_execution_id_references_an_active_execution(desk: Desk) -> None:
    asked = {"step_id": "gather", "agent_id": "x"}
    told = desk.post("/executions/ex-none/assignments", asked, 404)
    assert told["error_code"] == "EXECUTION_NOT_FOUND"
    id = desk.execution()
    desk.post(f"/executions/{id}/pause", {})
    told = desk.post(f"/executions/{id}/assignments", asked, 409)
    assert told["error_code"] == "EXECUTION_NOT_ACTIVE"


def test_step_id_is_a_step_of_the_workflow(desk: Desk) -> None:
    asked = {"step_id": "nothing", "agent_id": "x"}
    told = desk.post(f"/executions/{desk.execution()}/assignments", asked, 422)
    assert told["error_code"] == "INVALID_REQUEST"


def test_agent_is_a_team_member_with_a_compatible_role(desk: Desk) -> None:
    team, agents = desk.team()
    id = _execute(desk, 200, team_id=team)["execution_id"]
    for agent in ("stranger", agents["analyst"]):
        asked = {"step_id": "gather", "agent_id": agent}
        told = desk.post(f"/executions/{id}/assignments", asked, 409)
        assert told["error_code"] == "AGENT_NOT_ELIGIBLE"


def test_dependencies_are_satisfied_before_assignment(desk: Desk) -> None:
    team, agents = desk.team()
    id = _execute(desk, 200, team_id=team)["execution_id"]
    asked = {"step_id": "analyse", "agent_id": agents["analyst"]}
    told = desk.post(f"/executions/{id}/assignments", asked, 409)
    assert told["error_code"] == "STEP_DEPENDENCIES_NOT_MET"
    desk.complete(id, "gather")
    desk.post(f"/executions/{id}/assignments", asked)


def test_assignment_id_references_an_active_assignment(desk: Desk) -> None:
    id = desk.execution()
    old = desk.active(id)["gather"]
    desk.complete(id, "gather")
    for assignment in (old, "as-none"):
        body = {"assignment_id": assignment, "completion_data": {"status": "completed"}}
        told = desk.post(f"/executions/{id}/completions", body, 404)
        assert told["error_code"] == "ASSIGNMENT_NOT_FOUND"


def test_completion_status_is_valid(desk: Desk) -> None:
    id = desk.execution()
    for status in ("done", "", "COMPLETED"):
        desk.complete(id, "gather", 422, status=status)
    desk.complete(id, "gather", status="completed")


def test_quality_self_assessment_is_between_0_and_1(desk: Desk) -> None:
    id = desk.execution()
    for score in (-0.01, 1.01, "0.5"):
        desk.complete(id, "gather", 422, quality_self_assessment=score)
    desk.complete(id, "gather", quality_self_assessment=1.0)
    desk.complete(id, "analyse", quality_self_assessment=0.0)


def test_output_meets_success_criteria(desk: Desk) -> None:
    """What is empty meets none; more is judged by reviews and gates."""
    told = desk.complete(desk.execution(), "gather", 422, output=" \n")
    assert "gather is right" in told["error_message"]


def test_invalid_resume_token(desk: Desk) -> None:
    id = desk.execution()
    desk.post(f"/executions/{id}/pause", {})
    told = desk.post(f"/executions/{id}/resume", {"resume_token": "x"}, 403)
    assert told["error_code"] == "INVALID_RESUME_TOKEN"


def test_quality_gate_failed(desk: Desk) -> None:
    id = desk.execution(steps=[step("only")], quality_gates=gate(0.8))
    told = desk.complete(id, "only", 409, quality_self_assessment=0.79)
    assert told["error_code"] == "QUALITY_GATE_FAILED"
    assert told["recovery_options"]


def test_invalid_request(desk: Desk) -> None:
    told = desk.post("/executions", {"workflow": "wf-x"}, 422)
    assert told["error_code"] == "INVALID_REQUEST"
    assert "workflow_id" in told["error_message"]


def test_agent_not_eligible(desk: Desk) -> None:
    """A synchronization merges by itself."""
    team, agents = desk.team()
    steps = [step("a"), step("both", "analyst", "a", step_type="synchronization")]
    id = _execute(desk, 200, team_id=team, workflow_id=desk.workflow(steps=steps))["execution_id"]
    asked = {"step_id": "both", "agent_id": agents["analyst"]}
    told = desk.post(f"/executions/{id}/assignments", asked, 409)
    assert told["error_code"] == "AGENT_NOT_ELIGIBLE"
    assert "nobody does it" in told["error_message"]


def test_execution_not_active(desk: Desk) -> None:
    id = desk.execution(steps=[step("only")])
    desk.complete(id, "only")
    for path, body in (("pause", {}), ("resume", {"resume_token": "x"})):
        told = desk.post(f"/executions/{id}/{path}", body, 409)
        assert told["error_code"] == "EXECUTION_NOT_ACTIVE"


def test_unavailable(desk: Desk, store: str, caplog: pytest.LogCaptureFixture) -> None:
    db = desk.client.app.state.service.executing.engine.store.db  # type: ignore[attr-defined]
    assert desk.client.portal is not None
    desk.client.portal.call(db.run, "drop table service_teams")
    told = desk.get("/teams", 503)
    assert told["error_code"] == "UNAVAILABLE"
    assert store not in told["error_message"], "where it lies concerns nobody"
    assert store in caplog.text
    desk.get("/workflows")
