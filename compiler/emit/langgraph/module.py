"""GraphSpec -> a LangGraph module that LangGraph Studio and `langgraph dev` load, and its files.

The module shows the graph as a person would write it: one `add_node` with its place in the source,
one `add_edge` or `add_conditional_edges` for each way out. What the nodes do lies beside it in
`graph.json`; bodies come from `flowc.runtime.emitted`, the same ones that `flowc run` uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...lowering.graphspec import Branch, EdgeSpec, GraphSpec, Join, NodeSpec, labelled_targets
from ...lowering.serde import dump_spec

_END = "__end__"

_HEAD = '''"""{title}

Compiled by flowc from {file}. Do not edit: change the workflow and compile again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flowc.runtime.emitted.compiled_flow import CompiledFlow
from langgraph.graph import END, START, StateGraph

FLOW = CompiledFlow.load(Path(__file__).with_name("graph.json"))


def build() -> StateGraph[Any]:
    """The graph, not yet compiled."""
    graph = StateGraph(FLOW.State, output_schema=FLOW.Output)
'''

_TAIL = '''    return graph


async def make_graph() -> Any:
    """What `langgraph.json` names: the server adds its own checkpointer."""
    return FLOW.graph(build(), {name})
'''


def emit_python(spec: GraphSpec) -> str:
    """The text of `graph.py`; deterministic."""
    lines = [
        _HEAD.format(
            title=_docstring(spec.title or spec.name),
            file=_docstring(spec.file),
        )
    ]
    for node in spec.nodes:
        lines.extend(_node(node))
    lines.extend(f"    graph.add_node({_text(name)}, FLOW.relay)\n" for name in spec.relays)
    lines.append(f"    graph.add_edge(START, {_text(spec.entry)})\n")
    lines.extend(_edge(edge) for edge in spec.edges)
    lines.extend(_join(join) for join in spec.joins)
    for branch in spec.branches:
        lines.extend(_branch(branch))
    lines.append(_TAIL.format(name=_text(spec.name)))
    return "".join(lines)


def emit_spec_json(spec: GraphSpec) -> str:
    """The text of `graph.json`: the whole spec."""
    return json.dumps(dump_spec(spec), indent=1, ensure_ascii=False) + "\n"


def emit_langgraph_json(spec: GraphSpec) -> str:
    """The text of `langgraph.json`: one graph, named as the workflow."""
    config = {
        "dependencies": ["."],
        "graphs": {graph_name(spec): "./graph.py:make_graph"},
        "env": {"LANGSMITH_TRACING": "false"},
    }
    return json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def graph_name(spec: GraphSpec) -> str:
    """The workflow's name as a graph id: ASCII letters, digits, `-` and `_`."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in spec.name)
    return kept.strip("-") or "workflow"


def _node(node: NodeSpec) -> Iterator[str]:
    if node.place is not None:
        yield f"    # {_comment(str(node.place))}\n"
    name = _text(node.id)
    defer = ", defer=True" if node.defer else ""
    yield f"    graph.add_node({name}, FLOW.node({name}), metadata=FLOW.metadata({name}){defer})\n"


def _edge(edge: EdgeSpec) -> str:
    return f"    graph.add_edge({_text(edge.source)}, {_target(edge.target)})\n"


def _join(join: Join) -> str:
    sources = ", ".join(_text(source) for source in join.sources)
    return f"    graph.add_edge([{sources}], {_text(join.target)})\n"


def _branch(branch: Branch) -> Iterator[str]:
    yield "    graph.add_conditional_edges(\n"
    yield f"        {_text(branch.source)},\n"
    yield f"        FLOW.route({_text(branch.source)}),\n"
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
