"""A compiled project under `langgraph dev`: listed, typed, drawn, run, interrupted and resumed.

Needs the extra `studio` (langgraph-cli with the in-memory server). The model is a local server that
speaks the OpenAI protocol.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator

import flowc
import pytest
from dev_server import SECONDS, DevServer, dev_server
from openai_server import Hang, OpenAIServer, Recorded, Say

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

SERVER = "open('server-began', 'w').close()\n"
SETTINGS = f"""tools.python = ["counting:count_words"]
[mcp_servers.lazy]
command = "{sys.executable}"
args = ["server.py"]
"""


@pytest.fixture(scope="module")
def openai_server() -> Iterator[OpenAIServer]:
    """One for all tests here: to start the other server takes seconds."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, openai_server: OpenAIServer
) -> Iterator[DevServer]:
    """`langgraph dev` on two compiled workflows, in another folder than that they were compiled to;
    the files that they were compiled from are gone."""
    tmp_path = tmp_path_factory.mktemp("served")
    home = tmp_path / "home"
    home.mkdir()
    (home / "greeter.wf.md").write_text(WORKFLOW, encoding="utf-8")
    (home / "count.flow.yaml").write_text(COUNT, encoding="utf-8")
    (home / "counting.py").write_text(TOOLS, encoding="utf-8")
    (home / "server.py").write_text(SERVER, encoding="utf-8")
    (home / "flowc.toml").write_text(SETTINGS, encoding="utf-8")
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
    assert ask["metadata"]["file"] == "greeter.wf.md"
    assert ask["metadata"]["line"] == 7
    assert not (served.log.parent / "server-began").exists(), "a picture needs no server of tools"

    openai_server.will(Say("```sh\necho Welcome, Ada!\n```"))
    openai_server.requests.clear()
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
    assert "BlockingError" not in served.log.read_text()


def test_a_chat_client_gets_the_model_s_words_in_the_name_of_the_user_s_node(
    served: DevServer, openai_server: OpenAIServer
) -> None:
    """What `useStream` of LangGraph's React package asks for: tokens as they come, with the node
    that they are of, and then the whole of the state."""
    openai_server.will(Say("A greeting for Ada."))
    thread = served.client.threads.create()["thread_id"]
    parts = list(
        served.client.runs.stream(
            thread, "greeter", input={"GUEST": "Ada"}, stream_mode=["messages-tuple", "values"]
        )
    )
    said = [part.data for part in parts if part.event == "messages"]
    assert {about["langgraph_node"] for _, about in said} == {"PROMPT_DRAFT"}
    by_id: dict[tuple[str, str], str] = {}
    for chunk, _ in said:
        key = (chunk["type"], chunk["id"])
        by_id[key] = by_id.get(key, "") + chunk["content"]
    words = {(type, text) for (type, _), text in by_id.items()}
    assert words == {("AIMessageChunk", "A greeting for Ada."), ("human", "Greet Ada.")}
    assert len(said) > len(by_id) == 2, "the words come one after another, each message once"
    assert any(part.event == "values" for part in parts)
    assert "error" not in {part.event for part in parts}


def test_an_image_of_the_project_has_all_that_it_needs(served: DevServer) -> None:
    """What `langgraph build` gives to docker, as far as it goes without it."""
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", "Dockerfile"]
    subprocess.run(command, cwd=served.log.parent, check=True, capture_output=True, timeout=150)
    text = (served.log.parent / "Dockerfile").read_text()
    home = f"/deps/{served.log.parent.name}"
    assert f"ADD . {home}" in text
    assert f"WORKDIR {home}" in text
    assert f'"greeter": "{home}/graphs/greeter.py:graph"' in text
    assert f'"path": "{home}/checkpointer.py:saver"' in text
    project = tomllib.loads((served.log.parent / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == [f"flowc[mcp]=={flowc.__version__}"]
    assert ".env" in (served.log.parent / ".dockerignore").read_text()


def test_an_input_that_replaces_another_takes_that_one_back(
    served: DevServer, openai_server: OpenAIServer
) -> None:
    """`multitask_strategy="rollback"`: the server deletes what the first execution wrote. The call
    that it waits for may use all of its tokens; the other turn has a budget of its own."""
    asked, answer = threading.Event(), openai_server.answer

    def ask(request: Recorded) -> Say | Hang:
        if "Ada" not in request.body["messages"][-1]["content"]:
            return Say("Good day.")
        asked.set()
        return Hang()

    openai_server.answer = ask
    try:
        thread = served.client.threads.create()["thread_id"]
        context = {"limits": {"tokens": 400}}
        served.client.runs.create(thread, "greeter", input={"GUEST": "Ada"}, context=context)
        assert asked.wait(SECONDS)
        how = {"multitask_strategy": "rollback", "context": context}
        done = served.client.runs.wait(thread, "greeter", input={"GUEST": "Bob"}, **how)
        assert done["messages"][-1]["content"] == "Good day."
        assert len(served.client.runs.list(thread)) == 1
        states = served.client.threads.get_history(thread)
        assert {state["values"].get("GUEST") for state in states} == {None, "Bob"}
    finally:
        openai_server.answer = answer
