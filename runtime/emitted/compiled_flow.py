"""One compiled workflow: the parts of its graph, and the graph itself.

Models, tools and permissions, and the store that keeps effects, come from `flowc.toml` beside the
module and from `FLOWC_*`, as for `flowc run`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec

from ..assembly.compose import make_services
from ..assembly.launch import kept_options
from ..assembly.run_options import RunOptions, settle
from ..checkpoints.types import Graph
from ..config.settings import Config, load_config
from ..errors import RunError
from ..graph.build import function_of, metadata_of, path_of, relay
from ..nodes.visit.entry import NodeFunction
from ..nodes.visit.visit import Setting
from ..services import Emit, Journal, Json, Services
from ..state.channels import State, output_schema, state_schema
from ..store.default_store import prepared_store
from .door import Door
from .flow_graph import FlowGraph


class CompiledFlow:
    """One compiled workflow: the parts of its graph by node id."""

    def __init__(self, spec: GraphSpec, folder: Path) -> None:
        self.spec = spec
        self.folder = folder
        self.State = state_schema(spec)
        self.Output = output_schema(spec)
        self.relay = relay
        self._nodes = {node.id: node for node in spec.nodes}
        self._branches = {branch.source: branch for branch in spec.branches}

    @classmethod
    def load(cls, path: Path) -> CompiledFlow:
        """Return the flow that `flowc compile` wrote to `path`. Raise `RunError` when it is missing
        or was not written by a flowc that this one understands."""
        try:
            spec = load_spec(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise RunError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise RunError(
                f"{path} is not what this flowc writes", help="compile the workflow again"
            ) from error
        return cls(_resolve_file(spec, path.parent), path.parent)

    def graph(self, built: Graph, name: str) -> FlowGraph:
        """Return the compiled graph, each of whose executions has services of its own."""
        door = Door(self.spec, self._services, self._kept_options, self._store)
        return FlowGraph.of(built.compile(name=name), door)

    def _services(self, journal: Journal, emit: Emit) -> Services:
        return make_services(RunOptions(), self.spec, self._config())(journal, emit)

    def _kept_options(self) -> dict[str, Json]:
        return kept_options(settle(RunOptions(), self._config(), self.spec.model), {})

    def _store(self) -> str:
        return prepared_store(None, self._config())

    def _config(self) -> Config:
        return load_config(self.folder)

    def node(self, name: str) -> NodeFunction:
        """Return the function of a node, its subgraph in the closure."""
        setting = Setting(self.spec, dict(self.spec.subgraphs))
        return function_of(self._nodes[name], setting, self._branches.get(name))

    def metadata(self, name: str) -> dict[str, Any]:
        """Return kind and place of a node in the user's file."""
        return metadata_of(self._nodes[name], self.spec)

    def route(self, name: str) -> Callable[[State], Awaitable[list[str]]]:
        """Return the path function of a node's branch."""
        return path_of(self._branches[name])


def _resolve_file(spec: GraphSpec, folder: Path) -> GraphSpec:
    """Return the spec with files below the folder of the module; `file:` reads begin there."""
    subgraphs = tuple((path, _resolve_file(sub, folder)) for path, sub in spec.subgraphs)
    return dataclasses.replace(spec, file=str(folder / spec.file), subgraphs=subgraphs)
