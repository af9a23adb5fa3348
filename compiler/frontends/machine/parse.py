"""The state machine front end: JSON with contexts, agents and states, and a script beside it.

A state becomes a group of nodes (states); a context is a thread, an agent sees it from its
side. `begin` sets up the data, `stop` works out the result (J18, J29).
"""

from __future__ import annotations

from typing import Any

from ... import ir
from ...diagnostics.diagnostic import Sink
from ...expr.ast import Call, Expr, Field, Literal, Name, Text
from ...reading.json_fields import read_json
from ...reading.protocol import Parsed
from ...source.source import Source, SourceSet
from .document import RESUME, STOP, State, read_machine
from .editing import machine_mentions
from .expressions import DATA, constant, path_of, put
from .graph import MachineGraph, variables_of
from .nearly import check_texts
from .roles import RoleEntry, agent_of, read_roles
from .script import Handlers, read_script, script_of
from .states import add_states

MAX_STEPS = 10_000
"""Nodes after which a run stops: real machines go round until a script has enough (J31)."""
DONE = "Workflow completed successfully"
_TYPES: dict[str, ir.TypeName] = {
    "string": "text", "text": "text", "number": "number", "integer": "integer",
    "boolean": "boolean", "object": "object", "array": "list", "list": "list",
}  # fmt: skip


def parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a file, its script and its roles."""
    tree = read_json(source, sink)
    machine = read_machine(tree) if tree is not None else None
    if machine is None or not machine.states:
        return Parsed(None)
    file = read_script(machine, sources, sink)
    handlers = Handlers(machine, file, sink)
    is_older = any(state.is_older for state in machine.states)
    graph = MachineGraph(machine, file, handlers, sink, variables_of(machine), is_older)
    graph.scripts.extend(script_of(file, machine))
    graph.nodes.append(_begin(graph))
    graph.lead(graph.begin, graph.first, implied=True)
    add_states(graph)
    graph.nodes.append(_stop(graph))
    if any(edge.target == graph.unknown for edge in graph.edges):
        graph.nodes.append(_unknown(graph))
    roles = read_roles(machine, sources, sink)
    check_texts(machine, roles, file, sink)
    return Parsed(
        _workflow(graph, roles),
        details={state.name.text: _detail(state) for state in machine.states},
        mentions=lambda: machine_mentions(machine, file),
    )


def _workflow(graph: MachineGraph, roles: dict[str, RoleEntry]) -> ir.Workflow:
    machine, names = graph.machine, graph.names
    tools: dict[str, ir.Tool] = {}
    for entry in roles.values():
        tools.update({tool.id: tool for tool in entry.tools if tool.id not in tools})
    return ir.Workflow(
        name=machine.name,
        title=machine.name,
        description=machine.description,
        params=_params(graph),
        outputs=tuple(dict.fromkeys((names.output, names.visited, DATA))),
        state=graph.variables(),
        agents=tuple(
            agent_of(agent, roles.get(agent.name.text), graph.is_older) for agent in machine.agents
        ),
        tools=tuple(tools.values()),
        threads=tuple(
            ir.Thread(
                id=context.name.text,
                seed=context.seed,
                max_chars=context.max_length,
                span=context.name.span,
            )
            for context in machine.contexts
        ),
        scripts=tuple(graph.scripts),
        groups=tuple(graph.groups),
        nodes=tuple(graph.nodes),
        edges=tuple(graph.edges),
        entry=graph.begin,
        on_input=_on_input(graph),
        limits=(ir.Limit(name="steps", value=Literal(value=MAX_STEPS), then="stop"),),
        span=machine.tree.source.span(0),
        origin=ir.Origin(format="machine", file=machine.tree.source.path),
    )


def _params(graph: MachineGraph) -> tuple[ir.Param, ...]:
    parameter = graph.machine.input
    if parameter is None:
        return ()
    return (
        ir.Param(
            name=graph.names.param,
            type=_TYPES.get(parameter.type.strip().lower(), "any"),
            required=True,
            description=parameter.description,
            span=parameter.name.span,
        ),
    )


def _begin(graph: MachineGraph) -> ir.AssignNode:
    """Give common_data the variables, then the input under its name, which wins (J18)."""
    machine, names = graph.machine, graph.names
    value = Name(name=names.param)
    data: Expr = constant(machine.variables)
    if machine.input is not None:
        data = put(data, [names.param], value)
    assignments = [ir.Assignment(target=DATA, value=data)]
    if names.param != "input":
        assignments.append(ir.Assignment(target="input", value=value))
    return ir.AssignNode(id=graph.begin, title="begin", assignments=tuple(assignments))


def _stop(graph: MachineGraph) -> ir.EndNode:
    """Set the result (J29): the input of `stop`, else the output's value in common_data, else a
    sentence. An empty text or 0 that `stop` gives stays."""
    stop = graph.machine.state(STOP)
    name = graph.names.output
    field = Field(object=Name(name=DATA), name=name)
    value: Expr = Call(function="either", args=(field, Literal(value=DONE)))
    if stop is not None and stop.input_value is not None:
        value = Call(function="coalesce", args=(_stop_input(stop), value))
    return ir.EndNode(
        id=graph.stop,
        title=STOP,
        outcome="success",
        assignments=(ir.Assignment(target=name, value=value),),
        span=stop.name.span if stop else None,
    )


def _stop_input(stop: State) -> Expr:
    if isinstance(stop.input_value, str):
        return path_of(stop.input_value) or constant(stop.input_value)
    return constant(stop.input_value)


def _unknown(graph: MachineGraph) -> ir.EndNode:
    """Return the end for a transition handler that returns no state's name: the run fails (J21)."""
    message = Text(parts=(Literal(value="Unknown state: "), Name(name=graph.names.next)))
    return ir.EndNode(
        id=graph.unknown,
        title="unknown state",
        outcome="failed",
        assignments=(ir.Assignment(target=graph.names.output, value=message),),
    )


def _on_input(graph: MachineGraph) -> ir.OnInput:
    """Send a line that a person gives unasked to the state `resume`; without one begin the run anew
    with it, its contexts kept (J45)."""
    line = Name(name="input")
    if RESUME in graph.entries:
        value = put(Name(name=DATA), ["resume_input"], line)
        return ir.OnInput(
            target=graph.entries[RESUME], assignments=(ir.Assignment(target=DATA, value=value),)
        )
    return ir.OnInput(
        target=graph.begin, assignments=(ir.Assignment(target=graph.names.param, value=line),)
    )


def _detail(state: State) -> dict[str, Any]:
    """Return what `inspect` shows of a state, with what only the older dialect has."""
    detail: dict[str, Any] = {
        "agent": state.agent.text if state.agent else None,
        "pre": state.pre.text if state.pre else None,
        "post": state.post.text if state.post else None,
        "transition": state.transition.text if state.transition else None,
    }
    if state.input_value is not None:
        detail["input"] = state.input_value
    action = {"script": state.script, "function": state.call, "message": state.message}
    texts = {key: words.text for key, words in action.items() if words}
    if texts:
        detail["action"] = texts
    if state.transitions:
        detail["transitions"] = [
            {
                "target": t.target.text,
                "condition": t.condition.text,
                "before": t.before.text if t.before else None,
            }
            for t in state.transitions
        ]
    return detail
