"""The Python client over a real socket: every operation, faults, and connections that are lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from flowc.runtime.service import AsyncClient, Client, ServiceFault
from flowc.runtime.service.api.rate_limits import Rate
from flowc.runtime.service.contract.requests import AssignmentConfig, CompletionData
from flowc.runtime.service.contract.responses import WorkflowStatus

from .conftest import contract, gate, step, team
from .served import Lossy, Served, served

DONE = CompletionData(status="completed", output="done", quality_self_assessment=0.9)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as found:
        yield found


@pytest.fixture
def client(service: Served) -> Iterator[Client]:
    with Client(service.address) as opened:
        yield opened


def test_a_collaboration(client: Client) -> None:
    made = client.create_workflow(contract(quality_gates=gate(0.5, "approval")))
    people = client.create_team(team())
    started = client.execute_workflow(
        made.workflow_id, people.team_id, execution_config={"auto_retry": True}
    )
    id = started.execution_id
    synthesizer = people.agents[2].agent_id
    given = client.assign_task(
        id,
        "gather",
        synthesizer,
        assignment_config=AssignmentConfig(priority="high", context={"why": "holiday"}),
        override_role_check=True,
    )
    done = client.complete_step(id, given.assignment_id, DONE, handoff_data={"sources": 3})
    assert done.triggers_next_steps == ["analyse"]
    held = client.pause_workflow(id, pause_reason="night")
    assert client.get_workflow_status(id).workflow_status == "paused"
    resumed = client.resume_workflow(id, held.resume_token, resume_config={"reset_timeout": True})
    assert resumed.steps_restarted == []
    for name in ("analyse", "write"):
        client.complete_step(id, client.wait_for_step(id, name).assignment_id, DONE)
    (question,) = client.wait_until(id, lambda status: bool(status.questions)).questions
    client.answer_question(id, question.question_id, "yes")
    status = client.wait_until(id)
    assert isinstance(status, WorkflowStatus)
    assert (status.workflow_status, len(status.completed_steps or [])) == ("completed", 3)
    assert [listed.execution_id for listed in client.list_executions().executions] == [id]
    assert client.list_workflows(limit=1).workflows[0].workflow_id == made.workflow_id
    assert client.list_teams(after=people.team_id).teams == []
    assert client.list_audit().entries[0].outcome == "done"
    assert client.health().success


def test_the_same_with_asyncio(service: Served) -> None:
    async def collaborate() -> str:
        async with AsyncClient(service.address) as client:
            source = '{"workflow_name": "x"}'
            with pytest.raises(ServiceFault) as refused:
                await client.create_workflow(source)
            assert refused.value.code == "INVALID_WORKFLOW_DEFINITION"
            made, people = await asyncio.gather(
                client.create_workflow(contract(steps=[step("only")])), client.create_team(team())
            )
            started = await client.execute_workflow(made.workflow_id, people.team_id)
            turn = await client.wait_for_step(started.execution_id, "only")
            await client.complete_step(started.execution_id, turn.assignment_id, DONE)
            return (await client.wait_until(started.execution_id)).workflow_status

    assert asyncio.run(collaborate()) == "completed"


def test_a_fault_is_raised_as_the_contract_tells_it(client: Client) -> None:
    people = client.create_team(team())
    made = client.create_workflow(contract())
    id = client.execute_workflow(made.workflow_id, people.team_id).execution_id
    with pytest.raises(ServiceFault) as raised:
        client.assign_task(id, "write", people.agents[2].agent_id)
    fault = raised.value
    assert (fault.code, fault.status) == ("STEP_DEPENDENCIES_NOT_MET", 409)
    assert fault.message == str(fault) == "step `write` waits for analyse"
    assert fault.recovery == ("complete the pending steps first",)
    assert (fault.execution, fault.step) == (id, "write")
    assert fault.details["dependencies_status"]["pending"] == ["analyse"]


@pytest.mark.parametrize("losses", [1, 3])
def test_what_is_sent_again_after_a_lost_answer_is_done_once(service: Served, losses: int) -> None:
    way = Lossy(service.port, losses)
    with Client(way.address, sleep=lambda seconds: time.sleep(seconds / 20)) as client:
        made = client.create_workflow(contract())
        known = client.list_workflows().workflows
    way.close()
    assert [w.workflow_id for w in known] == [made.workflow_id]
    assert way.seen == losses + 2


def test_a_busy_service_is_asked_again_when_it_says(service: Served) -> None:
    slept: list[float] = []
    service.app.state.service.rate = Rate(2.0, 1.0, lambda: sum(slept))
    with Client(service.address, sleep=slept.append) as client:
        assert [client.health().success for _ in range(2)] == [True, True]
        client.list_teams()
        assert slept == []
        client.list_teams()
        assert slept == [1.0]


def test_a_service_that_is_not_there() -> None:
    slept: list[float] = []
    client = Client("http://127.0.0.1:9", sleep=slept.append)
    with client, pytest.raises(ServiceFault) as raised:
        client.health()
    assert slept == [0.2, 0.4, 0.8, 1.6, 3.2]
    assert raised.value.code == "UNAVAILABLE"
    assert "cannot be reached" in raised.value.message


class Stranger(BaseHTTPRequestHandler):
    """Something else that listens there."""

    def do_GET(self) -> None:
        self.send_response(404 if "executions" in self.path else 200)
        self.end_headers()
        self.wfile.write(b"<h1>welcome</h1>")

    def log_message(self, *_: object) -> None:
        pass


def test_something_else_that_answers() -> None:
    server = HTTPServer(("127.0.0.1", 0), Stranger)
    Thread(target=server.serve_forever, daemon=True).start()
    with Client(f"http://127.0.0.1:{server.server_port}") as client:
        for ask in (client.health, client.list_executions):
            with pytest.raises(ServiceFault) as raised:
                ask()
            assert "is not a flowc service" in raised.value.message
    server.shutdown()
    server.server_close()


def test_the_token_comes_from_the_environment(
    service: Served, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    tokens = service.app.state.service.tokens
    clock = service.app.state.service.executing.clock

    made = service.in_loop(tokens.create("ana", "operate", None, None, clock()))
    with pytest.raises(ServiceFault) as raised:
        client.list_teams()
    assert raised.value.code == "UNAUTHENTICATED"
    monkeypatch.setenv("FLOWC_TOKEN", made)
    with Client(service.address) as known:
        known.list_teams()
        with pytest.raises(ServiceFault) as raised:
            known.list_audit()
    assert raised.value.code == "FORBIDDEN"


def test_waiting_ends(client: Client) -> None:
    people = client.create_team(team())
    made = client.create_workflow(contract())
    id = client.execute_workflow(made.workflow_id, people.team_id).execution_id
    with pytest.raises(TimeoutError, match=r"is (starting|executing) after"):
        client.wait_until(id, seconds=0.1)
