"""A workflow as step markdown: agents that work and report, one after another (S1 to S14).

### 🔧 WORKFLOW STEP: Find the last tag
```
Find the newest release tag.
```
### 🛠️ TOOL: git_log
"""

from __future__ import annotations

import re

from flowc.grammar.lexing import KEYWORDS, SIGNS

from ..ir import AgentNode, TaskNode
from .manuscript import Manuscript, Rendition
from .prose import bracket, in_order

_WORDS = {kind: word for word, kind in KEYWORDS.items()}
_TICKS = re.compile(r"^[ ]{0,3}(`{3,})", re.M)


def write_steps(manuscript: Manuscript) -> Rendition:
    """The agent nodes in the order in which they are reached, each as one step."""
    workflow = manuscript.workflow
    nodes = [node for node in in_order(workflow) if isinstance(node, AgentNode | TaskNode)]
    blocks = [f"# {_line(workflow.title)}"] if workflow.title else []
    if workflow.description:
        blocks.append(workflow.description)
    section = ""
    for node in nodes:
        if isinstance(node, AgentNode) and node.section != section:
            blocks.append(f"## {_line(node.section)}".rstrip())
            section = node.section
        blocks += _step(node)
    names = {node.id: f"step_{number}" for number, node in enumerate(nodes)}
    return Rendition("\n\n".join(blocks) + "\n", names=names)


def _step(node: AgentNode | TaskNode) -> list[str]:
    text = node.description if isinstance(node, AgentNode) else ""
    if not text and node.prompt is not None:
        text = bracket(node.prompt)
    mark = "`" * max([3, *(len(found) + 1 for found in _TICKS.findall(text))])
    blocks = [
        f"{_heading('STEP')} {_line(node.title or node.id)}\n{mark}\n{text}\n{mark}",
    ]
    if len(node.tools) == 1:
        blocks.append(f"{_heading('TOOL')} {node.tools[0]}")
    else:
        blocks += _list("TOOLS", list(node.tools))
    if isinstance(node, TaskNode):
        return blocks + _list("ASSERT", [x.text for x in node.criteria])
    blocks += _list("INPUTS", [f"{x.name}: {x.description}".rstrip() for x in node.inputs])
    blocks += _list("OUTPUTS", [f"{x.source} → {x.name}".lstrip() for x in node.outputs])
    return blocks + _list("ASSERT", [x.text for x in node.asserts])


def _heading(kind: str) -> str:
    return f"### {SIGNS[kind]} {_WORDS[kind]}:"


def _list(kind: str, items: list[str]) -> list[str]:
    return ["\n".join([_heading(kind), *(f"- {item}" for item in items)])] if items else []


def _line(text: str) -> str:
    return " ".join(text.split())
