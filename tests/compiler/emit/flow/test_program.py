"""Flow YAML is the IR's text form: what is written reads back as the same workflow."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import pytest
import yaml
from flowc.compiler import ir
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import compile_file, compile_text
from flowc.compiler.emit.flow.program import emit_flow_yaml
from flowc.compiler.flow_yaml import keys as flow_keys
from flowc.compiler.frontends.flow.document import read_document
from flowc.compiler.ir import Program, Workflow
from flowc.compiler.source.source import Source, SourceSet
from hypothesis import HealthCheck, Phase, given, settings

from workflows import FILE, workflows

CORPUS = Path(__file__).parents[3] / "corpus"
CASES = sorted(CORPUS.glob("*/ok/*/"))
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


def in_order(workflow: Workflow) -> Workflow:
    """Edges by the node they leave: between those of different nodes order means nothing."""
    at = {node.id: number for number, node in enumerate(workflow.nodes)}
    return replace(workflow, edges=tuple(sorted(workflow.edges, key=lambda e: at[e.source])))


def in_one_order(program: Program) -> list[tuple[str, Workflow]]:
    return [(path, in_order(workflow)) for path, workflow in program.workflows]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.relative_to(CORPUS).as_posix())
def test_every_accepted_case_reads_back_as_itself(case, monkeypatch):
    monkeypatch.chdir(case)
    (main,) = case.glob("main.*")
    first = compile_file(main.name)
    assert first.program is not None
    text = emit_flow_yaml(first.program)
    again = compile_text(text, main.name, format="flow")
    assert [d for d in again.diagnostics if d.severity == "error"] == []
    assert again.program is not None
    assert in_one_order(again.program) == in_one_order(first.program)
    assert emit_flow_yaml(again.program) == text


@settings(max_examples=50, phases=NO_SHRINKING, deadline=None, suppress_health_check=SLOW)
@given(main=workflows(), inner=workflows())
def test_every_workflow_reads_back_as_itself(main, inner):
    program = Program(entry=FILE, workflows=((FILE, main), (f"{FILE}#inner", inner)))
    text = emit_flow_yaml(program)
    sink = Sink(CODES)
    parsed = read_document(Source(FILE, text), SourceSet(), sink)
    # A text may look like another dialect's placeholder, which is a warning.
    assert [found for found in sink.all() if found.severity == "error"] == []
    assert parsed.workflow == in_order(main)
    assert parsed.parts == {"inner": in_order(inner)}
    again = Program(entry=FILE, workflows=((FILE, parsed.workflow), (f"{FILE}#inner", inner)))
    assert emit_flow_yaml(again) == text


@settings(max_examples=30, phases=NO_SHRINKING, deadline=None, suppress_health_check=SLOW)
@given(main=workflows())
def test_other_yaml_readers_see_texts_where_there_are_texts(main):
    text = emit_flow_yaml(Program(entry=FILE, workflows=((FILE, main),)))
    document = yaml.load(text, Loader=yaml.CSafeLoader)
    assert [node["name"] for node in document["nodes"]] == [
        node.id for node in main.nodes if node.id in {n["name"] for n in document["nodes"]}
    ]
    assert all(isinstance(node["name"], str) for node in document["nodes"])


ELEMENTS = [
    e for e in vars(flow_keys).values() if isinstance(e, flow_keys.MapShape)
] + list(flow_keys.NODES.values())  # fmt: skip
ELSEWHERE = {
    "id", "span", "kind", "target_span", "origin", "source", "name", "function",
    "seed", "file", "line", "known", *ir.Workflow.__dataclass_fields__,
}  # fmt: skip
"""Fields that other code writes: names are keys of mappings, sections are lists of elements."""


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda e: e.type.__name__)
def test_every_field_of_the_ir_has_a_key(element):
    held = {key.attribute for key in (*element.keys, *flow_keys.COMMON)}
    assert {f.name for f in fields(element.type) if f.compare} - held - ELSEWHERE == set()


def test_every_kind_of_node_has_its_keys():
    assert {node.__dataclass_fields__["kind"].default for node in get_args(ir.Node)} == set(
        flow_keys.NODES
    )
