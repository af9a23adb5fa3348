"""Resolve: bind tools to the catalogue and tasks to agents, give calls the variables that cross.

    main: SET CITY=…  CALL sub      ->   sub knows CITY, main knows what sub writes

A function of a node is FC4004 where it is known that it does not take what the node gives it.
A call that passes or returns every variable makes caller and called share one set of names; both
need a state field for each, unset by default. A tool that nothing provides is FC4001.
"""

from __future__ import annotations

from dataclasses import replace

from .. import ir
from ..catalog.catalog import Catalog
from ..catalog.functions import (
    FROM_RUN,
    is_function_name,
    misfits,
    wrong_kinds,
    wrong_result,
)
from ..checks.branches import types_of
from ..diagnostics.diagnostic import Fix, Sink
from ..expr.types import infer
from ..source.source import Span
from ..source.spelling import Spelling
from .settings import report_lost_settings, report_unknown_rules


def resolve(program: ir.Program, catalog: Catalog, sink: Sink) -> ir.Program:
    """The same program with tools and tasks bound, and variables of calls on both sides."""
    bound = {path: _bind(workflow, catalog) for path, workflow in program.workflows}
    for workflow in bound.values():
        _report_unknown_tools(workflow, catalog, sink)
        report_lost_settings(workflow, sink)
        report_unknown_rules(workflow, sink)
        for node in workflow.nodes:
            if isinstance(node, ir.PythonNode) and (span := node.target_span or node.span):
                _report_misfits(node, span, workflow, catalog, sink)
            elif isinstance(node, ir.ToolNode):
                _report_tool_misfits(node, catalog, sink)
    return replace(program, workflows=tuple(_share_variables(bound).items()))


def _report_unknown_tools(workflow: ir.Workflow, catalog: Catalog, sink: Sink) -> None:
    """FC4001: an error when the catalogue covers every source, otherwise a warning: the tool may
    come from a server or module that is not locked yet. None where the program around the run
    brings such a source. Once for each tool, where it is named."""
    if catalog.unlisted:
        return
    unknown = [t for t in workflow.tools if t.source == "unknown" and t.id != ir.REPORT_TOOL]
    others = (tool.id for tool in workflow.tools if tool.source != "unknown")
    spelling = Spelling((*catalog.entries, *others) if unknown else ())
    for tool in unknown:
        if tool.span is None:
            continue
        near = spelling.nearest(tool.id)
        exact = near is not None and tool.span.end - tool.span.start == len(tool.id)
        advice = "add the server or module that has it, then run `flowc tools lock`"
        if not catalog.complete:
            advice = "run `flowc tools lock` to write down what your servers and modules provide"
        sink.report(
            "FC4001",
            f"nothing provides the tool `{tool.id}`",
            tool.span,
            severity="error" if catalog.complete else "warning",
            notes=()
            if catalog.complete
            else ("without a lock of all tools flowc knows the built-in ones only",),
            help=f"did you mean `{near}`?" if near else advice,
            fix=Fix(f"write `{near}`", tool.span, near) if near and exact else None,
        )


def _report_misfits(
    node: ir.PythonNode, span: Span, workflow: ir.Workflow, catalog: Catalog, sink: Sink
) -> None:
    """FC4004: at the name of the function, or at the argument that it does not take. A
    `module:name` that the program does not bind may be listed in its configuration."""
    name, places = node.function, {arg.target: arg.span or span for arg in node.args}
    if not is_function_name(name):
        message = f"`{name}` is not the name of a function"
        sink.report("FC4004", message, span, help="write module:function, without parentheses")
        return
    if "." in name and ":" not in name and name not in catalog.functions:
        module, _, function = name.rpartition(".")
        message = f"`{name}` names no module: a colon stands before the function"
        sink.report("FC4004", message, span, severity="warning", near=f"{module}:{function}")
    for taken in places.keys() & {*FROM_RUN}:
        message = f"`{taken}` is what the run gives to a function, not an argument"
        sink.report("FC4004", message, places[taken], help="give the argument another name")
    entry = catalog.functions.get(name)
    if entry is not None:
        for argument, message, remedy in misfits(entry, [arg.target for arg in node.args]):
            sink.report("FC4004", message, places.get(argument, span), help=remedy)
        types = types_of(workflow)
        kinds = {arg.target: infer(arg.value, types) for arg in node.args}
        for argument, message, remedy in wrong_kinds(entry, kinds):
            sink.report("FC4004", message, places[argument], help=remedy)
        grows = any(f.name == node.into and f.reducer == "append" for f in workflow.state)
        into = node.into if node.into in types and not grows else None
        if into is not None and (message := wrong_result(entry, into, types[into])):
            sink.report("FC4004", message, span, help="declare the variable as that")
    elif catalog.functions and ":" not in name:
        help = Spelling(catalog.functions).advice(name, "bind it where the workflow is loaded")
        sink.report("FC4004", f"no function is bound to `{name}`", span, help=help)


