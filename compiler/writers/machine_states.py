"""A group of nodes as the state that it was made from (J5, J6, J19–J23, J33–J40).

review.enter   review.pre   review   review.post   review.next   review.to
review.enter   review.script   review   review.if ─ review.before   review.if2 …
"""

from __future__ import annotations

import re
from typing import Any

from .. import ir
from ..analysis.graphs import edges_from
from ..expr.ast import Call
from .machine_code import inline_code, javascript, sent_text, statements

_PART = re.compile(r"\.(?P<part>[a-z]+)\d*_*\Z")
_HANDLERS = {"pre": "pre_handler", "post": "post_handler", "next": "transition_handler"}
SCRIPT = "script"


class States:
    """Reads the states of a workflow that is made of groups. `untitled` are nodes whose titles are
    not the code they were made from."""

    def __init__(self, workflow: ir.Workflow, untitled: frozenset[str]) -> None:
        self.workflow, self.untitled = workflow, untitled
        self.nodes = {node.id: node for node in workflow.nodes}
        self.entries = {n.id: n.group for n in workflow.nodes if n.group is not None}
        self.members: dict[str, list[ir.Node]] = {}
        for id, group in self.entries.items():
            self.members.setdefault(group, []).append(self.nodes[id])
        ways = (e for e in workflow.edges if not isinstance(e.guard, ir.OnError))
        self.out_of = edges_from(ways)
        self.scripts = {script.id: script for script in workflow.scripts}

    def state(self, name: str) -> dict[str, Any]:
        """The state of a group, as JSON."""
        found: dict[str, Any] = {"name": name}
        action: dict[str, Any] = {}
        last: ir.Node | None = None
        for node in self.members.get(name, []):
            part = part_of(node)
            match node:
                case ir.ScriptNode() if part in _HANDLERS:
                    found[_HANDLERS[part]] = node.function
                case ir.ScriptNode() | ir.AssignNode() if part == "script":
                    action["script"] = self.code(node)
                case ir.AgentNode():
                    found |= self.agent_body(node)
                case ir.MessageNode():
                    found |= self.message_body(node, action)
                case _:
                    pass
            if part not in ("if", "test", "before", "to"):
                last = node
        if action:
            found["action"] = action
        ways = (
            self.transitions(last) if last is not None and "transition_handler" not in found else []
        )
        if ways:
            found["transition"] = ways
        return found

    def agent_body(self, node: ir.AgentNode) -> dict[str, Any]:
        found: dict[str, Any] = {"agent": node.agent}
        if node.prompt is not None:
            computed = next(
                (n for n in self.members[node.group or ""] if part_of(n) == "input"), None
            )
            code = self.code(computed) if computed is not None else None
            found["input"] = node.description or code or sent_text(node.prompt)
        return found

    def message_body(self, node: ir.MessageNode, action: dict[str, Any]) -> dict[str, Any]:
        agents = [a for a in self.workflow.agents if a.thread == node.thread]
        named = next((a for a in agents if a.id == node.title), agents[0] if agents else None)
        found: dict[str, Any] = {"agent": named.id if named else node.thread}
        if node.mode != "append":
            action["function"] = "clearConversation"
            return found
        action["function"] = "addUserMessage"
        return found | {"input": sent_text(node.template)}

    def code(self, node: ir.Node) -> str:
        """What a node of code was made from: a function's name, statements or an expression."""
        match node:
            case ir.ScriptNode() if node.script == SCRIPT:
                return node.function
            case ir.ScriptNode():
                script = self.scripts.get(node.script)
                return (inline_code(script) if script else None) or node.title
            case ir.AssignNode():
                return self.title(node) or statements(node.assignments, self.agent_of(node))
            case ir.ChooseNode():
                return self.title(node) or javascript(node.on, self.agent_of(node))
            case _:
                return ""

    def title(self, node: ir.Node) -> str:
        return "" if node.id in self.untitled else node.title

    def agent_of(self, node: ir.Node) -> str:
        """The agent of the node's state, whose answer the last one is."""
        own = self.members.get(node.group or "", [])
        return next((one.agent for one in own if isinstance(one, ir.AgentNode)), "")

    def transitions(self, last: ir.Node) -> list[dict[str, Any]]:
        """The ways out in order: a condition, what is done before, the target (J39, J40)."""
        found: list[dict[str, Any]] = []
        at, missed = last.id, False
        while (edge := self.way(at, ir.Otherwise if missed else None)) is not None:
            node = self.nodes.get(edge.target)
            part = part_of(node) if node is not None and node.group == last.group else ""
            if node is None or part not in ("if", "test"):
                if not edge.implied or part == "before":
                    found.append({**self.lead(edge), "condition": "true"})
                break
            condition = self.code(node)
            if isinstance(node, ir.ScriptNode):
                after = self.way(node.id, None)
                node = self.nodes[after.target] if after is not None else node
            taken = self.way(node.id, ir.Case)
            if taken is not None:
                led = self.lead(taken)
                found.append({"target": led.pop("target"), "condition": condition, **led})
            at, missed = node.id, True
        return found

    def way(self, id: str, guard: type | None) -> ir.Edge | None:
        """The edge out of a node under a guard of this kind."""
        wanted = type(None) if guard is None else guard
        return next((e for e in self.out_of.get(id, ()) if isinstance(e.guard, wanted)), None)

    def lead(self, edge: ir.Edge) -> dict[str, Any]:
        """The target of a way, and what is done before it."""
        node = self.nodes.get(edge.target)
        if node is not None and part_of(node) == "before":
            onward = self.way(node.id, None)
            target = onward.target if onward is not None else ""
            return {"target": self.name_of(target), "before": self.code(node)}
        return {"target": self.name_of(edge.target)}

    def name_of(self, id: str) -> str:
        """The state that a node begins."""
        return self.entries.get(id, "stop")


def part_of(node: ir.Node) -> str:
    """What a node is in its state, "" for the agent's own."""
    match = _PART.search(node.id)
    return match["part"] if match and node.id != node.group else ""


def is_machine(workflow: ir.Workflow) -> bool:
    """Whether the nodes are groups, each begun by a node that notes the visit."""
    begun = {
        node.group
        for node in workflow.nodes
        if isinstance(node, ir.AssignNode)
        and part_of(node) == "enter"
        and any(
            isinstance(a.value, Call) and a.value.function == "append" for a in node.assignments
        )
    }
    return bool(workflow.groups) and {group.id for group in workflow.groups} <= begun
