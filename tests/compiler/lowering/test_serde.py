"""The IR and the lowered form as JSON and back."""

from __future__ import annotations

import dataclasses
import json
from typing import get_args, get_type_hints

from flowc.compiler import ir
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Agent, AgentNode, EndNode, ForeachNode, Param, Program, Workflow
from flowc.compiler.lowering import graphspec
from flowc.compiler.lowering.lower import lower
from flowc.compiler.lowering.serde import digest, dump_spec, load_spec
from flowc.compiler.source.source import SourceSet


def test_what_may_be_none_is_none_by_default():
    """None is left out of the JSON form, so a field without that default could not be read back."""
    wrong = [
        f"{kind.__name__}.{field.name}"
        for module in (ir, graphspec)
        for kind in vars(module).values()
        if isinstance(kind, type) and dataclasses.is_dataclass(kind)
        for field in dataclasses.fields(kind)
        if type(None) in get_args(get_type_hints(kind)[field.name])
        if field.default is not None
    ]
    assert wrong == []


def test_an_agent_that_answers_its_thread_comes_back_as_it_was():
    flow = Workflow(
        name="w",
        nodes=(AgentNode(id="a", agent="x"),),
        agents=(Agent(id="x"),),
        entry="a",
    )
    spec = lower(Program(entry="w", workflows=(("w", flow),)), SourceSet())
    assert load_spec(dump_spec(spec)) == spec


def test_a_null_inside_a_json_value_is_part_of_it():
    params = (Param(name="p", type="object", default={"a": None, "b": [None]}),)
    end = EndNode(id="e", outcome="success")
    flow = Workflow(name="w", params=params, nodes=(end,), entry="e")
    spec = lower(Program(entry="w", workflows=(("w", flow),)), SourceSet())
    assert load_spec(dump_spec(spec)).params[0].default == {"a": None, "b": [None]}


def program(flow: Workflow, path: str) -> Program:
    return Program(entry=path, workflows=((path, flow),))


def test_the_digest_knows_a_called_file_by_its_place_beside_the_main_one():
    def calling(path: str) -> Workflow:
        node = ForeachNode(id="f", items=Literal(value=1), workflow=path, item="I", into="R")
        return Workflow(name="w", nodes=(node,), entry="f")

    here = digest(program(calling("sub.md"), "main.md"))
    assert digest(program(calling("a/sub.md"), "a/main.md")) == here
    assert digest(program(calling("b/sub.md"), "a/main.md")) != here


def test_the_digest_tells_values_apart_and_not_only_their_number():
    def flow(*names: str) -> Workflow:
        params = tuple(Param(name=name) for name in names)
        end = EndNode(id="e", outcome="success")
        return Workflow(name="w", nodes=(end,), entry="e", params=params)

    digests = {digest(program(flow(*names), "w.md")) for names in (("a",), ("b",), ("a", "b"))}
    assert len(digests) == 3
    assert all(len(text) == 64 for text in digests)


def test_json_text_is_read_as_its_values_are():
    flow = Workflow(name="w", nodes=(EndNode(id="e", outcome="success"),), entry="e")
    spec = lower(program(flow, "w.md"), SourceSet())
    assert load_spec(json.dumps(dump_spec(spec))) == spec
