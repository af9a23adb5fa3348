"""A request for every error code of the service; `test_every_operation` says what is lacking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flowc.runtime.service.api.rate_limits import Rate
from httpx import Response

from .conftest import contract, gate, step, team
from .operation_cases import Office
from .test_access import bearer, token

CODES: dict[str, Callable[[Office], Response]] = {}


def code(name: str) -> Callable[[Callable[[Office], Response]], Callable[[Office], Response]]:
    def keep(make: Callable[[Office], Response]) -> Callable[[Office], Response]:
        CODES[name] = make
        return make

    return keep


@code("WORKFLOW_NOT_FOUND")
def _(office: Office) -> Response:
    return office.desk.client.get("/v1/workflows/wf-none")


@code("EXECUTION_NOT_FOUND")
def _(office: Office) -> Response:
    return office.desk.client.get("/v1/executions/ex-none")


@code("TEAM_NOT_FOUND")
def _(office: Office) -> Response:
    return office.desk.client.delete("/v1/teams/team-none")


@code("WEBHOOK_NOT_FOUND")
def _(office: Office) -> Response:
    return office.desk.client.delete("/v1/webhooks/wh-none")


@code("CHECKPOINT_NOT_FOUND")
def _(office: Office) -> Response:
    return office.desk.client.get(f"/v1/executions/{office.asking()}/checkpoints/none")


@code("INVALID_WORKFLOW_DEFINITION")
def _(office: Office) -> Response:
    return office.desk.client.post("/v1/workflows", json=contract(steps=[]))


@code("INVALID_TEAM_CONFIG")
def _(office: Office) -> Response:
    return office.desk.client.post("/v1/teams", json=team(roles=("researcher",)))


@code("INVALID_REQUEST")
def _(office: Office) -> Response:
    return office.desk.client.get("/v1/executions?limit=0")


@code("MISSING_REQUIRED_ROLES")
def _(office: Office) -> Response:
    made, _ = office.desk.team(roles=("researcher", "analyst"))
    body = {"workflow_id": office.desk.workflow(), "team_id": made}
    return office.desk.client.post("/v1/executions", json=body)


@code("STEP_DEPENDENCIES_NOT_MET")
def _(office: Office) -> Response:
    id = office.execution()
    body = {"step_id": "analyse", "agent_id": office.agents["analyst"]}
    return office.desk.client.post(f"/v1/executions/{id}/assignments", json=body)


@code("AGENT_NOT_ELIGIBLE")
def _(office: Office) -> Response:
    id = office.execution()
    body = {"step_id": "gather", "agent_id": office.agents["analyst"]}
    return office.desk.client.post(f"/v1/executions/{id}/assignments", json=body)


@code("ASSIGNMENT_NOT_FOUND")
def _(office: Office) -> Response:
    body = {"assignment_id": "as-none", "completion_data": {"status": "completed"}}
    return office.desk.client.post(f"/v1/executions/{office.execution()}/completions", json=body)


@code("QUALITY_GATE_FAILED")
def _(office: Office) -> Response:
    id = office.execution(steps=[step("only")], quality_gates=gate(0.8))
    return _completed(office, id, "only", quality_self_assessment=0.1)


@code("WORKFLOW_TIMEOUT")
def _(office: Office) -> Response:
    made, _ = office.desk.team()
    asked = {"workflow_id": office.desk.workflow(), "team_id": made}
    config = {"execution_config": {"timeout_minutes": 30}}
    id = str(office.desk.post("/executions", {**asked, **config})["execution_id"])
    assignment = office.desk.active(id)["gather"]
    office.desk.clock.forward(minutes=31)
    body = {"assignment_id": assignment, "completion_data": {"status": "completed", "output": "x"}}
    return office.desk.client.post(f"/v1/executions/{id}/completions", json=body)


@code("EXECUTION_NOT_ACTIVE")
def _(office: Office) -> Response:
    id, _ = office.paused()
    return office.desk.client.post(f"/v1/executions/{id}/pause", json={})


@code("INVALID_RESUME_TOKEN")
def _(office: Office) -> Response:
    id, _ = office.paused()
    return office.desk.client.post(f"/v1/executions/{id}/resume", json={"resume_token": "x"})


@code("AGENT_NOT_FOUND")
def _(office: Office) -> Response:
    return office.desk.client.get(f"/v1/executions/{office.execution()}/messages?agent_id=nobody")


@code("INVALID_RECIPIENT")
def _(office: Office) -> Response:
    id = office.execution()
    own = office.agents["researcher"]
    return _sent(office, id, recipient_agent_ids=[own])


@code("MESSAGE_TOO_LONG")
def _(office: Office) -> Response:
    return _sent(office, office.execution(), content={"text": "x" * 5000})


@code("MESSAGE_NOT_FOUND")
def _(office: Office) -> Response:
    id = office.execution()
    return _answered(office, id, {"message_id": "msg-none"})


@code("RESPONSE_NOT_REQUIRED")
def _(office: Office) -> Response:
    id = office.execution()
    return _answered(office, id, office.message(id))


@code("RESPONSE_DEADLINE_PASSED")
def _(office: Office) -> Response:
    id = office.execution()
    until_then = "2026-05-01T09:30:00+00:00"
    sent = office.message(id, requires_response=True, response_deadline=until_then)
    office.desk.clock.forward(hours=1)
    return _answered(office, id, sent)


@code("UNAUTHENTICATED")
def _(office: Office) -> Response:
    token(office.desk, "read")
    return office.desk.client.get("/v1/workflows")


@code("FORBIDDEN")
def _(office: Office) -> Response:
    headers = bearer(token(office.desk, "read"))
    return office.desk.client.post("/v1/workflows", json=contract(), headers=headers)


@code("TOO_MANY_REQUESTS")
def _(office: Office) -> Response:
    office.desk.client.app.state.service.rate = Rate(0.001, 1.0)  # type: ignore[attr-defined]
    office.desk.client.get("/v1/workflows")
    return office.desk.client.get("/v1/workflows")


@code("CONFLICT")
def _(office: Office) -> Response:
    headers = {"Idempotency-Key": "one"}
    office.desk.client.post("/v1/workflows", json=contract(), headers=headers)
    other = contract(workflow_name="Other")
    return office.desk.client.post("/v1/workflows", json=other, headers=headers)


@code("UNAVAILABLE")
def _(office: Office) -> Response:
    executing = office.desk.client.app.state.service.executing  # type: ignore[attr-defined]
    assert office.desk.client.portal is not None
    office.desk.client.portal.call(executing.engine.store.db.run, "drop table service_teams")
    return office.desk.client.get("/v1/teams")


@code("INTERNAL")
def _(office: Office) -> Response:
    return office.desk.client.get("/v1/workflows")


def _completed(office: Office, id: str, name: str, **data: Any) -> Response:
    done = {"status": "completed", "output": "done", **data}
    body = {"assignment_id": office.desk.active(id)[name], "completion_data": done}
    return office.desk.client.post(f"/v1/executions/{id}/completions", json=body)


def _sent(office: Office, id: str, **fields: Any) -> Response:
    body = {
        "sender_agent_id": office.agents["researcher"],
        "recipient_agent_ids": [office.agents["analyst"]],
        "message_type": "information",
        "content": {"text": "hello"},
        **fields,
    }
    return office.desk.client.post(f"/v1/executions/{id}/messages", json=body)


def _answered(office: Office, id: str, message: dict[str, Any]) -> Response:
    body = office.response(message)
    return office.desk.client.post(f"/v1/executions/{id}/messages/responses", json=body)
