"""Bindings: tools that nothing known provides (FC4001), roles that nobody holds (FC4002)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..catalog.catalog import Catalog
from ..diagnostics.diagnostic import Code, Diagnostic, Fix, Label
from ..diagnostics.examples import contract, cook, mend, steps
from ..ir import REPORT_TOOL, Program, TaskNode, Workflow
from ..source.spelling import Spelling
from .check import Check


def unknown_tools(workflow: Workflow, program: Program, catalog: Catalog) -> Iterator[Diagnostic]:
    """FC4001: an error when the catalogue covers every source, otherwise a warning: the tool may
    come from a server or module that is not locked yet. Once for each tool, where it is named."""
    spelling = Spelling(catalog.entries)
    for tool in workflow.tools:
        if tool.source != "unknown" or tool.span is None or tool.id == REPORT_TOOL:
            continue
        near = spelling.nearest(tool.id)
        exact = near is not None and tool.span.end - tool.span.start == len(tool.id)
        yield UNKNOWN_TOOLS.code.diagnostic(
            f"nothing provides the tool `{tool.id}`",
            tool.span,
            severity="error" if catalog.complete else "warning",
            notes=()
            if catalog.complete
            else ("without a lock of all tools flowc knows the built-in ones only",),
            help=f"did you mean `{near}`?" if near else _advice(catalog),
            fix=Fix(f"write `{near}`", tool.span, near) if near and exact else None,
        )


UNKNOWN_TOOLS = Check(
    Code("FC4001", "unknown-tool", "error",
        title="A tool that nothing provides.",
        why="The agent would be offered a tool that cannot be called.",
        examples=lambda: mend(
            steps(
                """
            ### 🔧 WORKFLOW STEP: Look around
            ```
            List the files of the project.
            ```
            ### 🛠️ TOOL: list_file
            """
            ),
            "list_file",
            "list_files",
        ),
    ),
    unknown_tools,
    needs="place",
)  # fmt: skip


def missing_roles(workflow: Workflow, program: Program, catalog: Catalog) -> Iterator[Diagnostic]:
    """FC4002, once for each role, at the first task that asks for it. Without any member the
    workflow waits for a team: who runs it gives one."""
    roles = {agent.role: None for agent in workflow.agents if agent.role}
    if not roles:
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


def _advice(catalog: Catalog) -> str:
    if catalog.complete:
        return "add the server or module that has it, then run `flowc tools lock`"
    return "run `flowc tools lock` to write down what your servers and modules provide"
