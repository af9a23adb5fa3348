"""The IR and the lowered form as JSON and back."""

from __future__ import annotations

import dataclasses
from typing import get_args, get_type_hints

from flowc.compiler import ir
from flowc.compiler.ir import Agent, AgentNode, EndNode, Param, Program, Workflow
from flowc.compiler.lowering import graphspec
from flowc.compiler.lowering.lower import lower
from flowc.compiler.lowering.serde import dump_spec, load_spec
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
