"""A call of every operation of the service: what a new one lacks, `test_every_operation` says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .conftest import Desk, contract, step, team
from .test_faults import until
from .test_webhook_starts import GREET, created

ASKS = """\
flow: 1
name: asks
outputs: [MORE]
state: {MORE: integer}
nodes:
  - {name: begin, assign: {MORE: 1}}
  - {name: more, ask: "How many?", into: MORE}
"""


@dataclass
class Office:
    """A desk, and what a case begins with: made when it is asked for."""

    desk: Desk
    webhook: str = "https://hears.example/x"
    agents: dict[str, str] = field(default_factory=dict)

    def execution(self, **fields: Any) -> str:
        made, self.agents = self.desk.team()
        asked = {"workflow_id": self.desk.workflow(**fields), "team_id": made}
        return str(self.desk.post("/executions", asked)["execution_id"])

    def asking(self) -> str:
        asked = {"file_name": "asks.flow.yaml", "source": ASKS}
        workflow = self.desk.post("/workflows", asked)["workflow_id"]
        id = self.desk.post("/executions", {"workflow_id": workflow})["execution_id"]
        until(lambda: bool(self.desk.status(id)["questions"]))
        return str(id)

    def message(self, id: str, **fields: Any) -> dict[str, Any]:
        body = {
            "sender_agent_id": self.agents["researcher"],
            "recipient_agent_ids": [self.agents["analyst"]],
            "message_type": "request",
            "content": {"text": "which years?"},
            **fields,
        }
        return self.desk.post(f"/executions/{id}/messages", body)

    def response(self, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "responder_agent_id": self.agents["analyst"],
            "original_message_id": message["message_id"],
            "response_content": {"text": "1871 to 1918", "status": "completed"},
        }

    def paused(self) -> tuple[str, str]:
        id = self.execution()
        return id, str(self.desk.post(f"/executions/{id}/pause", {})["resume_token"])


Call = tuple[dict[str, str], dict[str, Any]]
"""The parts of the path, and the body or the query."""
CASES: dict[str, Callable[[Office], Call]] = {}


def case(name: str) -> Callable[[Callable[[Office], Call]], Callable[[Office], Call]]:
    def keep(make: Callable[[Office], Call]) -> Callable[[Office], Call]:
        CASES[name] = make
        return make

    return keep


def of(id: str, **more: str) -> dict[str, str]:
    return {"execution_id": id, **more}


@case("CREATE_WORKFLOW")
def _(office: Office) -> Call:
    return {}, contract()


@case("CREATE_TEAM")
def _(office: Office) -> Call:
    return {}, team()


@case("EXECUTE_WORKFLOW")
def _(office: Office) -> Call:
    made, _ = office.desk.team()
    return {}, {"workflow_id": office.desk.workflow(), "team_id": made}


@case("GET_WORKFLOW_STATUS")
def _(office: Office) -> Call:
    return of(office.execution()), {"include_details": True, "include_metrics": True}


@case("ASSIGN_TASK")
def _(office: Office) -> Call:
    id = office.execution()
    body = {"step_id": "gather", "agent_id": office.agents["analyst"], "override_role_check": True}
    return of(id), body


@case("COMPLETE_STEP")
def _(office: Office) -> Call:
    id = office.execution()
    done = {"status": "completed", "output": "three sources"}
    return of(id), {
        "assignment_id": office.desk.active(id)["gather"],
        "completion_data": done,
    }


@case("PAUSE_WORKFLOW")
def _(office: Office) -> Call:
    return of(office.execution()), {"pause_reason": "lunch"}


@case("RESUME_WORKFLOW")
def _(office: Office) -> Call:
    id, key = office.paused()
    return of(id), {"resume_token": key}


@case("SEND_MESSAGE")
def _(office: Office) -> Call:
    id = office.execution()
    return of(id), {
        "sender_agent_id": office.agents["researcher"],
        "recipient_agent_ids": ["ALL"],
        "message_type": "information",
        "content": {"text": "hello"},
    }


@case("GET_MESSAGES")
def _(office: Office) -> Call:
    id = office.execution()
    office.message(id)
    return of(id), {"agent_id": office.agents["analyst"]}


@case("MARK_MESSAGE_READ")
def _(office: Office) -> Call:
    id = office.execution()
    sent = office.message(id)["message_id"]
    return of(id), {"agent_id": office.agents["analyst"], "message_ids": [sent]}


@case("RESPOND_TO_MESSAGE")
def _(office: Office) -> Call:
    id = office.execution()
    return of(id), office.response(office.message(id, requires_response=True))


@case("BROADCAST_UPDATE")
def _(office: Office) -> Call:
    id = office.execution()
    return of(id), {
        "sender_agent_id": office.agents["researcher"],
        "update_type": "discovery",
        "content": {"summary": "the register is complete"},
    }


@case("REQUEST_ASSISTANCE")
def _(office: Office) -> Call:
    id = office.execution()
    return of(id), {
        "requester_agent_id": office.agents["researcher"],
        "assistance_type": "expertise",
        "request_details": {"description": "who counts?"},
    }


@case("cancel_execution")
def _(office: Office) -> Call:
    return of(office.execution()), {}


@case("reissue_resume_token")
def _(office: Office) -> Call:
    return of(office.paused()[0]), {}


@case("answer_question")
def _(office: Office) -> Call:
    return of(office.asking(), question_id="more"), {"answer": 3}


@case("events")
def _(office: Office) -> Call:
    id = office.execution(steps=[step("only")])
    office.desk.complete(id, "only")
    until(lambda: office.desk.status(id)["workflow_status"] == "completed")
    return of(id), {"texts": True}


for _name in ("list_workflows", "list_teams", "list_assignments", "list_audit", "list_workers"):
    CASES[_name] = lambda office: ({}, {})
for _name in ("health", "ready", "list_webhooks"):
    CASES[_name] = lambda office: ({}, {})


@case("list_executions")
def _(office: Office) -> Call:
    office.execution()
    asked = {"status": "executing", "text": "study", "agent_id": office.agents["analyst"]}
    return {}, {**asked, "since": "2026-01-01T00:00:00Z"}


@case("get_workflow")
def _(office: Office) -> Call:
    return {"workflow_id": office.desk.workflow()}, {}


@case("get_team")
def _(office: Office) -> Call:
    return {"team_id": office.desk.team()[0]}, {}


CASES["delete_workflow"], CASES["delete_team"] = CASES["get_workflow"], CASES["get_team"]


@case("list_checkpoints")
def _(office: Office) -> Call:
    return of(office.asking()), {"limit": 1}


@case("get_checkpoint")
def _(office: Office) -> Call:
    id = office.asking()
    first = office.desk.get(f"/executions/{id}/checkpoints")["checkpoints"][0]
    return of(id, checkpoint_id=first["checkpoint_id"]), {}


@case("fork_execution")
def _(office: Office) -> Call:
    return of(office.asking()), {"at": "more", "variables": {"MORE": 7}}


@case("create_webhook")
def _(office: Office) -> Call:
    return {}, {"url": office.webhook, "secret": "HOOK_SECRET"}


@case("delete_webhook")
def _(office: Office) -> Call:
    made = office.desk.post("/webhooks", {"url": office.webhook, "secret": "HOOK_SECRET"})
    return {"webhook_id": made["webhook_id"]}, {}


@case("receive_webhook")
def _(office: Office) -> Call:
    return {"workflow_id": created(office.desk, GREET)}, {"NAME": "Ada"}
