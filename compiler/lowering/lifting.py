"""Lift: from a GraphSpec back to the workflow that it was made from, as far as a picture and a list
of its nodes need it.

A run that is kept has its GraphSpec and not its file, which may be on another machine or gone. What
a spec does not keep is guessed: a way to a failure that ends FAILED is one that the format adds.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import ir
from .graphspec import SUCCESS_CASE, Branch, GraphSpec
from .routes import END

_ERROR = "error:"


def lift(spec: GraphSpec) -> ir.Workflow:
    """Return the workflow of a spec, without what is written around its nodes: prompts, trials,
    schedules, and places in its text."""
    params = {param.name for param in spec.params}
    variables = [c for c in spec.channels if c.role == "variable" and c.variable]
    return ir.Workflow(
        name=spec.name,
        title=spec.title,
        params=spec.params,
        outputs=spec.outputs,
        model=spec.model,
        state=tuple(
            ir.StateField(
                name=c.variable or c.name,
                type=c.type,
                default=c.default,
                reducer=c.reducer,
                keep=c.keep,
            )
            for c in variables
            if c.variable not in params
        ),
        agents=spec.agents,
        tools=spec.tools,
        threads=spec.threads,
        scripts=spec.scripts,
        groups=spec.groups,
        nodes=tuple(node.op for node in spec.nodes),
        edges=tuple(_edges(spec)),
        entry=spec.entry,
        on_success=spec.on_success,
        on_failed=spec.on_failed,
        on_error=spec.on_error,
        on_input=spec.on_input,
        limits=spec.limits,
    )


def _edges(spec: GraphSpec) -> Iterator[ir.Edge]:
    """Yield the edges of the nodes in their order. An end leads to its handler by itself."""
    behind = {relay: join.target for join in spec.joins for relay in join.sources}
    relays = {relay: behind[relay] for relay in spec.relays if relay in behind}
    plain: dict[str, list[str]] = {}
    for edge in spec.edges:
        plain.setdefault(edge.source, []).append(edge.target)
    for join in spec.joins:
        for source in join.sources:
            if source not in relays:
                plain.setdefault(source, []).append(join.target)
    branches = {branch.source: branch for branch in spec.branches}
    failing = {
        node.id for node in spec.nodes if isinstance(node.op, ir.EndNode) and _fails(node.op)
    }
    for node in spec.nodes:
        if isinstance(node.op, ir.EndNode):
            continue
        for target in plain.get(node.id, ()):
            if target != END:
                yield ir.Edge(source=node.id, target=target)
        if node.id in branches:
            yield from _cases(branches[node.id], relays, failing)


def _fails(end: ir.EndNode) -> bool:
    return end.outcome == "failed"


def _cases(branch: Branch, relays: dict[str, str], failing: set[str]) -> Iterator[ir.Edge]:
    """Yield the ways out of a node that has several; kinds of failure that lead to one node are one
    way."""
    labels, errors = dict(branch.labels), dict[str, list[ir.ErrorKind]]()

    def edge(case_target: str, guard: ir.Guard | None, label: str = "") -> ir.Edge:
        target = relays.get(case_target, case_target)
        implied = target in failing and (isinstance(guard, ir.OnError) or not label)
        return ir.Edge(
            source=branch.source, target=target, guard=guard, label=label, implied=implied
        )

    for case, target in branch.cases:
        if target == END:
            continue
        if case.startswith(_ERROR):
            errors.setdefault(target, []).append(case.removeprefix(_ERROR))  # type: ignore[arg-type]
        elif case == SUCCESS_CASE and case not in labels:
            yield edge(target, None)
        else:
            yield edge(target, ir.Case(value=case), labels.get(case, ""))
    if branch.otherwise not in (None, END):
        yield edge(str(branch.otherwise), ir.Otherwise(), labels.get("", ""))
    for target, kinds in errors.items():
        yield edge(target, ir.OnError(errors=tuple(kinds)))
