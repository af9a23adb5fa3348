"""A workflow as a living document: its tasks are the plan's steps, all still to be done (A1–A28).

### Step 1: Remove the hum

*   **ID:** `step_1`
*   **Description:** Notch filters at 50 Hz and its multiples.
*   **Status:** READY
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import AgentNode, AskNode, TaskNode
from ..plan import SECTIONS, is_id
from ..plan.edits import DEFAULT
from ..plan.values import Value, field_lines, plain
from .manuscript import Manuscript, Rendition
from .prose import bracket, in_order

_PERSON = "reviewer"
_Work = TaskNode | AgentNode | AskNode


def write_plan(manuscript: Manuscript) -> Rendition:
    """Everything that somebody has to do, in the order in which it is reached. A step that depends
    on another one reads the path that the other one writes (A18)."""
    workflow = manuscript.workflow
    nodes = [
        node for node in in_order(workflow) if isinstance(node, TaskNode | AgentNode | AskNode)
    ]
    names = {n.id: n.id if is_id(n.id) else f"step_{at}" for at, n in enumerate(nodes, 1)}
    people = {agent.role or agent.id for agent in workflow.agents if agent.person} | {_PERSON}
    read = {name for node in nodes if isinstance(node, TaskNode) for name in node.after}
    paths = {
        node.into: f"{names[node.id]}.wav"
        for node in nodes
        if node.into is not None and node.into in read
    }
    steps = [
        _step(number, node, names[node.id], paths, people) for number, node in enumerate(nodes, 1)
    ]
    request = _fields({"Original Request": workflow.description or workflow.title or workflow.name})
    parts = [
        f"# {' '.join(workflow.title.split())}\n" if workflow.title else "",
        _section(1, "request", request),
        _section(2, "requirements", ""),
        _section(3, "plan", "\n".join(steps)),
        _section(4, "output", _fields({"Overall Status": "IN_PROGRESS"})),
        _section(5, "log", ""),
    ]
    return Rendition("\n".join(part for part in parts if part), names=names)


def _section(number: int, key: str, body: str) -> str:
    title = next(words for known, words in SECTIONS.items() if known == key)
    return f"## {number}. {title}\n" + (f"\n{body}" if body else "")


def _step(number: int, node: _Work, id: str, paths: Mapping[str, str], people: set[str]) -> str:
    fields: dict[str, Value] = {"ID": id}
    text = node.question if isinstance(node, AskNode) else node.prompt
    fields["Description"] = bracket(text) if text is not None else ""
    fields["Status"] = "READY"
    after = node.after if isinstance(node, TaskNode) else ()
    if after and after[0] in paths:
        fields["Input Audio"] = paths[after[0]]
    if node.into is not None and node.into in paths:
        fields["Output Audio"] = paths[node.into]
    if isinstance(node, AskNode) or (isinstance(node, TaskNode) and node.role in people):
        fields["Code"] = "N/A"
    title = " ".join((node.title or node.id).split())
    return f"### Step {number}: {title}\n\n{_fields(fields)}"


def _fields(fields: Mapping[str, Value]) -> str:
    return "".join(field_lines(name, plain(value), DEFAULT) for name, value in fields.items())
