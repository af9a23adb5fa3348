"""What flow YAML declares by use: variables that are written, tools and functions that are
named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from .. import ir


def with_implied(workflow: ir.Workflow) -> ir.Workflow:
    """Return the workflow with what its nodes use and it does not declare: a state field for each
    written variable, of the type that all its writers give, else of any; each named tool, and
    the called functions of a script without any."""
    known = {p.name for p in workflow.params} | {f.name for f in workflow.state}
    declared = {tool.id for tool in workflow.tools}
    named = implied_tools(workflow.agents, workflow.nodes)
    written: dict[str, ir.StateField] = {}
    for name, type_, node in _written_variables(workflow):
        if name not in known:
            first = written.get(name)
            if first is None:
                span = node.span if node else workflow.span
                written[name] = ir.StateField(name=name, type=type_, span=span)
            elif first.type != type_:
                written[name] = replace(first, type="any")
    return replace(
        workflow,
        state=(*workflow.state, *written.values()),
        tools=(*workflow.tools, *(tool for tool in named if tool.id not in declared)),
        scripts=tuple(
            script
            if script.functions
            else replace(script, functions=called_functions(script.id, workflow))
            for script in workflow.scripts
        ),
    )


def implied_tools(agents: Iterable[ir.Agent], nodes: Iterable[ir.Node]) -> tuple[ir.Tool, ...]:
    """Return the tools that agents and then nodes name, in that order."""
    named: dict[str, ir.Tool] = {}
    for agent in agents:
        for name in agent.tools:
            named.setdefault(name, ir.Tool(id=name, span=agent.span))
    for node in nodes:
        match node:
            case ir.AgentNode() | ir.TaskNode():
                names: tuple[str, ...] = node.tools
            case ir.ToolNode():
                names = (node.tool,)
            case _:
                names = ()
        for name in names:
            named.setdefault(name, ir.Tool(id=name, span=node.span))
    return tuple(named.values())


def called_functions(script: str, workflow: ir.Workflow) -> tuple[str, ...]:
    """Return the functions of a script that nodes call, in order."""
    calls = [n for n in workflow.nodes if isinstance(n, ir.ScriptNode) and n.script == script]
    return tuple(dict.fromkeys(node.function for node in calls))


def _written_variables(
    workflow: ir.Workflow,
) -> Iterator[tuple[str, ir.TypeName, ir.Node | None]]:
    for node in workflow.nodes:
        types: dict[str, ir.TypeName] = {}
        if isinstance(node, ir.ExecNode | ir.HttpNode):
            types = {part.variable: ir.PART_TYPES[part.part] for part in node.parts}
        for name in _by(node):
            if name:
                yield name, types.get(name, "any"), node
    for rule in workflow.on_error:
        yield from ((a.target, "any", None) for a in rule.assignments)
    if workflow.on_input is not None:
        yield from ((a.target, "any", None) for a in workflow.on_input.assignments)


def _by(node: ir.Node) -> list[str | None]:
    match node:
        case ir.AgentNode():
            return [*(o.name for o in node.outputs), node.into, node.reply_into]
        case (
            ir.MessageNode()
            | ir.ToolNode()
            | ir.GateNode()
            | ir.AskNode()
            | ir.WaitNode()
            | ir.TaskNode()
            | ir.ForeachNode()
        ):
            return [node.into]
        case ir.ExecNode() | ir.HttpNode():
            return [part.variable for part in node.parts]
        case ir.PythonNode():
            return [*node.sets, node.into]
        case ir.ScriptNode():
            return [*node.shares, node.keeps, node.into]
        case ir.AssignNode() | ir.EndNode():
            return [a.target for a in node.assignments]
        case ir.CallNode():
            return [a.target for a in node.returns]
        case ir.ChooseNode() | ir.AssertNode():
            return []
        case _:
            assert_never(node)
