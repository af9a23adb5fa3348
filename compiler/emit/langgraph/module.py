"""GraphSpec -> a Python module with the workflow's graph, for LangGraph's server and any program.

The module shows the graph as a person would write it: one `add_node` with its place in the source,
one `add_edge` or `add_conditional_edges` for each way out. What the nodes do stands in the
workflow's own file, which `flowc.load` reads; the bodies are those that `flowc run` uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ...lowering.graphspec import Branch, EdgeSpec, GraphSpec, Join, NodeSpec, labelled_targets
from ...source.records import dataclass

_END = "__end__"

_HEAD = '''"""{title}

Compiled by flowc from {file}. Do not edit: change the workflow and compile again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flowc
from langgraph.graph import END, START, StateGraph

PROJECT = Path(__file__).absolute().parents[{depth}]
FLOW = flowc.load({arguments})
PARTS = FLOW.parts


def build() -> StateGraph[Any]:
    """Return the graph, not yet compiled."""
    graph = PARTS.empty_graph()
'''

_TAIL = '''    return graph


graph = PARTS.compile(build())
"""What `langgraph.json` names: the server adds its checkpointer."""
'''


@dataclass(frozen=True, slots=True)
class Served:
    """A workflow in a project. `name` is its graph's, `file` and `team_file` are seen from the
    project's folder; `format` is given where it was not found out, `team` where it is not a file.
    `places` are the files that places lie in, as the compilation names them, seen from there
    too."""

    spec: GraphSpec
    name: str
    file: str
    format: str | None = None
    team: str | None = None
    team_file: str | None = None
    places: Mapping[str, str] | None = None


def graph_name(spec: GraphSpec) -> str:
    """Return the workflow's name as a graph id: ASCII letters, digits, `-` and `_`."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in spec.name)
    return kept.strip("-") or "workflow"


def emit_module(served: Served, depth: int = 1) -> str:
    """Return the text of a workflow's module; deterministic. It lies `depth` folders below the
    project's."""
    spec = served.spec
    lines = [
        _HEAD.format(
            title=_docstring(spec.title or spec.name),
            file=_docstring(served.file),
            depth=depth,
            arguments=", ".join(_arguments(served)),
        )
    ]
    for node in spec.nodes:
        lines.extend(_node(node, served.places or {}))
    lines.extend(f"    graph.add_node({_text(name)}, PARTS.relay)\n" for name in spec.relays)
    lines.append(f"    graph.add_edge(START, {_text(spec.entry)})\n")
    lines.extend(_edge(edge) for edge in spec.edges)
    lines.extend(_join(join) for join in spec.joins)
    for branch in spec.branches:
        lines.extend(_branch(branch))
    return "".join([*lines, _TAIL])


def _arguments(served: Served) -> Iterator[str]:
    yield f"PROJECT / {_text(served.file)}"
    yield "project=PROJECT"
    if served.format is not None:
        yield f"format={_text(served.format)}"
    if served.team is not None:
        yield f"team={_text(served.team)}"
    if served.team_file is not None:
        yield f"team=PROJECT / {_text(served.team_file)}"
    # Who runs this module runs code of the project: it asks for nothing more.
    yield "permissions=flowc.Permissions(trust=True)"


def _node(node: NodeSpec, places: Mapping[str, str]) -> Iterator[str]:
    if node.place is not None:
        place = node.place
        file = places.get(place.file, place.file)
        yield f"    # {_comment(file)}:{place.line}:{place.column}\n"
    name = _text(node.id)
    more = ", defer=True" if node.defer else ""
    yield f"    graph.add_node({name}, PARTS.node({name}){more})\n"


def _edge(edge: EdgeSpec) -> str:
    return f"    graph.add_edge({_text(edge.source)}, {_target(edge.target)})\n"


def _join(join: Join) -> str:
    sources = ", ".join(_text(source) for source in join.sources)
    return f"    graph.add_edge([{sources}], {_text(join.target)})\n"


def _branch(branch: Branch) -> Iterator[str]:
    yield "    graph.add_conditional_edges(\n"
    yield f"        {_text(branch.source)},\n"
    yield f"        PARTS.route({_text(branch.source)}),\n"
    yield "        {\n"
    for _, label, target in labelled_targets(branch):
        yield f"            {_text(label)}: {_target(target)},\n"
    yield "        },\n"
    yield "    )\n"


def _target(name: str) -> str:
    return "END" if name == _END else _text(name)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _docstring(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _comment(value: str) -> str:
    return value.replace("\n", " ").replace("\r", " ")
