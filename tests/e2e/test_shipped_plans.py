"""The living documents that ship with flowc: clean, shown, edited, and refused as programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.plan import code_request, final_path, read_plan, text_value
from flowc.compiler.plan.progress import next_step

SHIPPED = sorted((Path(__file__).parents[2] / "workflows/examples/plan").glob("*.md"))
NAMES = {file.stem: file for file in SHIPPED}


def test_there_are_three_in_different_states() -> None:
    states = [compile_file(str(file)).parsed.progress["steps"] for file in SHIPPED]
    assert len(states) >= 3
    assert all(a != b for n, a in enumerate(states) for b in states[:n])


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_it_is_clean_and_written_back_as_it_was(file: Path) -> None:
    assert compile_file(str(file)).diagnostics == ()
    text = file.read_bytes().decode()
    assert read_plan(text).text == text


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_it_is_inspected_with_its_progress(file: Path, flowc) -> None:
    done = flowc("inspect", str(file), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["format"] == "plan"
    assert {tuple(node["detail"]) for node in summary["nodes"]} == {
        ("status", "input", "output", "code")
    }
    statuses = [node["detail"]["status"] for node in summary["nodes"]]
    counted = summary["progress"]["steps"]
    assert counted == {status: statuses.count(status) for status in counted}
    assert "progress: status" in flowc("inspect", str(file)).stdout


@pytest.mark.parametrize("command", [("compile", "-o", "out")])
def test_it_is_no_program_by_itself(command: tuple[str, ...], flowc) -> None:
    file = str(SHIPPED[0])
    done = flowc(*command, file)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "is a living document, the data of the workflow that carries it on" in done.stderr
    assert f"flowc inspect {file}" in done.stderr


def test_a_finished_one_has_a_final_path_and_nothing_left() -> None:
    document = read_plan(NAMES["jingle-loudness"].read_text(encoding="utf-8"))
    assert next_step(document) is None
    assert final_path(document) == document.value("Final Audio Path", section="output")


def test_a_planned_one_hands_over_its_first_step() -> None:
    document = read_plan(NAMES["interview-cleanup"].read_text(encoding="utf-8"))
    step = next_step(document)
    assert step is not None
    assert text_value(step, "ID") == "step_1"
    assert "harbour-interview.wav" in code_request(document, "step_1")
