"""Import a written module and compare its graph with the workflow's."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from langgraph.constants import START

from ..checkpoints.types import Graph
from ..errors import RunError

Edges = set[tuple[str, str]]
_SHOWN = 5


def check_module(spec: GraphSpec, file: Path, folder: Path) -> None:
    """Import the written module and compare its edges with the spec's. A difference is a fault of
    flowc (`RunError` with exit code 3). Raise `RunError` too where the workflow reads what does not
    lie in the project's `folder`."""
    module = load_module(file)
    home = os.path.realpath(folder)
    for path in module.FLOW.compiled.sources.files:
        if not os.path.realpath(path).startswith(home + os.sep):
            raise RunError(
                f"{spec.file} reads {path}, which is not part of the project",
                help="name it by a path that begins at the file",
            )
    built, wanted = built_edges(module.build()), spec_edges(spec)
    if built != wanted:
        missing, extra = sorted(wanted - built)[:_SHOWN], sorted(built - wanted)[:_SHOWN]
        raise RunError(
            f"{file} does not have the workflow's edges: missing {missing}, too many {extra}",
            exit_code=3,
        )


def load_module(file: Path) -> Any:
    """Import a module by its file; no bytecode is left behind. Raise `RunError` when it is none."""
    module_spec = importlib.util.spec_from_file_location("flowc_compiled_graph", file)
    if module_spec is None or module_spec.loader is None:
        raise RunError(f"{file} cannot be imported", exit_code=3)
    module = importlib.util.module_from_spec(module_spec)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        module_spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = bytecode
    return module


def built_edges(graph: Graph) -> Edges:
    """Return (source, target) of every edge of a graph that is not compiled. A drawing has those
    alone that the start leads to, and of a long graph only the first."""
    edges = set(graph.edges)
    edges |= {(source, target) for sources, target in graph.waiting_edges for source in sources}
    for source, branches in graph.branches.items():
        for branch in branches.values():
            edges |= {(source, target) for target in (branch.ends or {}).values()}
    return edges


def spec_edges(spec: GraphSpec) -> Edges:
    """Return (source, target) of every edge of a spec, the start and the end as LangGraph names
    them."""
    edges = {(START, spec.entry)}
    edges |= {(edge.source, edge.target) for edge in spec.edges}
    for join in spec.joins:
        edges |= {(source, join.target) for source in join.sources}
    for branch in spec.branches:
        edges |= {(branch.source, target) for _, target in branch.cases}
        if branch.otherwise is not None:
            edges.add((branch.source, branch.otherwise))
    return edges
