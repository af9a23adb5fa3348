"""The commands that show something: inspect, graph, explain, doctor, completion."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from importlib.util import find_spec

import pytest
from flowc.compiler.checks import CODES
from flowc.runtime.cli import app
from flowc.runtime.events import RunEvent
from flowc.runtime.graph.overlay import overlay_of
from flowc.runtime.store.runs import RunRecord, open_store

CHART = """# Try it

# Workflow

```mermaid
flowchart TD
    START --> EXECUTE_TRY[python3 --version]
    EXECUTE_TRY --> CHECK_IT{RESULT CONTAINS 'Python'}
    CHECK_IT --> |YES| SUCCESS
    CHECK_IT --> |NO| EXECUTE_TRY
```
"""
STORE = "sqlite:///runs.db"


@pytest.fixture
def chart(tmp_path):
    (tmp_path / "try.wf.md").write_text(CHART)
    return "try.wf.md"


def test_inspect_prints_the_neutral_summary(flowc, chart):
    done = flowc("inspect", chart, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert set(summary) >= {
        "schema_version", "format", "file", "name", "title", "params", "nodes", "edges", "agents",
        "prompts", "scripts", "limits", "progress", "diagnostics",
    }  # fmt: skip
    assert (summary["format"], summary["title"]) == ("flowchart", "Try it")
    assert [n["id"] for n in summary["nodes"]] == ["START", "EXECUTE_TRY", "CHECK_IT", "SUCCESS"]
    assert {"source": "CHECK_IT", "target": "EXECUTE_TRY", "label": "NO"} in summary["edges"]
    check = summary["nodes"][2]
    assert check["detail"] == {"expression": "RESULT CONTAINS 'Python'", "prompt": None}
    assert (check["line"], check["column"]) == (8, 21)


def test_inspect_of_a_faulty_file_shows_what_could_be_read(flowc, tmp_path):
    (tmp_path / "a.wf.md").write_text(CHART.replace("|NO|", "|PERHAPS|"))
    done = flowc("inspect", "a.wf.md", "--json")
    assert done.returncode == 1
    summary = json.loads(done.stdout)
    assert [d["code"] for d in summary["diagnostics"]] == ["FC1005"]
    assert len(summary["nodes"]) == 4


@pytest.mark.parametrize("name", ["missing.md", "."])
def test_inspect_of_nothing_is_still_json(flowc, name):
    done = flowc("inspect", name, "--json")
    assert done.returncode == 1
    summary = json.loads(done.stdout)
    assert summary["nodes"] == []
    assert [d["code"] for d in summary["diagnostics"]] == ["FC0001"]


def test_inspect_for_people(flowc, chart):
    rows = flowc("inspect", chart).stdout.splitlines()
    assert rows[0] == "try.wf.md · flowchart · Try it · 4 nodes, 4 edges"
    assert any(row.split() == ["→", "EXECUTE_TRY", "(NO)"] for row in rows)


def test_graph_form_follows_the_file_name(flowc, chart, tmp_path):
    assert "flowchart" in flowc("graph", chart).stdout
    assert flowc("graph", chart, "-f", "dot").stdout.startswith("digraph")
    assert flowc("graph", chart, "-o", "a.dot").stdout == ""
    assert (tmp_path / "a.dot").read_text() == flowc("graph", chart, "-f", "dot").stdout
    assert json.loads(flowc("graph", chart, "-f", "json").stdout)["nodes"]
    unclear = flowc("graph", chart, "-o", "picture.jpeg")
    assert (unclear.returncode, unclear.stdout) == (2, "")
    assert "-f mermaid|dot|svg|png|pdf|html|json" in unclear.stderr


def test_graph_into_a_folder_that_is_not_there(flowc, chart):
    done = flowc("graph", chart, "-o", "nowhere/a.mmd")
    assert done.returncode == 2
    assert "`nowhere/a.mmd` cannot be written" in done.stderr


def test_graph_follows_a_link_and_writes_to_a_device(flowc, chart, tmp_path):
    (tmp_path / "a.dot").symlink_to("made.dot")
    assert flowc("graph", chart, "-o", "a.dot").returncode == 0
    assert (tmp_path / "a.dot").is_symlink()
    drawn = (tmp_path / "made.dot").read_text()
    assert flowc("graph", chart, "-f", "dot", "-o", "/dev/stdout").stdout == drawn
    full = flowc("graph", chart, "-f", "dot", "-o", "/dev/full")
    assert full.returncode == 2
    assert "`/dev/full` cannot be written: no space left on device" in full.stderr


def test_svg_is_drawn_by_the_program_dot(flowc, chart, tmp_path):
    """A program of that name receives the Graphviz text and its output is the picture."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dot").write_text('#!/bin/sh\necho "drawn $1"\ncat\n')
    (programs / "dot").chmod(0o755)
    done = flowc("graph", chart, "-f", "svg", env={"PATH": f"{programs}:/usr/bin:/bin"})
    assert done.stdout.startswith("drawn -Tsvg\ndigraph")
    (programs / "dot").write_text("#!/bin/sh\necho no layout >&2\nexit 7\n")
    failed = flowc("graph", chart, "-f", "svg", env={"PATH": f"{programs}:/usr/bin:/bin"})
    assert failed.returncode == 2
    assert "Graphviz could not draw: no layout" in failed.stderr


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
@pytest.mark.parametrize(
    ("form", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_graphviz_accepts_what_is_drawn(flowc, chart, tmp_path, form, begins):
    assert flowc("graph", chart, "-o", f"a.{form}").returncode == 0
    assert (tmp_path / f"a.{form}").read_bytes().startswith(begins)


@pytest.mark.skipif(find_spec("pygraphviz") is not None, reason="draws without the program")
def test_without_graphviz_the_remedy_is_named(flowc, chart, tmp_path):
    done = flowc("graph", chart, "-f", "png", "-o", "a.png", env={"PATH": str(tmp_path)})
    assert done.returncode == 2
    assert "apt install graphviz" in done.stderr
    assert "flowc[draw]" in done.stderr


def event(kind: str, node: str, path: tuple[str, ...] = (), **data: object) -> RunEvent:
    return RunEvent(kind, "calm-heron", "2026-01-01T00:00:00Z", node, path, data)  # type: ignore[arg-type]


EVENTS = (
    event("run_started", ""),
    event("node_started", "START", visit=1),
    event("node_finished", "START", seconds=0.0),
    event("node_started", "EXECUTE_TRY", visit=1),
    event("node_started", "INNER", ("EXECUTE_TRY",)),
    event("node_finished", "EXECUTE_TRY", seconds=1.5),
    event("node_started", "EXECUTE_TRY", visit=2),
    event("node_failed", "EXECUTE_TRY", message="m", caught=False),
)


def test_a_run_is_drawn_from_its_events():
    overlay = overlay_of(EVENTS)
    assert overlay.path == ("START", "EXECUTE_TRY", "EXECUTE_TRY")
    assert overlay.seconds == {"START": 0.0, "EXECUTE_TRY": 1.5}
    assert overlay.current == "EXECUTE_TRY"


def test_graph_of_a_run_needs_no_file_name(flowc, chart, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def keep() -> None:
        async with open_store(STORE) as store:
            await store.create(RunRecord(id="calm-heron", name="try", file=chart))
            await store.append_events("calm-heron", EVENTS)

    asyncio.run(keep())
    done = flowc("graph", "--run", "calm-heron", "--store", STORE, "-f", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["run"]["path"] == ["START", "EXECUTE_TRY", "EXECUTE_TRY"]
    assert "has changed since the run" in done.stderr  # the record above carries no digest
    drawn = flowc("graph", chart, "--run", "calm-heron", "--store", STORE).stdout
    assert "2×" in drawn
    unknown = flowc("graph", "--run", "nobody", "--store", STORE)
    assert unknown.returncode == 2
    assert "nobody" in unknown.stderr


def test_graph_of_a_run_leaves_no_store_behind(flowc, chart, tmp_path):
    done = flowc("graph", chart, "--run", "calm-heron")
    assert done.returncode == 2
    assert "there are no runs here" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["try.wf.md"]


@pytest.mark.parametrize("code", CODES)
def test_explain_shows_both_examples(capsys, code):
    assert app.run(["explain", code]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{code} {CODES[code].name}")
    assert "\nBad:\n" in page
    assert "\nGood:\n" in page


def test_explain_takes_a_name_and_lists_all(flowc):
    assert flowc("explain", "unknown-step").stdout == flowc("explain", "fc2001").stdout
    assert all(code in flowc("explain").stdout for code in CODES)
    misspelt = flowc("explain", "FC20001")
    assert misspelt.returncode == 2
    assert "did you mean `FC2001`?" in misspelt.stderr


def test_doctor_names_keys_but_never_shows_them(flowc):
    done = flowc("doctor", "--json", env={"OPENAI_API_KEY": "sk-very-secret"})
    assert "OPENAI_API_KEY" in done.stdout
    assert "very-secret" not in done.stdout + done.stderr
    assert {f["area"] for f in json.loads(done.stdout)["findings"]} >= {
        "python",
        "bash",
        "graphviz",
        "ffmpeg",
    }
    assert "✓ python" in flowc("doctor").stdout


def test_doctor_says_where_runs_are_kept_and_whether_the_key_is_one(flowc):
    def findings(**env: str) -> dict[str, dict[str, object]]:
        done = flowc("doctor", "--json", env=env)
        assert "hunter2" not in done.stdout + done.stderr
        return {f["area"]: f for f in json.loads(done.stdout)["findings"]}

    found = findings(FLOWC_STORE="postgresql://u:hunter2@127.0.0.1:1/d", FLOWC_STORE_KEY="hunter2")
    if found["extra postgres"]["ok"]:
        assert "cannot be reached" in found["store postgresql"]["text"]
        assert found["store postgresql"]["needed"]
    assert "FLOWC_STORE_KEY is not a key" in found["encryption"]["text"]
    assert not found["encryption"]["ok"]

    found = findings(FLOWC_STORE="sqlite:///runs.db")
    assert "sqlite in runs.db" in found["store sqlite"]["text"]
    assert "not set" in found["encryption"]["text"]


def test_doctor_shows_the_layers_of_the_sandbox_and_why_one_is_missing(flowc):
    from flowc.runtime.sandbox.confine import probe

    found = {f["area"]: f for f in json.loads(flowc("doctor", "--json").stdout)["findings"]}
    offer = probe("shell")
    assert offer.level in found["sandbox"]["text"]
    for layer in ("limits", "privileges", "landlock", "seccomp", "namespaces", "mounts"):
        row = found[f"sandbox {layer}"]
        assert row["ok"] == (layer in offer.active)
        assert row["ok"] or offer.missing[layer] in row["text"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_the_shell_accepts(flowc, shell):
    done = flowc("completion", shell)
    assert done.returncode == 0
    assert all(row.name in done.stdout for row in app.COMMANDS)
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True, timeout=150)


def test_bash_completes_commands_options_and_files(flowc, tmp_path):
    (tmp_path / "notes.md").write_text("")
    script = flowc("completion", "bash").stdout

    def complete(*words: str) -> list[str]:
        line = " ".join(f"'{w}'" for w in words)
        ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _flowc; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(
            ["bash", "-c", f"{script}\n{ask}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=150,
        )
        return done.stdout.split()

    assert complete("flowc", "che") == ["check"]
    assert complete("flowc", "check", "--for") == ["--format"]
    assert complete("flowc", "check", "no") == ["notes.md"]
