"""Places of a graph's nodes as a project sees them: clients of a server see no path of its disk."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from flowc.compiler.lowering.graphspec import GraphSpec, Place


def view_from(project: Path, spec: GraphSpec) -> GraphSpec:
    """Return the spec with the files of its nodes' places, and of called workflows', as paths from
    the project's folder."""
    home = os.path.abspath(project)

    def view(place: Place | None) -> Place | None:
        if place is None or not os.path.isabs(place.file):
            return place
        return replace(place, file=os.path.relpath(place.file, home).replace(os.sep, "/"))

    nodes = tuple(replace(node, place=view(node.place)) for node in spec.nodes)
    inner = tuple((name, view_from(project, called)) for name, called in spec.subgraphs)
    return replace(spec, nodes=nodes, subgraphs=inner)
