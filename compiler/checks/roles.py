"""Roles that nobody in the team holds (FC4002)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import contract, cook, mend
from ..ir import Program, TaskNode, Workflow
from ..source.source import Span
from ..source.spelling import Spelling, slip_pairs
from .check import Check


def missing_roles(workflow: Workflow, program: Program) -> Iterator[Diagnostic]:
    """FC4002, once for each role, at the first task that asks for it. Without any member the
    workflow waits for a team: who runs it gives one."""
    roles = {agent.role: None for agent in workflow.agents if agent.role}
    if not roles:
        yield from _slips(workflow)
        return
    spelling = Spelling(roles)
    lacking: dict[str, list[TaskNode]] = {}
    for node in workflow.nodes:
        if isinstance(node, TaskNode) and node.agent is None and node.role:
            lacking.setdefault(node.role, []).append(node)
    for role, tasks in lacking.items():
        places = [place for task in tasks if (place := task.role_span or task.span) is not None]
        if not places:
            continue
        near = spelling.nearest(role)
        listed = ", ".join(f"`{name}`" for name in roles)
        yield MISSING_ROLES.code.diagnostic(
            f"`{tasks[0].id}` needs a `{role}`, whom the team does not have",
            places[0],
            labels=tuple(Label(place, "needed here too") for place in places[1:4]),
            notes=(f"the team has {listed}",),
            help=f"did you mean `{near}`?" if near else "add an agent with that role to the team",
        )


def _slips(workflow: Workflow) -> Iterator[Diagnostic]:
    """Yield roles that one task asks for and that are nearly those of other tasks."""
    needed: dict[str, list[Span]] = {}
    for node in workflow.nodes:
        place = (node.role_span or node.span) if isinstance(node, TaskNode) else None
        if isinstance(node, TaskNode) and node.role and place is not None:
            needed.setdefault(node.role, []).append(place)
    for pair in slip_pairs(needed):
        other, rare = sorted(pair, key=lambda role: (-len(needed[role]), needed[role][0].start))
        if len(needed[rare]) == 1:
            yield MISSING_ROLES.code.diagnostic(
                f"`{rare}` is asked for here, and elsewhere `{other}`",
                needed[rare][0],
                severity="warning",
                labels=(Label(needed[other][0], "asked for here"),),
                help=f"did you mean `{other}`?",
            )


_KITCHEN = (
    "kitchen.json",
    """\
{
  "team_name": "Kitchen",
  "team_type": "content_creation",
  "agents": [
    {"agent_id": "ann", "role": "cook"},
    {"agent_id": "bob", "role": "taster", "type": "person"}
  ]
}
""",
)

MISSING_ROLES = Check(
    Code("FC4002", "missing-role", "error",
        title="A role that nobody in the team holds.",
        why="The task would have nobody to do it.",
        examples=lambda: mend(
            replace(contract(cook("soup", "coook")), files=(_KITCHEN,), team=_KITCHEN[0]),
            "coook",
            "cook",
        ),
    ),
    missing_roles,
    needs="place",
)  # fmt: skip
