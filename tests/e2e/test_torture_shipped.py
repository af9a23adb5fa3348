"""Workflows that ship, recorded once and then killed: nothing is lost, repeated or otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from stores import SERVER, ask

from .conftest import Done, Flowc, environment

SHIPPED = {
    "word-count": ("--answers", "word-count"),
    "toolchain": ("--answers", "toolchain"),
    "support-desk": ("--answers", "support-desk", "-i", "message=Where is my parcel?"),
    "museum-guide": ("--answers", "museum-guide", "--team", "museum-guide"),
    "golden-check": ("--answers", "golden-check"),
}
"""One of each format, with who answers."""


def torture(flowc: Flowc, *args: str) -> Done[str]:
    """`flowc torture`, for as long as it takes."""
    words = [sys.executable, "-m", "flowc", "torture", *args]
    env = environment(flowc.home)
    return subprocess.run(words, cwd=flowc.folder, env=env, capture_output=True, text=True)


def tortured(flowc: Flowc, name: str, *args: str) -> dict[str, Any]:
    """What `flowc torture` says of a shipped workflow, by a recording of it."""
    recorded = ("--record", "run.cassette.yaml", "--store", "memory:", "--allow-exec", "--json")
    done = flowc("run", name, *SHIPPED[name], *recorded)
    assert done.returncode == 0, done.stderr
    right = json.loads(done.stdout)["result"]
    team = ("--team", "museum-guide") if name == "museum-guide" else ()
    replayed = ("--replay", "run.cassette.yaml", *team, "--seed", "1", "--json")
    done = torture(flowc, name, *replayed, *args)
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["undisturbed"]["result"] == right
    assert (report["findings"], report["not_judged"]) == ([], [])
    return report


@pytest.mark.parametrize("name", ["toolchain", "museum-guide"])
def test_killed_a_few_times(flowc, name):
    beside = ("--beside", "langgraph") if name == "toolchain" else ()
    report = tortured(flowc, name, "--boundaries", "2", "--moments", "1", *beside)
    assert report["kills"]["boundaries"] + report["kills"]["moments"] >= 2
    for other in report["beside"].values():
        assert other["kills"]["boundaries"] + other["kills"]["moments"] >= 2
        assert {node["lost"] for node in other["nodes"]} == {0}


def test_killed_on_postgresql_in_a_database_that_is_gone_afterwards(flowc):
    if not SERVER:
        pytest.skip("FLOWC_TEST_POSTGRES names no PostgreSQL server")

    def left() -> set[str]:
        query = "select datname from pg_database where datname like 'flowc_torture_%'"
        return {row[0] for row in ask(SERVER, query)}

    before = left()
    effect = ("--at", "after the effect: command git --version", "--store", SERVER)
    report = tortured(flowc, "toolchain", *effect)
    assert report["kills"]["boundaries"] == 1
    assert sum(node["asked"] for node in report["nodes"]) == 1
    assert left() <= before


@pytest.fixture
def silent(flowc):
    """A tool that is declared pure, acts, and leaves nothing in the ledger."""
    flowc.write("own.py", "def act(t: str) -> str:\n    open('out', 'a').write(t)\n    return t\n")
    flowc.write("flowc.toml", '[tools]\npython = ["own:act"]\neffects = { act = "pure" }\n')
    flowc.write("it.flow.yaml", "flow: 1\nnodes:\n  - {name: do, tool: act, args: {t: '\"x\"'}}\n")
    return ("it.flow.yaml", "--boundaries", "4", "--moments", "0", "--seed", "1")


def test_what_a_tool_that_is_called_pure_does_unseen_is_not_judged(flowc, silent):
    done = torture(flowc, *silent, "--real", "do", "--yes")
    assert done.returncode == 0, done.stderr
    assert len((flowc.folder / "out").read_text()) > 1, "it came again"
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("do "))
    assert row.endswith("  not judged")
    assert "not judged: that `act` does nothing outside, as `pure` says" in done.stdout
    assert "flowc.note_effect(label, idempotency_key) in it shows that" in done.stdout
    assert "nothing broke of what was judged in" in done.stdout


@pytest.mark.parametrize("recorded", [False, True])
def test_a_stand_in_proves_nothing_of_what_is_declared(flowc, silent, recorded):
    answer = ("--record", "run.cassette.yaml", "--store", "memory:")
    assert not recorded or flowc("run", "it.flow.yaml", *answer).returncode == 0
    done = torture(flowc, *silent, "--json", *(("--replay", "run.cassette.yaml") * recorded))
    report = json.loads(done.stdout)
    assert [node["judged"] for node in report["nodes"]] == [False]
    (gap,) = (gap for gap in report["not_judged"] if "is declared `pure` is: `act`" in gap)
    assert ("--answers in place of --replay" in gap) == recorded


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", SHIPPED)
def test_killed_everywhere(flowc, name):
    report = tortured(flowc, name, "--moments", "20")
    assert report["kills"]["boundaries"] > 20


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_liar_is_found_wherever_it_is_killed(flowc):
    tools = '[tools]\npython = ["flowc:note_effect"]\neffects = { note_effect = "idempotent" }\n'
    flowc.write("flowc.toml", tools)
    node = "{name: note, tool: note_effect, args: {label: '\"x\"'}}"
    flowc.write("liar.flow.yaml", f"flow: 1\nnodes:\n  - {node}\n")
    done = torture(flowc, "liar.flow.yaml", "--json", "--seed", "1")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["kind"], finding["node"]) == ("liar", "note")
