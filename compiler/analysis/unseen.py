"""What one workflow has beside another one and no run of it shows: what a format adds by itself.

a flowchart has RESULT and STATUS, and sets them when a run begins and ends; where nothing of the
other workflow knows these names, a run of both does the same. So it does where a first node does
nothing but lead to the next one, and where a node may be visited four times and is visited once.
A picture has no first node, so it has no run, and all that is seen of it is what it shows. Outputs
are seen: a run without any has no result, and with several, each in a loop gives an object.
"""

from __future__ import annotations

from dataclasses import replace

from .. import ir
from ..expr.ast import Expr, Field, Literal, Name, Text
from ..expr.evaluate import EvaluationError, evaluate
from ..expr.walk import names_read as names_in
from .diff import canonical_value
from .graphs import edges_from, loops, successors
from .variables import ERROR_NAME, names_read, names_written


def without_unseen(before: ir.Workflow, after: ir.Workflow) -> ir.Workflow:
    """Return `after` without what it has beside `before` and no run of it shows."""
    own = {node.id for node in before.nodes}
    after = _without_variables(before, after)
    if not before.entry:
        return _without_frame(own, before, after)
    return _without_beginning(own, after)


def without_unreached_limit(workflow: ir.Workflow, other: ir.Workflow) -> ir.Workflow:
    """Return the workflow without a limit on visits that `other` does not have, where no node is
    visited twice."""
    filled = {param.name for param in workflow.params} | set(names_written(workflow))
    filled |= {entry.name for entry in workflow.state if entry.default is not None}
    both = [canonical_value(limit) for limit in other.limits]
    kept = tuple(
        m
        for m in workflow.limits
        if m.name != "visits" or canonical_value(m) in both or not _allows_one(m.value, filled)
    )
    return replace(workflow, limits=kept) if _visits_once(workflow) else workflow


def _allows_one(limit: Expr, filled: set[str]) -> bool:
    """Return whether the limit is at least one in every run. It may read a variable only if no
    caller fills it."""
    if any(name.name in filled for name in names_in(limit)):
        return False
    try:
        least = evaluate(limit, {})
    except EvaluationError:
        return False
    return isinstance(least, int | float) and least >= 1


def _visits_once(workflow: ir.Workflow) -> bool:
    """Whether no path leads back and none divides: where it does, branches may meet in a node."""
    ways = edges_from(edge for edge in workflow.edges if edge.guard is None)
    forks = any(len(edges) > 1 for edges in ways.values())
    nodes = [node.id for node in workflow.nodes]
    return not (forks or workflow.on_input or loops(successors(nodes, workflow.edges)))


def _without_frame(own: set[str], before: ir.Workflow, after: ir.Workflow) -> ir.Workflow:
    """Without what lets a picture run: a first node that does nothing, ends, outputs, other
    limits."""
    extra = {
        node.id
        for node in after.nodes
        if node.id not in own
        and isinstance(node, ir.AssignNode | ir.EndNode)
        and not node.assignments
    }
    bounds = {limit.name for limit in before.limits}
    return replace(
        _without_nodes(extra, after),
        entry="",
        limits=tuple(limit for limit in after.limits if limit.name in bounds),
        outputs=tuple(name for name in after.outputs if name in before.outputs),
    )


def _without_beginning(own: set[str], after: ir.Workflow) -> ir.Workflow:
    """Without a first node that does nothing, when nothing but a beginning leads to it and nobody
    counts its step."""
    counted = any(limit.name == "steps" for limit in after.limits)
    first = next((node for node in after.nodes if node.id == after.entry), None)
    if not isinstance(first, ir.AssignNode) or first.id in own or first.assignments or counted:
        return after
    onward = [edge.target for edge in after.edges if edge.source == first.id]
    targets = {edge.target for edge in after.edges} | {after.on_success, after.on_failed}
    targets |= {after.on_input.target} if after.on_input is not None else set()
    if len(onward) != 1 or first.id in targets:
        return after
    return replace(_without_nodes({first.id}, after), entry=onward[0])


def _without_nodes(ids: set[str], workflow: ir.Workflow) -> ir.Workflow:
    """Without these nodes and the edges from and to them."""
    return replace(
        workflow,
        nodes=tuple(node for node in workflow.nodes if node.id not in ids),
        edges=tuple(edge for edge in workflow.edges if not {edge.source, edge.target} & ids),
    )


def _without_variables(before: ir.Workflow, after: ir.Workflow) -> ir.Workflow:
    """Without the variables that `before` does not know and nobody has to give, and without what
    is written to them. They may be read: where that decides anything, nodes differ, which stay as
    they are."""
    known = {param.name for param in before.params} | {entry.name for entry in before.state}
    known |= {*before.outputs, *names_read(before), *names_written(before)}
    optional = {param.name for param in after.params if not param.required}
    extra = (optional | {entry.name for entry in after.state}) - known
    if not extra:
        return after
    rules = [(rule, _others(rule.assignments, extra)) for rule in after.on_error]
    return replace(
        after,
        params=tuple(param for param in after.params if param.name not in extra),
        state=tuple(entry for entry in after.state if entry.name not in extra),
        nodes=tuple(_without(node, extra) for node in after.nodes),
        on_error=tuple(
            replace(rule, assignments=kept) for rule, kept in rules if kept or not rule.assignments
        ),
    )


def _without(node: ir.Node, extra: set[str]) -> ir.Node:
    if not isinstance(node, ir.AssignNode | ir.EndNode):
        return node
    return replace(node, assignments=_others(node.assignments, extra))


def _others(assignments: tuple[ir.Assignment, ...], extra: set[str]) -> tuple[ir.Assignment, ...]:
    """The assignments to other variables, and those whose value may fail to be worked out."""
    return tuple(a for a in assignments if a.target not in extra or not _is_sure(a.value))


def _is_sure(value: Expr) -> bool:
    if isinstance(value, Text):
        return all(_is_sure(part) for part in value.parts)
    if isinstance(value, Field):  # a failure has all of its fields
        return isinstance(value.object, Name) and value.object.name == ERROR_NAME
    return isinstance(value, Literal | Name)
