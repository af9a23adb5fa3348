"""Resolve: tools are bound, and variables that cross a call are declared on both sides."""

from __future__ import annotations

from flowc.compiler.catalog.catalog import Catalog, ToolEntry
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.ir import AssignNode, CallNode, Param, Program, StateField, Tool, Workflow
from flowc.compiler.linking.resolve import resolve


def names(workflow: Workflow) -> set[str]:
    return {f.name for f in workflow.state} | {p.name for p in workflow.params}


def test_tools_take_source_and_effect_from_the_catalogue() -> None:
    workflow = Workflow(name="w", tools=(Tool(id="read_file"), Tool(id="nope")))
    entry = ToolEntry("read_file", "Read.", {}, "pure", "builtin")
    bound = resolve(
        Program(entry="w", workflows=(("w", workflow),)), Catalog({"read_file": entry}), Sink(CODES)
    ).main
    assert [(t.id, t.source, t.call_effect) for t in bound.tools] == [
        ("read_file", "builtin", "pure"),
        ("nope", "unknown", "once"),
    ]


def test_variables_cross_calls_through_several_levels_and_come_back() -> None:
    """M43: the called workflow sees all variables, afterwards the caller sees all of its."""

    def caller(name: str, variable: str, calls: str) -> Workflow:
        call = CallNode(id="CALL", workflow=calls, passes_all=True, returns_all=True)
        return Workflow(
            name=name, state=(StateField(name=variable, default="x"),), nodes=(call,), entry="CALL"
        )

    last = Workflow(name="c", params=(Param(name="C"),), nodes=(AssignNode(id="A"),), entry="A")
    program = resolve(
        Program(
            entry="a",
            workflows=(
                ("a", caller("a", "A_VAR", "b")),
                ("b", caller("b", "B_VAR", "c")),
                ("c", last),
            ),
        ),
        Catalog(),
        Sink(CODES),
    )
    for _, workflow in program.workflows:
        assert names(workflow) == {"A_VAR", "B_VAR", "C"}
    assert {f.name: f.default for f in program.main.state} == {
        "A_VAR": "x",
        "B_VAR": None,
        "C": None,
    }


def test_nothing_crosses_a_call_that_passes_nothing() -> None:
    call = CallNode(id="CALL", workflow="b")
    main = Workflow(name="a", state=(StateField(name="A"),), nodes=(call,), entry="CALL")
    sub = Workflow(name="b", state=(StateField(name="B"),), nodes=(AssignNode(id="N"),), entry="N")
    program = resolve(
        Program(entry="a", workflows=(("a", main), ("b", sub))), Catalog(), Sink(CODES)
    )
    assert [names(w) for _, w in program.workflows] == [{"A"}, {"B"}]
