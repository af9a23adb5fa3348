"""A LangGraph project as texts by file name: what `flowc compile` writes into a folder."""

from __future__ import annotations

import dataclasses
import os

from ..ir import Program
from ..lowering.graphspec import GraphSpec
from . import EMITTERS, ProgramEmitter, SpecEmitter
from .picture.mermaid import emit_mermaid

PICTURE_FILE = "graph.mmd"


def emit_project(spec: GraphSpec, program: Program, folder: str) -> dict[str, str]:
    """The texts of the module, its data, `langgraph.json`, the canonical form and the picture;
    deterministic. Files of
    the workflow are named relative to `folder`, so that the project works wherever both are moved
    together."""
    near = _relative(spec, folder)
    texts = {e.file: e.emit(near) for e in EMITTERS if isinstance(e, SpecEmitter)}
    texts |= {e.file: e.emit(program, folder) for e in EMITTERS if isinstance(e, ProgramEmitter)}
    return {**texts, PICTURE_FILE: emit_mermaid(program.main, None)}


def _relative(spec: GraphSpec, folder: str) -> GraphSpec:
    def near(path: str) -> str:
        return os.path.relpath(path, folder).replace(os.sep, "/")

    nodes = tuple(
        dataclasses.replace(n, place=dataclasses.replace(n.place, file=near(n.place.file)))
        if n.place
        else n
        for n in spec.nodes
    )
    subgraphs = tuple((path, _relative(sub, folder)) for path, sub in spec.subgraphs)
    return dataclasses.replace(spec, file=near(spec.file), nodes=nodes, subgraphs=subgraphs)
