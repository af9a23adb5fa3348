"""Paths: variables, the chain from step to step, the result."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import (
    PlanError,
    final_path,
    path_breaks,
    read_plan,
    resolve_path,
    step_paths,
)


def plan(*paths: tuple[str, str], original: str = "a.wav", status: str = "READY"):
    """A document whose steps read and write these paths."""
    steps = "".join(
        f"### Step {n}: s\n* **ID:** `step_{n}`\n* **Status:** {status}\n"
        f"* **Input Audio:** `{read}`\n* **Output Audio:** `{write}`\n"
        for n, (read, write) in enumerate(paths, 1)
    )
    return read_plan(
        f"## Request Summary\n* **Input Audio:** `{original}`\n## Processing Plan\n{steps}"
    )


def breaks(document) -> list[tuple[int, str, str]]:
    return [(found.step, found.kind, found.path) for found in path_breaks(document)]


@pytest.mark.parametrize(
    ("status", "expected"), [("DONE", "c.wav"), ("FAILED", "a.wav"), ("READY", "a.wav")]
)
def test_a17_the_final_path_is_the_last_done_step_s_output(status, expected):
    document = plan(("a.wav", "b.wav"), ("b.wav", "c.wav"), status=status)
    assert final_path(document) == expected


def test_a17_a_later_step_that_is_not_done_does_not_count():
    document = plan(("a.wav", "b.wav"), ("b.wav", "c.wav"), status="DONE")
    assert final_path(document.set("Status", "FAILED", step="step_2")) == "b.wav"
    assert final_path(read_plan("# x\n")) == ""


@pytest.mark.parametrize(
    "paths",
    [
        [("a.wav", "b.wav"), ("b.wav", "c.wav")],
        [("a.wav", "b.wav"), ("$OUTPUT_STEP_1", "c.wav")],
        [("a.wav", "a.wav"), ("a.wav", "a.wav")],
        [("/in/a.wav", "/out/b.wav"), ("/out/b.wav", "c.wav")],
        [("a.wav", "b.wav"), ("a.wav", "c.wav"), ("b.wav", "d.wav"), ("c.wav", "e.wav")][:1],
        [("", ""), ("", "")],
        [("{input}", "{output}"), ("$OUTPUT_STEP_1", "{output}")],
    ],
)
def test_a18_a_chain_has_no_breaks(paths):
    assert breaks(plan(*paths, original=paths[0][0])) == []


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([("x.wav", "b.wav")], [(0, "unknown", "x.wav")]),
        ([("a.wav", "b.wav"), ("B.wav", "c.wav")], [(1, "unknown", "B.wav")]),
        ([("a.wav", "b.wav"), ("a.wav", "c.wav")], [(1, "skipped", "b.wav")]),
        ([("a.wav", "b.wav"), ("c.wav", "c.wav")], [(1, "later", "c.wav")]),
        ([("$OUTPUT_STEP_2", "b.wav"), ("b.wav", "c.wav")], [(0, "later", "c.wav")]),
    ],
)
def test_a18_where_the_chain_breaks(paths, expected):
    assert breaks(plan(*paths)) == expected


def test_a18_an_output_that_a_later_step_reads_is_not_passed_over():
    paths = [("a.wav", "b.wav"), ("a.wav", "c.wav"), ("b.wav", "d.wav"), ("c.wav", "e.wav")]
    assert breaks(plan(*paths)) == [(3, "skipped", "d.wav")]


@pytest.mark.parametrize("variable", ["$OUTPUT_STEP_1", "$output_step_1", "$OUTPUT_Step_1"])
def test_a19_a_variable_is_the_output_of_the_step_it_names(variable):
    document = plan(("a.wav", "b.wav"), (variable, "c.wav"))
    assert resolve_path(document, variable) == "b.wav"
    assert step_paths(document, "step_2") == ("b.wav", "c.wav")


def test_a19_a_variable_names_an_id_not_a_number():
    document = plan(("a.wav", "b.wav"), ("b.wav", "c.wav")).set("ID", "step_9", step="step_1")
    assert resolve_path(document, "$OUTPUT_STEP_9") == "b.wav"
    with pytest.raises(PlanError, match="no step has the ID `step_1`"):
        resolve_path(document, "$OUTPUT_STEP_1")
    assert breaks(document.set("Input Audio", "$OUTPUT_STEP_1", step="step_2")) == [
        (1, "no-step", "$OUTPUT_STEP_1")
    ]


def test_a19_a_variable_of_a_step_without_output_has_no_value():
    with pytest.raises(PlanError, match="has no Output Audio"):
        resolve_path(plan(("a.wav", "{where}")), "$OUTPUT_STEP_1")


def test_a19_what_only_looks_like_a_variable_is_a_path():
    assert resolve_path(plan(), "x$OUTPUT_STEP_1.wav") == "x$OUTPUT_STEP_1.wav"
