"""The state machines that ship with flowc: clean, and run offline with their scripted answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "workflows/examples/machine"
SHIPPED = sorted(EXAMPLES.glob("*.json"))
RESULTS = {
    "editorial": "The bridge on Mill Lane is closed from Monday until Friday. Use the ford.",
    "support-desk": "Your parcel left us on Friday. It comes on Monday, since nobody delivers on"
    " Sundays.",
    "trip": "Train to the lake, on foot to the mill, boat back to the station.",
}
VISITED = {
    "editorial": ["start", "edit", "rewrite", "edit"],
    "support-desk": ["start", "sort", "sort", "answer"],
    "trip": ["start", "shorten"],
}


def test_there_are_three() -> None:
    assert {file.stem for file in SHIPPED} == RESULTS.keys()


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_it_is_clean(file: Path) -> None:
    assert compile_file(str(file)).diagnostics == ()


@pytest.mark.parametrize("name", RESULTS)
def test_it_runs_offline_by_its_name(name: str, flowc) -> None:
    flags = ["--allow-exec"] if name == "trip" else []
    inputs = str(EXAMPLES / name / "inputs.json")
    done = flowc("run", name, "--answers", name, "--inputs", inputs, "--json", *flags)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["status"], outcome["result"]) == ("success", RESULTS[name])
    assert outcome["variables"]["states_visited"] == VISITED[name]
