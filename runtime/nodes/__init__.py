"""Node kinds: the runtime's function for each kind of the IR. The one place a kind registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flowc.compiler.lowering.graphspec import NodeSpec

from . import (
    agent,
    ask,
    assertion,
    assign,
    call,
    choose,
    end,
    exec,
    foreach,
    gate,
    message,
    script,
    task,
    tool,
    wait,
)
from .calls import http, python
from .visit.visit import Body, Setting

Subgraph = Callable[[NodeSpec, Setting], Any]


@dataclass(frozen=True, slots=True)
class NodeKind:
    """`run` makes one visit; `subgraph` compiles the graph that it runs inside, if it has one.
    `runtime.graph` builds the subgraph of a call, which is a workflow."""

    run: Body
    subgraph: Subgraph | None = None


NODE_KINDS: dict[str, NodeKind] = {
    "agent": NodeKind(agent.run, agent.subgraph),
    "message": NodeKind(message.run),
    "tool": NodeKind(tool.run),
    "python": NodeKind(python.run),
    "exec": NodeKind(exec.run, exec.subgraph),
    "script": NodeKind(script.run),
    "choose": NodeKind(choose.run),
    "ask": NodeKind(ask.run),
    "wait": NodeKind(wait.run),
    "http": NodeKind(http.run),
    "assign": NodeKind(assign.run),
    "assert": NodeKind(assertion.run),
    "call": NodeKind(call.run),
    "task": NodeKind(task.run, task.subgraph),
    "gate": NodeKind(gate.run),
    "end": NodeKind(end.run),
    "foreach": NodeKind(foreach.run),
}
