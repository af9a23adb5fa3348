"""Ways: where paths through a workflow begin, what follows each node, and what paths reach."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Program, Workflow
from .graphs import reachable, successors
from .memo import once_per_program, once_per_workflow


def starts(workflow: Workflow) -> list[str]:
    """Where paths begin: the entry, the handlers that run after an end, and where a line leads
    that a person gives unasked."""
    spoken = workflow.on_input.target if workflow.on_input else None
    return [id for id in (workflow.entry, workflow.on_success, workflow.on_failed, spoken) if id]


@once_per_workflow
def successors_of(workflow: Workflow) -> Mapping[str, tuple[str, ...]]:
    """For each node the nodes that its edges lead to."""
    return successors((node.id for node in workflow.nodes), workflow.edges)


@once_per_workflow
def nodes_reached(workflow: Workflow) -> Mapping[str, str | None]:
    """Every node that a path from a start leads to, nearest first, each with the one before it."""
    return reachable(starts(workflow), successors_of(workflow))


@once_per_program
def workflows_by_path(program: Program) -> Mapping[str, Workflow]:
    """The workflows of a program by what calls name."""
    return dict(program.workflows)
