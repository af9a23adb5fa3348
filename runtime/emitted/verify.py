"""Import a written module and compare its graph with the workflow's."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from flowc.compiler.analysis.graphs import reachable
from flowc.compiler.lowering.graphspec import GraphSpec
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph

from ..checkpoints.types import App
from ..errors import RunError

Edges = set[tuple[str, str]]


def check_module(spec: GraphSpec, file: Path, folder: Path) -> None:
    """Import the written module and compare its edges with the spec's. A difference is a fault of
    flowc (`RunError` with exit code 3). LangGraph does not draw what the start does not lead to: a
    state that only an unasked line reaches (J45). Raise `RunError` too where the workflow reads
    what does not lie in the project's `folder`."""
    module = load_module(file)
    home = os.path.realpath(folder)
    for path in module.FLOW.compiled.sources.files:
        if not os.path.realpath(path).startswith(home + os.sep):
            raise RunError(
                f"{spec.file} reads {path}, which is not part of the project",
                help="name it by a path that begins at the file",
            )
    built = drawn_edges(module.graph)
    wanted = edges_from_start(spec_edges(spec))
    if built != wanted:
        missing, extra = sorted(wanted - built), sorted(built - wanted)
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


def drawn_edges(app: App) -> Edges:
    """Return (source, target) of every edge that LangGraph draws for a compiled graph."""
    drawing = CompiledStateGraph.get_graph(app)  # and not the elements that a person is shown
    return {(edge.source, edge.target) for edge in drawing.edges}


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


def edges_from_start(edges: Edges) -> Edges:
    """Return the edges on the ways from the start."""
    leaving: dict[str, list[str]] = {}
    for source, target in edges:
        leaving.setdefault(source, []).append(target)
    seen = reachable([START], leaving)
    return {edge for edge in edges if edge[0] in seen}
