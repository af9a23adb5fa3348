"""GraphSpec -> the two files beside the module: its data, and what `langgraph dev` reads."""

from __future__ import annotations

import json

from ...lowering.graphspec import GraphSpec
from ...lowering.serde import dump_spec


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