def _report_tool_misfits(node: ir.ToolNode, catalog: Catalog, sink: Sink) -> None:
    """FC4004: at the argument that a tool does not take, or at the node that leaves one out. Tools
    that are not in the catalogue, or take anything, are left to the run."""
    entry = catalog.entries.get(node.tool)
    taken = entry.parameters.get("properties") if entry else None
    if entry is None or not isinstance(taken, dict) or node.span is None:
        return
    spelling = Spelling(taken)
    if entry.parameters.get("additionalProperties", True) is False or entry.source == "lock":
        listed = ", ".join(f"`{name}`" for name in taken) or "nothing"
        for arg in node.args:
            if arg.target not in taken:
                help = spelling.advice(arg.target, f"it takes {listed}")
                message = f"`{node.tool}` takes no `{arg.target}`"
                sink.report("FC4004", message, arg.span or node.span, help=help)
    given = {arg.target for arg in node.args}
    meant = {spelling.nearest(name) for name in given}
    for name in entry.parameters.get("required", ()):
        if name not in given | meant:
            message = f"`{node.tool}` needs `{name}`, which the node does not give"
            sink.report("FC4004", message, node.span, help=f"give it: `args: {{{name}: …}}`")


def _share_variables(workflows: dict[str, ir.Workflow]) -> dict[str, ir.Workflow]:
    """Repeat until nothing is added: names only grow, so it ends."""
    changed = True
    while changed:
        changed = False
        for path, caller in list(workflows.items()):
            for node in caller.nodes:
                if not isinstance(node, ir.CallNode) or node.workflow not in workflows:
                    continue
                called = workflows[node.workflow]
                grown = {
                    node.workflow: _declare(called, caller) if node.passes_all else called,
                    path: _declare(workflows[path], called)
                    if node.returns_all
                    else workflows[path],
                }
                changed = changed or any(workflows[key] is not new for key, new in grown.items())
                workflows.update(grown)
    return workflows


def _declare(workflow: ir.Workflow, other: ir.Workflow) -> ir.Workflow:
    """`workflow` with a state field for every variable of `other` it does not have; itself when
    there is none."""
    known = {p.name for p in workflow.params} | {f.name for f in workflow.state}
    foreign = {p.name: ir.StateField(name=p.name, type=p.type, span=p.span) for p in other.params}
    foreign |= {f.name: replace(f, default=None) for f in other.state}
    missing = tuple(entry for name, entry in foreign.items() if name not in known)
    return replace(workflow, state=(*workflow.state, *missing)) if missing else workflow


def _bind(workflow: ir.Workflow, catalog: Catalog) -> ir.Workflow:
    holders: dict[str, str] = {}
    for agent in workflow.agents:
        holders.setdefault(agent.role, agent.id)
    return replace(
        workflow,
        tools=tuple(_bind_tool(tool, catalog) for tool in workflow.tools),
        nodes=tuple(_bind_task(node, holders) for node in workflow.nodes),
    )


def _bind_task(node: ir.Node, holders: dict[str, str]) -> ir.Node:
    """A task is done by the first agent with its role."""
    if not isinstance(node, ir.TaskNode) or node.agent is not None or node.role not in holders:
        return node
    return replace(node, agent=holders[node.role])


def _bind_tool(tool: ir.Tool, catalog: Catalog) -> ir.Tool:
    entry = catalog.entries.get(tool.id) if tool.source != "declared" else None
    return replace(tool, source=entry.source, known=entry.effect) if entry else tool
