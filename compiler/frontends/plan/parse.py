"""The living document front end: a plan whose steps are tasks, one after another.

A step is a task for an executor, or for a person when its code says `N/A` (A28). Its progress
stands beside the workflow. The workflow that made a document continues it, so it is not run alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from ... import ir, plan
from ...diagnostics.diagnostic import Sink
from ...expr.ast import Literal
from ...plan.document import is_step
from ...plan.paths import reads_of
from ...reading.protocol import NotRun, Parsed
from ...source.source import Source, SourceSet, Span
from .editing import plan_mentions
from .faults import check_document
from .places import Places

EXECUTOR, PERSON, END, FAILED = "executor", "reviewer", "end", "failed"
MAX_REQUEST = 4000
"""At most this many characters of the request describe the workflow."""
_ANY_FAILURE = ir.OnError(errors=("failure", "timeout", "limit", "refused"))
_CARRIED_ON = NotRun(
    "is a living document, the data of the workflow that carries it on",
    "flowc run {file} carries it on, flowc inspect {file} shows how far it has come",
    by="audio/edit.yaml",
)


def parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a document. Without a step there is no workflow (FC1008)."""
    del sources
    document = plan.read_plan(source.text)
    check_document(document, source, sink)
    if not document.steps:
        return Parsed(None, progress=_progress(document))
    places = Places(document, source)
    steps = list(_steps(places))
    return Parsed(
        _workflow(document, steps, source),
        progress=_progress(document),
        details={step.id: step.detail() for step in steps},
        not_run=_CARRIED_ON,
        mentions=lambda: plan_mentions(places),
    )


class _Step(NamedTuple):
    """A step with its name in the IR: its ID, or `step_N` where it has none of its own."""

    block: plan.Block
    id: str
    at: int
    places: Places

    @property
    def variable(self) -> str:
        """The variable of its result."""
        return re.sub(r"\W", "_", f"{self.id}_result")

    @property
    def span(self) -> Span:
        """Its heading."""
        return self.places.heading(self.at)

    def detail(self) -> dict[str, Any]:
        """Return what `inspect` shows: the values as written."""
        names = {"status": "Status", "input": "Input Audio", "output": "Output Audio"}
        values = {key: plan.text_value(self.block, name) for key, name in names.items()}
        return {**values, "code": plan.text_value(self.block, "Code")}

    def prompt(self) -> Literal:
        """Return the description, with its place."""
        span = self.places.value_span(self.at, "Description")
        return Literal(value=plan.text_value(self.block, "Description"), span=span)


def _steps(places: Places) -> Iterator[_Step]:
    taken: set[str] = {END, FAILED}
    number = 0
    for at, block in enumerate(places.document.blocks):
        if not is_step(block):
            continue
        number += 1
        written = plan.text_value(block, "ID")
        id = written if plan.is_id(written) else f"step_{number}"
        while id in taken:
            id = f"{id}_{number}"
        taken.add(id)
        yield _Step(block, id, at, places)


def _workflow(document: plan.PlanDocument, steps: list[_Step], source: Source) -> ir.Workflow:
    name = PurePath(source.path).stem
    request = document.section("request")
    after = reads_of(document)
    nodes = tuple(
        ir.TaskNode(
            id=step.id,
            title=step.block.title,
            role=PERSON if plan.is_manual(plan.text_value(step.block, "Code")) else EXECUTOR,
            prompt=step.prompt(),
            after=(steps[after[n]].variable,) if n in after else (),
            into=step.variable,
            span=step.span,
        )
        for n, step in enumerate(steps)
    )
    roles = dict.fromkeys(node.role for node in nodes)
    return ir.Workflow(
        name=name,
        title=_title(document) or name,
        description=plan.text_value(request, "Original Request")[:MAX_REQUEST] if request else "",
        outputs=(steps[-1].variable,),
        state=tuple(ir.StateField(name=step.variable, type="object") for step in steps),
        agents=tuple(ir.Agent(id=role, role=role, person=role == PERSON) for role in roles),
        nodes=(
            *nodes,
            ir.EndNode(id=END, title="end", outcome="success"),
            ir.EndNode(id=FAILED, title="failed", outcome="failed"),
        ),
        edges=tuple(edge for n in range(len(steps)) for edge in _edges(steps, n)),
        entry=steps[0].id,
        span=source.span(0),
        origin=ir.Origin(format="plan", file=source.path),
    )


def _title(document: plan.PlanDocument) -> str:
    first = document.blocks[0]
    titles = (p for p in first.pieces if p.kind == "TITLE")
    return next((first.text[p.start : p.end].strip().lstrip("#").strip() for p in titles), "")


def _edges(steps: list[_Step], n: int) -> tuple[ir.Edge, ir.Edge]:
    here, is_last = steps[n], n + 1 == len(steps)
    return (
        ir.Edge(
            source=here.id,
            target=END if is_last else steps[n + 1].id,
            implied=is_last,
            span=here.span,
        ),
        ir.Edge(source=here.id, target=FAILED, guard=_ANY_FAILURE, implied=True, span=here.span),
    )


def _progress(document: plan.PlanDocument) -> dict[str, Any]:
    """Return the overall status, how many steps have which one, the step at work or next, and the
    path of the result so far."""
    current = plan.current_step(document)
    return {
        "status": plan.overall_of(document),
        "steps": plan.counts(document),
        "current": plan.text_value(current, "ID") or None if current else None,
        "path": plan.final_path(document) or None,
    }
