"""Agents that are there by being used: a name that is nearly another one, or holds signs.

agent: wrietr          elsewhere in the file: `writer`
agent: ${writer}       a placeholder of another language
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ....diagnostics.diagnostic import Label, Sink
from ....reading.tree import ListAt, MapAt, Scalar
from ....source.source import Span
from ....source.spelling import slip_pairs

_SIGNS = re.compile(r"[<>{}$%\[\]]")
_WORD = re.compile(r"[^\W\d][\w-]*")


def check_agent_names(workflows: Iterable[MapAt], sink: Sink) -> None:
    """Warn of names of agents in the workflows of a file that declare none. What the others declare
    counts as well: agents are called alike in a file."""
    declared: dict[str, Span] = {}
    used: dict[str, list[Span]] = {}
    for workflow in workflows:
        agents = workflow.get("agents")
        if isinstance(agents, MapAt):
            declared |= {name.text: name.span for name, _ in agents.pairs}
        for agent in _agents_of(workflow) if agents is None else ():
            used.setdefault(agent.text, []).append(agent.span)
    for name, places in used.items():
        word = _WORD.search(name)
        if _SIGNS.search(name) and word is not None:
            message = f"`{name}` is the whole name of this agent, with its signs"
            sink.report("FC1005", message, places[0], severity="warning", near=word[0])
    for pair in slip_pairs((*declared, *used)):
        other, rare = sorted(
            pair, key=lambda name: (name not in declared, -len(used.get(name, ())))
        )
        if rare not in declared and len(used[rare]) == 1:
            first = declared[other] if other in declared else used[other][0]
            labels = (Label(first, f"this is `{other}`"),)
            message = f"`{rare}` is another agent than `{other}`"
            sink.report(
                "FC2001", message, used[rare][0], severity="warning", labels=labels, near=other
            )


def _agents_of(workflow: MapAt) -> Iterator[Scalar]:
    nodes = workflow.get("nodes")
    for node in nodes.items if isinstance(nodes, ListAt) else ():
        agent = node.get("agent") if isinstance(node, MapAt) else None
        if isinstance(agent, Scalar) and not agent.is_null:
            yield agent
