"""Clients that others' generators make of the API's description work from creation to completion.

They need `openapi-python-client` on the PATH, and a folder of Node's packages with
`openapi-typescript`, `openapi-fetch` and `typescript`, named by FLOWC_TEST_NODE_MODULES.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.config.settings import Config
from flowc.runtime.service.app import make_app
from flowc.runtime.service.contract.operations import OPERATIONS
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.operations.executions import open_executing

from .served import served

PYTHON = shutil.which("openapi-python-client")
NODE_MODULES = os.environ.get("FLOWC_TEST_NODE_MODULES", "")
IN_PYTHON = """
import sys, time
from flowc_client import AuthenticatedClient
from flowc_client.api.executions import complete_step, execute_workflow, get_workflow_status
from flowc_client.api.teams import create_team
from flowc_client.api.workflows import create_workflow
from flowc_client import models as m

client = AuthenticatedClient(sys.argv[1], token=sys.argv[2], raise_on_unexpected_status=True)
step = m.WorkflowStep(step_id="gather", required_role="a", success_criteria="three")
kind, research = m.ContractWorkflowWorkflowType.SEQUENTIAL, m.TeamDocumentTeamType.RESEARCH
workflow = m.ContractWorkflow(workflow_name="S", workflow_type=kind, steps=[step])
made = create_workflow.sync(client=client, body=workflow)
roles = [m.AgentRole.from_dict({"role_name": n, "type": "person"}) for n in ("a", "b")]
crew = create_team.sync(
    client=client, body=m.TeamDocument(team_name="T", team_type=research, agent_roles=roles)
)
begun = execute_workflow.sync(
    client=client, body=m.ExecuteWorkflow(workflow_id=made.workflow_id, team_id=crew.team_id)
)
about = m.CompletionData(status=m.CompletionDataStatus.COMPLETED, output="A, B, C")
turn = begun.initial_assignments[0]
body = m.CompleteStepBody(assignment_id=turn.assignment_id, completion_data=about)
complete_step.sync(begun.execution_id, client=client, body=body)
for _ in range(200):
    status = get_workflow_status.sync(begun.execution_id, client=client).workflow_status
    if status == "completed":
        break
    time.sleep(0.05)
print(status)
"""
IN_TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };
const client = createClient<paths>({
  baseUrl: process.argv[2],
  headers: { Authorization: `Bearer ${process.argv[3]}` },
});
const fail = (what: unknown): never => { throw new Error(JSON.stringify(what)); };

async function main(): Promise<void> {
  const made = await client.POST("/v1/workflows", {
    body: {
      workflow_name: "S",
      workflow_type: "sequential",
      steps: [{ step_id: "gather", required_role: "a", success_criteria: "three" }],
    },
  });
  const crew = await client.POST("/v1/teams", {
    body: {
      team_name: "T",
      team_type: "research",
      agent_roles: [{ role_name: "a", type: "person" }, { role_name: "b", type: "person" }],
    },
  });
  const begun = await client.POST("/v1/executions", {
    body: {
      workflow_id: made.data?.workflow_id ?? fail(made.error),
      team_id: crew.data?.team_id ?? fail(crew.error),
    },
  });
  const execution_id: string = begun.data?.execution_id ?? fail(begun.error);
  const turn = begun.data?.initial_assignments[0] ?? fail("no turn");
  const done = await client.POST("/v1/executions/{execution_id}/completions", {
    params: { path: { execution_id } },
    body: {
      assignment_id: turn.assignment_id,
      completion_data: { status: "completed", output: "A, B, C" },
    },
  });
  if (!done.data) fail(done.error);
  for (let look = 0; look < 200; look++) {
    const told = await client.GET("/v1/executions/{execution_id}", {
      params: { path: { execution_id } },
    });
    if (told.data?.workflow_status === "completed") {
      console.log(told.data.workflow_status);
      return;
    }
    await new Promise((go) => setTimeout(go, 50));
  }
  fail("it is not completed");
}
main();
"""


def run(folder: Path, *words: str | Path, **env: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def described() -> dict[str, Any]:
    app = make_app(lambda: open_service(open_executing("", Config()), trusted=True))
    return app.openapi()


def test_every_operation_has_a_name_a_tag_and_says_who_may_send_it() -> None:
    told = described()
    schemes, tags = told["components"]["securitySchemes"], [tag["name"] for tag in told["tags"]]
    found: dict[str, str] = {}
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            assert name not in found
            found[name] = f"{method.upper()} {path}"
            assert set(operation["tags"]) <= set(tags)
            assert all(scheme in schemes for one in operation["security"] for scheme in one)
            assert "authorization" not in str(operation.get("parameters")).lower()
            if path.startswith("/v1/operations/"):
                assert f"{operation['x-alias-of']}_by_name" == name
    for row in OPERATIONS:
        assert found[row.name.lower()] == row.route.replace(":path", "")
        open_to_all = told["paths"][row.path.replace(":path", "")][row.method.lower()]
        assert (open_to_all["security"] == []) is (row.scope is None and row.response is not None)
    assert "StreamedEvent" in told["components"]["schemas"]
    assert "event" in told["webhooks"]


@pytest.mark.skipif(PYTHON is None, reason="openapi-python-client is not on the PATH")
def test_a_client_of_openapi_python_client_completes_an_execution(tmp_path: Path) -> None:
    assert PYTHON is not None
    with served(tmp_path) as service:
        inside = service.app.state.service
        now = inside.executing.clock()
        key = service.in_loop(inside.tokens.create("made", "admin", None, None, now))
        document = urllib.request.urlopen(f"{service.address}/v1/openapi.json").read()
        (tmp_path / "openapi.json").write_bytes(document)
        (tmp_path / "config.yaml").write_text("package_name_override: flowc_client\n")
        words = ("generate", "--path", "openapi.json", "--meta", "none", "--config", "config.yaml")
        run(tmp_path, PYTHON, *words, "--output-path", "flowc_client")
        (tmp_path / "use.py").write_text(IN_PYTHON)
        path = os.pathsep.join([str(tmp_path), *(part for part in sys.path if part)])
        words = ("use.py", service.address, key)
        assert run(tmp_path, sys.executable, *words, PYTHONPATH=path).strip() == "completed"


@pytest.mark.skipif(not NODE_MODULES, reason="FLOWC_TEST_NODE_MODULES names no packages of Node")
def test_a_client_of_openapi_typescript_completes_an_execution(tmp_path: Path) -> None:
    tools = Path(NODE_MODULES) / ".bin"
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    with served(tmp_path) as service:
        inside = service.app.state.service
        now = inside.executing.clock()
        key = service.in_loop(inside.tokens.create("made", "admin", None, None, now))
        document = urllib.request.urlopen(f"{service.address}/v1/openapi.json").read()
        (tmp_path / "openapi.json").write_bytes(document)
        optional = ("--default-non-nullable", "false")  # what has a default may be left out
        run(tmp_path, tools / "openapi-typescript", "openapi.json", *optional, "-o", "api.d.ts")
        (tmp_path / "use.ts").write_text(IN_TYPESCRIPT)
        (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
        options = ("--module", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck")
        lib = ("--lib", "es2022,dom")
        run(tmp_path, tools / "tsc", "use.ts", *options, *lib)
        assert run(tmp_path, "node", "use.js", service.address, key).strip() == "completed"
