"""What one workflow has beside another one and no run of it shows: variables of the format's own.

a flowchart has RESULT and STATUS, and sets them when a run begins and ends; where nothing of the
other workflow knows these names, a run of both does the same
"""

from __future__ import annotations

from dataclasses import replace

from .. import ir
from ..expr.ast import Expr, Field, Literal, Name, Text
from .variables import ERROR_NAME, names_read, names_written


def without_unseen(before: ir.Workflow, after: ir.Workflow) -> ir.Workflow:
    """Return `after` without the variables that `before` does not know and nobody has to give, and
    without what is written to them. They may be read: where that decides anything, nodes differ,
    which stay as they are."""
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
        outputs=tuple(name for name in after.outputs if name not in extra),
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
