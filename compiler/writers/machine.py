"""A workflow as a state machine in JSON, its script and its roles in a folder beside it (J1–J40).

Groups become the states they were made from. Nodes without groups become states of the older form,
which send their text to an agent and go on to the first target whose condition holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from .. import ir
from ..analysis.graphs import edges_from
from ..expr.ast import Call, Expr, Literal, ObjectOf
from .machine_code import DATA, javascript, json_of, sent_text, statements
from .machine_states import SCRIPT, States, is_machine
from .manuscript import Manuscript, Rendition
from .prose import in_order

_LENGTH = 50_000
_TYPES = {"text": "string", "list": "array"}
_ENDINGS = {"javascript": "script.js", "python": "script.py"}
_NO_ARGUMENTS = {"type": "object", "properties": {}}


def write_machine(manuscript: Manuscript) -> Rendition:
    """The JSON; `<name>/script.js` and `<name>/roles.json` where the workflow has them."""
    workflow = manuscript.workflow
    grouped = States(workflow, manuscript.untitled)
    if is_machine(workflow):
        states = [grouped.state(group.id) for group in workflow.groups]
    else:
        states = list(_plain_states(workflow))
    agents = _agents(workflow)
    body = {
        "workflow_name": workflow.title or workflow.name,
        "description": workflow.description or workflow.title or workflow.name,
        "input": _input(workflow),
        "output": _output(workflow),
        "variables": _variables(workflow),
        "contexts": _contexts(workflow, agents),
        "agents": agents,
        "states": [*states, _stop(workflow)],
    }
    said = {key: value for key, value in body.items() if value is not None}
    return Rendition(_json(said), dict(_files(manuscript)))


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _input(workflow: ir.Workflow) -> dict[str, str]:
    param = next(iter(workflow.params), None)
    if param is None:
        return {"name": "input", "type": "string", "description": "what the workflow is given"}
    return {
        "name": param.name,
        "type": _TYPES.get(param.type, param.type),
        "description": param.description or param.name,
    }


def _output(workflow: ir.Workflow) -> dict[str, str]:
    name = next((n for n in workflow.outputs if n != DATA), "output")
    return {"name": name, "type": "string", "description": "the result"}


def _variables(workflow: ir.Workflow) -> Any:
    """What common_data begins with: the constant that the first node puts the input into."""
    first = next((node for node in workflow.nodes if node.id == workflow.entry), None)
    for assignment in first.assignments if isinstance(first, ir.AssignNode) else ():
        if assignment.target == DATA:
            data = json_of(_innermost(assignment.value))
            return data or None
    own = {f.name: f.default for f in workflow.state if f.default is not None and f.name != DATA}
    return None if is_machine(workflow) else own or None


def _innermost(expr: Expr) -> Expr:
    while isinstance(expr, Call) and expr.function == "put":
        expr = expr.args[0]
    return expr if isinstance(expr, ObjectOf) else ObjectOf(entries=())


def _agents(workflow: ir.Workflow) -> list[dict[str, str]]:
    return [
        {
            "agent_role": agent.id,
            "context": agent.thread or agent.id,
            "role": agent.perspective,
        }
        for agent in workflow.agents
    ]


def _contexts(workflow: ir.Workflow, agents: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The threads, and one for each agent that has none."""
    found: dict[str, dict[str, Any]] = {}
    for thread in workflow.threads:
        found[thread.id] = {"name": thread.id}
        if thread.seed:
            found[thread.id]["starting_messages"] = [
                {"role": seed.role, "content": seed.content} for seed in thread.seed
            ]
        if thread.max_chars not in (None, _LENGTH):
            found[thread.id]["max_length"] = thread.max_chars
    for agent in agents:
        found.setdefault(agent["context"], {"name": agent["context"]})
    return list(found.values())


def _stop(workflow: ir.Workflow) -> dict[str, Any]:
    """The state that is never executed; its input is the result (J29)."""
    for node in workflow.nodes:
        if isinstance(node, ir.EndNode) and node.outcome == "success" and node.assignments:
            match node.assignments[0].value:
                case Call(function="coalesce", args=(given, Call(function="either"))):
                    constant = isinstance(given, Literal) or given.kind in ("list", "object")
                    return {
                        "name": "stop",
                        "input": json_of(given) if constant else sent_text(given),
                    }
    return {"name": "stop"}


def _plain_states(workflow: ir.Workflow) -> Iterator[dict[str, Any]]:
    """A state for every node that is not an end; `start` leads to the first."""
    nodes = {node.id: node for node in workflow.nodes}
    if workflow.entry in nodes and workflow.entry != "start":
        first = {"target": _target(nodes[workflow.entry]), "condition": "true"}
        yield {"name": "start", "transition": [first]}
    after = edges_from(e for e in workflow.edges if not isinstance(e.guard, ir.OnError))
    for node in in_order(workflow):
        if not isinstance(node, ir.EndNode):
            ways = [
                {"target": _target(nodes[e.target]), "condition": _condition(node, e)}
                for e in after.get(node.id, ())
                if e.target in nodes
            ]
            yield {"name": node.id, **_work(node), **({"transition": ways} if ways else {})}


def _work(node: ir.Node) -> dict[str, Any]:
    match node:
        case ir.AgentNode(prompt=None):
            return {"agent": node.agent}
        case ir.AgentNode():
            assert node.prompt is not None
            return {"agent": node.agent, "input": sent_text(node.prompt)}
        case ir.TaskNode():
            return {"agent": node.agent or node.role, "input": sent_text(node.prompt)}
        case ir.AssignNode() if node.assignments:
            return {"action": {"script": statements(node.assignments)}}
        case _:
            return {}


def _target(node: ir.Node) -> str:
    return "stop" if isinstance(node, ir.EndNode) else node.id


def _condition(node: ir.Node, edge: ir.Edge) -> str:
    if not isinstance(node, ir.ChooseNode) or not isinstance(edge.guard, ir.Case):
        return "true"
    value, on = edge.guard.value, javascript(node.on, within=8)
    if value in ("true", "false"):
        return on if value == "true" else f"!{on}"
    return f"{on} === {javascript(Literal(value=value))}"


def _files(manuscript: Manuscript) -> Iterator[tuple[str, str]]:
    """The script, and the roles of the agents that are told something or have tools (J7, J17)."""
    folder = os.path.splitext(os.path.basename(manuscript.path))[0]
    workflow = manuscript.workflow
    script = next((script for script in workflow.scripts if script.id == SCRIPT), None)
    if script is not None:
        yield f"{folder}/{_ENDINGS[script.language]}", script.source
    tools = {tool.id: tool for tool in workflow.tools}
    roles = {agent.id: _role(agent, tools) for agent in workflow.agents}
    if any(roles.values()):
        yield f"{folder}/roles.json", _json(roles)


def _role(agent: ir.Agent, tools: dict[str, ir.Tool]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if agent.system is not None:
        found["systemMessage"] = sent_text(agent.system)
    own = [tools.get(name, ir.Tool(id=name)) for name in agent.tools]
    included = [tool.id for tool in own if tool.result == "execute"]
    if included:
        found["includedTools"] = included
    parsing = [_parsing(tool) for tool in own if tool.result == "answer"]
    if parsing:
        found["parsingTools"] = parsing
    return found


def _parsing(tool: ir.Tool) -> dict[str, Any]:
    function: dict[str, Any] = {"name": tool.id}
    if tool.description:
        function["description"] = tool.description
    if tool.schema is not None and tool.schema != _NO_ARGUMENTS:
        function["parameters"] = tool.schema
    return {"type": "function", "function": function}
