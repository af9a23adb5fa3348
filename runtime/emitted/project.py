"""Write a compiled project to a folder, import it, and compare its graph with the spec."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flowc.compiler.analysis.graphs import reachable
from flowc.compiler.lowering.graphspec import GraphSpec
from langgraph.constants import START

from ..errors import RunError, reason_of
from ..files.staging import replacing

MODULE_FILE = "graph.py"

Edges = set[tuple[str, str]]


def write_project(files: Mapping[str, str], folder: Path) -> None:
    """Write each file as a whole: a reader sees the old one or the new one. Raise `RunError` when
    the folder cannot be made or written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with replacing(folder / name) as file:
                file.write(text.encode("utf-8"))
    except OSError as error:
        raise RunError(
            f"cannot write to {folder}: {reason_of(error)}", help="choose another folder with `-o`"
        ) from None


def check_project(spec: GraphSpec, folder: Path) -> None:
    """Import the written module and compare its edges with the spec's. A difference is a fault of
    flowc (`RunError` with exit code 3). LangGraph does not draw what the start does not lead to: a
    state that only an unasked line reaches (J45)."""
    built = drawn_edges(load_module(folder).build().compile())
    wanted = edges_from_start(spec_edges(spec))
    if built != wanted:
        missing, extra = sorted(wanted - built), sorted(built - wanted)
        raise RunError(
            f"{folder / MODULE_FILE} does not have the workflow's edges: "
            f"missing {missing}, too many {extra}",
            exit_code=3,
        )


def load_module(folder: Path) -> Any:
    """Import the project's `graph.py` under a name of its own; no bytecode is left behind."""
    module_spec = importlib.util.spec_from_file_location(
        "flowc_compiled_graph", folder / MODULE_FILE
    )
    if module_spec is None or module_spec.loader is None:
        raise RunError(f"{folder / MODULE_FILE} cannot be imported", exit_code=3)
    module = importlib.util.module_from_spec(module_spec)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        module_spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = bytecode
    return module


def drawn_edges(app: Any) -> Edges:
    """Return (source, target) of every edge that LangGraph draws for a compiled graph."""
    return {(edge.source, edge.target) for edge in app.get_graph().edges}


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
