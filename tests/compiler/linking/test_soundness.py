"""Every accepted case of every format links to a sound program."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.expr.ast import Name
from flowc.compiler.ir import (
    AssignNode,
    Case,
    Edge,
    EndNode,
    ForeachNode,
    Program,
    Retry,
    Workflow,
)
from soundness import broken_invariants

CORPUS = Path(__file__).parents[2] / "corpus"
ACCEPTED = sorted(main for case in CORPUS.glob("*/ok/*/") for main in case.glob("main.*"))


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: "-".join(file.parts[-4:-1:2]))
def test_an_accepted_file_links_to_a_sound_program(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    result = compile_file(file.name)
    assert result.program is not None
    assert broken_invariants(result.program) == ()


def test_what_is_broken_is_named() -> None:
    workflow = Workflow(
        name="w",
        nodes=(
            AssignNode(id="A"),
            AssignNode(id="A", retry=Retry(attempts=1)),
            EndNode(id="E", outcome="success"),
            ForeachNode(
                id="F", items=Name(name="X"), workflow="w", item="I", into="X", concurrency=0
            ),
        ),
        edges=(
            Edge(source="A", target="GONE"),
            Edge(source="A", target="E", guard=Case(value="true")),
            Edge(source="E", target="A"),
        ),
        entry="START",
        outputs=("X",),
    )
    faults = "\n".join(broken_invariants(Program(entry="w", workflows=(("w", workflow),))))
    for words in (
        "no more than once",
        "no element",
        "stands 2 times",
        "GONE",
        "only a choose node",
        "leaves an end",
        "START",
        "'X'",
    ):
        assert words in faults
