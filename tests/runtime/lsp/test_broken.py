"""The server answers whatever it is given: half-typed, binary, huge, and it ends when left."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress

import pytest
from lsp_client import PATIENCE, Failed, LspClient
from lsp_texts import CHART, CONTRACT, MERMAID, MORE, PLAN, STEPS

FILES = {
    "a.md": STEPS,
    "b.wf.md": CHART,
    "c.wf.md": MORE,
    "d.mmd": MERMAID,
    "e.json": CONTRACT,
    "f.md": PLAN,
}
LARGE = 500_000


def everything(client: LspClient, name: str, offset: int) -> None:
    """Ask everything about one place."""
    text = client.texts[client.uri(name)]
    document = {"uri": client.uri(name)}
    place = {"textDocument": document, "position": client.at(text, offset)}
    span = {"start": place["position"], "end": place["position"]}
    for method, more in (
        ("hover", {}),
        ("definition", {}),
        ("references", {"context": {"includeDeclaration": True}}),
        ("completion", {}),
        ("documentSymbol", {}),
        ("codeAction", {"range": span, "context": {"diagnostics": []}}),
        ("foldingRange", {}),
        ("semanticTokens/full", {}),
        ("semanticTokens/range", {"range": span}),
    ):
        client.request(f"textDocument/{method}", {**place, **more})
    with suppress(Failed):  # what cannot be laid out is refused, with the reason
        client.formatting(name)


@pytest.mark.parametrize("name", FILES)
def test_every_beginning_of_a_file_is_a_file(client, name):
    """As while it is typed: cut off at every third place, and asked about at the end."""
    text = FILES[name]
    client.open(name, "", wait=False)
    for end in range(0, len(text), 7):
        client.write(name, text[:end])
        if end % 3 == 0:
            everything(client, name, end)
    client.write(name, text)
    client.diagnostics(name)
    everything(client, name, len(text) // 2)


ODD = {
    "empty": "",
    "binary": "\x00\x01\x02" * 50,
    "with a mark": "\ufeff" + STEPS,
    "old line ends": STEPS.replace("\n", "\r"),
    "fences": "```" * 500,
    "brackets": "# Workflow\n" + "[" * 5000,
    "emoji": "🧭" * 3000,
    "half a character": STEPS.replace("place", "pl\ud83dce"),
    "line ends of Windows": STEPS.replace("\n", "\r\n"),
    "a long line": "### 🔧 WORKFLOW STEP: " + "x" * 20_000,
    "separators": "\u2028\x85\x0b\x0c".join(STEPS),
}


@pytest.mark.parametrize("name", [*FILES, "untitled:x.md"])
def test_odd_texts(client, name):
    client.open(name, STEPS)
    for text in ODD.values():
        client.write(name, text)
        client.diagnostics(name)
        everything(client, name, len(text) // 2)
        client.replace(name, text[:1], text[:1] + "x")
        client.diagnostics(name)


def test_positions_outside_of_the_text(client):
    client.open("a.md", STEPS)
    document = {"uri": client.uri("a.md")}
    for line, column in ((0, 10_000), (10_000, 0), (3, 99), (2**31 - 1, 2**31 - 1)):
        place = {"textDocument": document, "position": {"line": line, "character": column}}
        client.request("textDocument/hover", place)
        client.request("textDocument/completion", place)
    far = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}
    client.change("a.md", {"range": far, "text": "x"})
    assert client.diagnostics("a.md") == []


def test_separators_that_are_no_line_ends_do_not_shift_an_edit(client):
    text = STEPS.replace("Find a place.", "Find\u2028a\x85place\x0b.")
    client.open("a.md", text)
    client.replace("a.md", "[PLACE]", "[PLACES]")
    [found] = client.diagnostics("a.md")
    assert client.cut("a.md", found["range"]) == "PLACES"


def test_what_is_not_open_and_not_known(client):
    nowhere = {"textDocument": {"uri": client.uri("x.md")}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", nowhere) is None
    client.notify("textDocument/didChange", {
        "textDocument": {"uri": client.uri("x.md"), "version": 2}, "contentChanges": [],
    })  # fmt: skip
    client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri("x.md")}})
    client.notify("$/unheardOf", {})
    assert client.open("a.md", STEPS) == []


MACHINE_HEAD = """{
  "workflow_name": "long", "description": "A long way.",
  "input": {"name": "wish", "type": "string", "description": "what for"},
  "output": {"name": "done", "type": "string", "description": "what came of it"},
  "contexts": [{"name": "talk"}],
  "agents": [{"agent_role": "guide", "context": "talk", "role": "assistant"}],
  "states": [
"""
STATE = (
    '    {{"name": "{name}", "agent": "guide", "input": "Say in a few words what part {n} is, and'
    ' what it needs.", "transition": [{{"target": "{next}", "condition": "true"}}]}},\n'
)
TASK = (
    '    {{"step_id": "s{n}", "required_role": "writer", "description": "Write what part {n} is,'
    ' and what it needs.", "success_criteria": "It is one page.", "dependencies": [{before}]}}'
)
NODE = "  - name: n{n}\n    agent: writer\n    prompt: Say what part {n} is for.\n    into: text\n"
PLANNED = "### Step {n}: Part {n}\n\n*   **ID:** `step_{n}`\n*   **Status:** READY\n" + (
    "*   **Description:** Make part {n} a little louder, and keep its peaks below one.\n\n"
)


def large_machine() -> str:
    count = LARGE // len(STATE)
    names = ["start", *(f"s{n}" for n in range(1, count)), "stop"]
    states = [STATE.format(name=names[n], n=n, next=names[n + 1]) for n in range(count)]
    return MACHINE_HEAD + "".join(states).rstrip(",\n") + "\n  ]\n}\n"


def large_contract() -> str:
    tasks = (TASK.format(n=n, before=f'"s{n - 1}"' if n else "") for n in range(LARGE // len(TASK)))
    head = '{\n  "workflow_name": "Long",\n  "workflow_type": "sequential",\n  "steps": [\n'
    return head + ",\n".join(tasks) + "\n  ]\n}\n"


def large_flow() -> str:
    nodes = "".join(NODE.format(n=n) for n in range(LARGE // len(NODE)))
    return f"flow: 1\nname: long\nnodes:\n{nodes}outputs: [text]\n"


def large_plan() -> str:
    steps = "".join(PLANNED.format(n=n) for n in range(1, LARGE // len(PLANNED)))
    return f"# Long\n\n## Request Summary\n\n## Processing Plan & Status\n\n{steps}"


OTHERS = {
    "m.json": large_machine,
    "e.json": large_contract,
    "n.flow.yaml": large_flow,
    "f.md": large_plan,
}


def large(name: str) -> str:
    if name in OTHERS:
        return OTHERS[name]()
    if name == "a.md":
        head, step = STEPS.split("### 🔧", 1)
        return head + ("### 🔧" + step) * (LARGE // len(STEPS))
    lines = "\n".join(f"    A{n}[a node] --> A{n + 1}" for n in range(LARGE // 30))
    if name == "d.mmd":
        return f"flowchart TD\n{lines}\n"
    return MORE.replace("    START", lines.replace("A", "CHECKPOINT_") + "\n    START")


@pytest.mark.parametrize("name", ["a.md", "b.wf.md", "d.mmd", *OTHERS])
def test_large_files_stay_responsive(client, name):
    """While a large text is compiled the server goes on answering, from what it knew before."""
    text = large(name)
    client.open(name, text)
    line = text.count("\n", 0, len(text) // 2)
    place = {"textDocument": {"uri": client.uri(name)}, "position": {"line": line, "character": 5}}
    client.request("textDocument/hover", place)
    for _ in range(3):  # on a busy machine an answer may be late
        client.change(name, {"range": {"start": place["position"], "end": place["position"]},
                             "text": " "})  # fmt: skip
        begin = time.perf_counter()
        client.request("textDocument/completion", place)
        client.request("textDocument/hover", place)
        answered = time.perf_counter() - begin
        if not client.has_diagnostics(name):  # it may be compiled before the answers are there
            client.diagnostics(name)
        if in_time := answered < max(2, (time.perf_counter() - begin) / 2):
            break
    assert in_time


def test_a_newer_text_makes_an_older_one_not_worth_finishing(client):
    """Twenty keystrokes in a large file are not compiled twenty times."""
    client.open("a.md", large("a.md"))
    for _ in range(20):
        client.change("a.md", {"range": _point(0, 0), "text": " "})
    before = client.publications
    client.diagnostics("a.md")
    assert client.publications - before < 10


def _point(line: int, character: int) -> dict:
    at = {"line": line, "character": character}
    return {"start": at, "end": at}


# --- the end ---------------------------------------------------------------------------------


def test_leaving_ends_the_process(own_client):
    own_client.open("a.md", STEPS)
    assert own_client.leave() == 0


def test_an_exit_without_a_farewell_is_an_error(own_client):
    own_client.notify("exit", None)
    assert own_client.process.wait(PATIENCE) == 1


@pytest.mark.parametrize("busy", [False, True])
def test_the_end_of_its_input_ends_the_process(own_client, busy):
    own_client.open("a.md", large("a.md") * 5 if busy else STEPS, wait=False)
    own_client.process.stdin.close()
    own_client.process.wait(PATIENCE)


def test_the_end_of_its_editor_ends_the_process(folder):
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = LspClient(folder, pid=editor.pid)
    client.open("a.md", STEPS)
    assert client.process.poll() is None
    editor.kill()
    editor.wait()
    client.process.wait(PATIENCE)


def test_an_editor_in_another_world_of_processes_is_not_watched(folder):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    client = LspClient(folder, pid=gone.pid)
    assert client.open("a.md", STEPS) == []
    assert client.leave() == 0


def test_without_pygls_the_remedy_is_named():
    code = (
        "import sys; sys.modules['pygls'] = None\n"
        "from flowc.runtime.cli import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "lsp"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=150,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'flowc[lsp]'" in done.stderr
