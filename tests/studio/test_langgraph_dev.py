"""A compiled project under `langgraph dev`: listed, typed, drawn, run, interrupted and resumed.

Needs the extra `studio` (langgraph-cli with the in-memory server). The model is a local server that
speaks the OpenAI protocol.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dev_server import DevServer, dev_server
from openai_server import OpenAIServer, Say

pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
pytestmark = pytest.mark.studio

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


COUNT = """
flow: 1
name: count
params: {text: {type: text, required: true}}
nodes:
  - {name: count, tool: count_words, args: {text: text}, into: words}
outputs: [words]
"""
TOOLS = """def count_words(text: str) -> int:
    \"\"\"Count the words of a text.\"\"\"
    return len(text.split())
"""


@pytest.fixture
def served(tmp_path: Path, openai_server: OpenAIServer) -> Iterator[DevServer]:
    """`langgraph dev` on two compiled workflows, in another folder than that they were compiled to;
    the files that they were compiled from are gone."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "greeter.wf.md").write_text(WORKFLOW, encoding="utf-8")
    (home / "count.flow.yaml").write_text(COUNT, encoding="utf-8")
    (home / "counting.py").write_text(TOOLS, encoding="utf-8")
    (home / "flowc.toml").write_text('tools.python = ["counting:count_words"]\n', encoding="utf-8")
    files = ("greeter.wf.md", "count.flow.yaml")
    command = [sys.executable, "-m", "flowc", "compile", *files, "-o", "out"]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    project = tmp_path / "moved"
    (home / "out").rename(project)
    shutil.rmtree(home)
    env = {
        "FLOWC_MODEL": "openai:gpt-demo",
        "FLOWC_BASE_URL": openai_server.url,
        "OPENAI_API_KEY": "sk-test-0123456789abcdef",
    }
    with dev_server(project, env) as server:
        yield server


def test_a_compiled_workflow_is_served_run_interrupted_and_resumed(
    served: DevServer, openai_server: OpenAIServer
) -> None:
    client = served.client
    assistants = {row["graph_id"]: row for row in client.assistants.search()}
    assert assistants.keys() == {"greeter", "count"}
    assistant = assistants["greeter"]

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

    thread = client.threads.create()["thread_id"]
    counted = client.runs.wait(thread, "count", input={"text": "two words"})
    assert counted["words"] == 2
