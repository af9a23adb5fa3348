"""A compiled project under `langgraph dev`: listed, typed, drawn, run, interrupted and resumed.

Needs the extra `studio` (langgraph-cli with the in-memory server). The model is a local server that
speaks the OpenAI protocol.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer, Say
from ports import free_port

pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
pytestmark = pytest.mark.studio

BLOCKING = ("--allow-blocking",)
"""Starting a shell reads and writes files; the server refuses that on its loop unless told so."""

WORKFLOW = """# Greeter

# Workflow

```mermaid
flowchart TD
    START --> PROMPT_SYSTEM[System] --> PROMPT_DRAFT[User Draft] --> EXECUTE_DRAFT --> ASK_PERSON
    ASK_PERSON --> CHECK_FINE{RESULT == yes}
    PARAMS[GUEST]
    CHECK_FINE --> |TRUE| SUCCESS
    CHECK_FINE --> |FALSE| FAILED
```

# Prompts

## System
You greet people.

## User Draft
Greet {{GUEST}}.
"""


@pytest.fixture
def served(tmp_path: Path, openai_server: OpenAIServer) -> Iterator[str]:
    """The URL of `langgraph dev` on the compiled workflow."""
    (tmp_path / "greeter.wf.md").write_text(WORKFLOW, encoding="utf-8")
    project = tmp_path / "out"
    command = [sys.executable, "-m", "flowc", "compile", "greeter.wf.md", "-o", str(project)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    port = free_port()
    env = os.environ | {
        "FLOWC_MODEL": "openai:gpt-demo",
        "FLOWC_BASE_URL": openai_server.url,
        "OPENAI_API_KEY": "sk-test-0123456789abcdef",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGSMITH_TRACING": "false",
    }
    serve = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", *BLOCKING]
    log = (tmp_path / "server.log").open("wb")
    server = subprocess.Popen(
        [*serve, "--host", "127.0.0.1", "--port", str(port)],
        cwd=project,
        env=env,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        _wait_until_up(port, server, tmp_path / "server.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _wait_until_up(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 150
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.fail(f"langgraph dev ended: {log.read_text()[-3000:]}")
        with socket.socket() as probe:
            probe.settimeout(0.2)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"langgraph dev did not come up: {log.read_text()[-3000:]}")


def test_a_compiled_workflow_is_served_run_interrupted_and_resumed(
    served: str, openai_server: OpenAIServer
) -> None:
    from langgraph_sdk import get_sync_client

    client = get_sync_client(url=served)
    (assistant,) = client.assistants.search()
    assert assistant["graph_id"] == "greeter"

    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    assert "GUEST" in schemas["input_schema"]["properties"]
    assert schemas["output_schema"]["properties"].keys() >= {"RESULT", "STATUS"}

    drawing = client.assistants.get_graph(assistant["assistant_id"])
    drawn = {(edge["source"], edge["target"]) for edge in drawing["edges"]}
    assert {
        ("START", "PROMPT_SYSTEM"),
        ("CHECK_FINE", "SUCCESS"),
        ("CHECK_FINE", "FAILED"),
    } <= drawn
    ask = next(node for node in drawing["nodes"] if node["id"] == "ASK_PERSON")
    assert ask["metadata"]["file"].endswith("greeter.wf.md")
    assert ask["metadata"]["line"] == 7

    openai_server.will(Say("```sh\necho Welcome, Ada!\n```"))
    thread = client.threads.create()
    first = client.runs.wait(thread["thread_id"], "greeter", input={"GUEST": "Ada"})
    (approval,) = first["__interrupt__"]
    assert approval["value"]["commands"] == ["echo Welcome, Ada!"]
    assert openai_server.requests[0].body["messages"][-1]["content"] == "Greet Ada."
    assert client.threads.get(thread["thread_id"])["status"] == "interrupted"

    second = client.runs.wait(thread["thread_id"], "greeter", command={"resume": "yes"})
    (question,) = second["__interrupt__"]
    assert "$ echo Welcome, Ada!\nWelcome, Ada!" in question["value"]["text"]

    last = client.runs.wait(thread["thread_id"], "greeter", command={"resume": "yes"})
    assert (last["STATUS"], last["RESULT"]) == ("SUCCESS", "yes")
    assert len(openai_server.requests) == 1, "the answered model call was made again"
