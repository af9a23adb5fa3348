"""What flow YAML declares by use: variables that are written, tools and functions that are
named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from ..ir import (
    Agent,
    AgentNode,
    AskNode,
    AssertNode,
    AssignNode,
    CallNode,
    ChooseNode,
    EndNode,
    ExecNode,
    ForeachNode,
    GateNode,
    MessageNode,
    Node,
    ScriptNode,
    StateField,
    TaskNode,
    Tool,
    ToolNode,
    Workflow,
)


def with_implied(workflow: Workflow) -> Workflow:
    """Return the workflow with what its nodes use and it does not declare: a state field of any
    type for each written variable, each named tool, and the called functions of a script without
    any."""
    known = {p.name for p in workflow.params} | {f.name for f in workflow.state}
    declared = {tool.id for tool in workflow.tools}
    named = implied_tools(workflow.agents, workflow.nodes)
    written: dict[str, StateField] = {}
    for name, node in _written_variables(workflow):
        if name not in known:
            span = node.span if node else workflow.span
            written.setdefault(name, StateField(name=name, type="any", span=span))
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


def implied_tools(agents: Iterable[Agent], nodes: Iterable[Node]) -> tuple[Tool, ...]:
    """Return the tools that agents and then nodes name, in that order."""
    named: dict[str, Tool] = {}
    for agent in agents:
        for name in agent.tools:
            named.setdefault(name, Tool(id=name, span=agent.span))
    for node in nodes:
        match node:
            case AgentNode() | TaskNode():
                names: tuple[str, ...] = node.tools
            case ToolNode():
                names = (node.tool,)
            case _:
                names = ()
        for name in names:
            named.setdefault(name, Tool(id=name, span=node.span))
    return tuple(named.values())


def called_functions(script: str, workflow: Workflow) -> tuple[str, ...]:
    """Return the functions of a script that nodes call, in order."""
    calls = [n for n in workflow.nodes if isinstance(n, ScriptNode) and n.script == script]
    return tuple(dict.fromkeys(node.function for node in calls))


def _written_variables(workflow: Workflow) -> Iterator[tuple[str, Node | None]]:
    for node in workflow.nodes:
        yield from ((name, node) for name in _by(node) if name)
    for rule in workflow.on_error:
        yield from ((a.target, None) for a in rule.assignments)
    if workflow.on_input is not None:
        yield from ((a.target, None) for a in workflow.on_input.assignments)


def _by(node: Node) -> list[str | None]:
    match node:
        case AgentNode():
            return [*(o.name for o in node.outputs), node.into, node.reply_into]
        case MessageNode() | ToolNode() | GateNode() | AskNode() | TaskNode() | ForeachNode():
            return [node.into]
        case ExecNode():
            return [node.into, node.code_into]
        case ScriptNode():
            return [*node.shares, node.keeps, node.into]
        case AssignNode() | EndNode():
            return [a.target for a in node.assignments]
        case CallNode():
            return [a.target for a in node.returns]
        case ChooseNode() | AssertNode():
            return []
        case _:
            assert_never(node)
