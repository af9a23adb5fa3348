"""A workflow as step markdown: agents that work and report, one after another (S1 to S14).

### 🔧 WORKFLOW STEP: Find the last tag
```
Find the newest release tag.
```
### 🛠️ TOOL: git_log
"""

from __future__ import annotations

import re

from ...grammar.lexing import KEYWORDS, SIGNS
from ..expr.ast import Call, Expr, Literal, Name, Text
from ..ir import AgentNode, Edge, Workflow
from .manuscript import Manuscript, Written

_WORDS = {kind: word for word, kind in KEYWORDS.items()}
_TICKS = re.compile(r"^[ ]{0,3}(`{3,})", re.M)


def write_steps(manuscript: Manuscript) -> Written:
    """The agent nodes in the order in which they are reached, each as one step."""
    workflow = manuscript.workflow
    nodes = in_order(workflow)
    blocks = [f"# {_line(workflow.title)}"] if workflow.title else []
    if workflow.description:
        blocks.append(workflow.description)
    section = ""
    for node in nodes:
        if node.section != section:
            blocks.append(f"## {_line(node.section)}".rstrip())
            section = node.section
        blocks += _step(node)
    names = {node.id: f"step_{number}" for number, node in enumerate(nodes)}
    return Written("\n\n".join(blocks) + "\n", names=names)


def in_order(workflow: Workflow) -> list[AgentNode]:
    """The agent nodes along the way that is taken when nothing fails; those beside it come last."""
    nodes = {node.id: node for node in workflow.nodes}
    after: dict[str, list[Edge]] = {}
    for edge in workflow.edges:
        if edge.guard is None or edge.guard.kind != "error":
            after.setdefault(edge.source, []).append(edge)
    reached: dict[str, None] = {}
    waiting = [workflow.entry, *nodes][::-1]
    while waiting:
        id = waiting.pop()
        if id not in reached and id in nodes:
            reached[id] = None
            waiting += [edge.target for edge in reversed(after.get(id, ()))]
    return [node for id in reached if isinstance(node := nodes[id], AgentNode)]


def _step(node: AgentNode) -> list[str]:
    text = node.description or (bracketed(node.prompt) if node.prompt is not None else "")
    mark = "`" * max([3, *(len(found) + 1 for found in _TICKS.findall(text))])
    blocks = [
        f"{_heading('STEP')} {_line(node.title or node.id)}\n{mark}\n{text}\n{mark}",
    ]
    if len(node.tools) == 1:
        blocks.append(f"{_heading('TOOL')} {node.tools[0]}")
    else:
        blocks += _list("TOOLS", list(node.tools))
    blocks += _list("INPUTS", [f"{x.name}: {x.description}".rstrip() for x in node.inputs])
    blocks += _list("OUTPUTS", [f"{x.source} → {x.name}".lstrip() for x in node.outputs])
    return blocks + _list("ASSERT", [x.text for x in node.asserts])


def _heading(kind: str) -> str:
    return f"### {SIGNS[kind]} {_WORDS[kind]}:"


def _list(kind: str, items: list[str]) -> list[str]:
    return ["\n".join([_heading(kind), *(f"- {item}" for item in items)])] if items else []


def _line(text: str) -> str:
    return " ".join(text.split())


def bracketed(expr: Expr) -> str:
    """A template with the placeholders of step markdown, `[NAME]` (S33). What is neither text nor a
    variable leaves a gap that shows what stood there."""
    match expr:
        case Literal():
            return "" if expr.value is None else str(expr.value)
        case Name():
            return f"[{expr.name}]"
        case Call(function="coalesce", args=(Name(name=name), *_)):
            return f"[{name}]"
        case Text():
            return "".join(bracketed(part) for part in expr.parts)
        case _:
            return "[…]"
