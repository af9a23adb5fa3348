"""The contract front end: a CREATE_WORKFLOW body as a workflow (C1–C8, C15, C16, C23)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from ... import ir
from ...diagnostics.diagnostic import Sink
from ...expr.ast import Field, Literal, Name
from ...reading.json_fields import read_json
from ...reading.protocol import Parsed
from ...source.source import Source, SourceSet
from .editing import contract_mentions
from .graph import Graph, build_graph, design_of
from .order import Needs, report_circles
from .steps import Contract, read_contract, unknown_dependencies
from .texts import FAILURES, INPUTS, RESTARTS, RESULT, ResultNames


def parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a file. Without a step, or with dependencies in a circle, there is no workflow."""
    del sources
    tree = read_json(source, sink)
    contract = read_contract(tree) if tree is not None else None
    if tree is None or contract is None:
        return Parsed(None)
    needs = unknown_dependencies(contract.steps, tree)
    if report_circles(contract.steps, needs, sink):
        return Parsed(None)
    names = ResultNames.of([*needs, *(gate.id for gate in contract.gates)])
    graph = build_graph(design_of(contract, needs, names))
    workflow = _workflow(contract, graph, names, source)
    return Parsed(
        workflow, details=_details(contract, needs), mentions=lambda: contract_mentions(contract)
    )


def _workflow(contract: Contract, graph: Graph, names: ResultNames, source: Source) -> ir.Workflow:
    counted = any(node.kind == "choose" for node in graph.nodes)
    state = [ir.StateField(name=name, type="object") for name in names.variables.values()]
    state.append(ir.StateField(name=RESULT))
    if counted:
        state.append(ir.StateField(name=RESTARTS, type="integer", default=0, reducer="add"))
    if contract.retries:
        state.append(ir.StateField(name=FAILURES, type="list", default=[], reducer="append"))
    titles = {step.id: step for step in contract.steps}
    seconds = None if contract.minutes is None else Literal(value=contract.minutes * 60)
    return ir.Workflow(
        name=PurePath(source.path).stem,
        title=contract.name,
        description=contract.description,
        params=(
            ir.Param(
                name=INPUTS,
                type="object",
                default=contract.inputs,
                description="what the workflow is about, as a JSON object",
            ),
        ),
        outputs=(RESULT,),
        state=tuple(state),
        groups=tuple(
            ir.Group(id=id, title=titles[id].title, span=titles[id].span) for id in graph.grouped
        ),
        nodes=tuple(graph.nodes),
        edges=tuple(graph.edges),
        entry=graph.entry,
        on_error=(_note_failures(),) if contract.retries else (),
        limits=(ir.Limit(name="seconds", value=seconds),) if seconds else (),
        span=source.span(0),
        origin=ir.Origin(format="contract", file=source.path),
    )


def _note_failures() -> ir.ErrorRule:
    message = Field(object=Name(name="error"), name="message")
    return ir.ErrorRule(
        kinds=("failure", "timeout"), assignments=(ir.Assignment(target=FAILURES, value=message),)
    )


def _details(contract: Contract, needs: Needs) -> Mapping[str, Mapping[str, Any]]:
    """Return what `inspect` shows of steps and gates."""
    steps: dict[str, dict[str, Any]] = {
        step.id: {
            "role": step.role.text if step.role else "",
            "type": step.form,
            "dependencies": list(needs[step.id]),
            "criteria": step.criteria.text if step.criteria else "",
            "duration": step.minutes,
        }
        for step in contract.steps
    }
    gates = {
        gate.id: {"type": gate.form, "criteria": gate.criteria, "required_score": gate.required}
        for gate in contract.gates
    }
    return {**steps, **gates}
