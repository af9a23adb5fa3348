"""What the modules written by `flowc compile` are made of: node bodies, paths, schemas.

Under LangGraph's server the server owns threads and checkpoints, so there is no journal of flowc's:
an effect that was under way when the server died may happen again. Models, tools and permissions
come from `flowc.toml` beside the module and from `FLOWC_*`, as for `flowc run`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec

from ..assembly.compose import make_services
from ..assembly.run_options import RunOptions
from ..config.settings import load_config
from ..errors import RunError
from ..events import EventKind
from ..graph.build import function_of, metadata_of, path_of, relay
from ..graph.null_services import inert_services
from ..journal.effects import NoJournal
from ..nodes.visit.entry import NodeFunction
from ..nodes.visit.siblings import Siblings
from ..nodes.visit.visit import Setting
from ..services import Services
from ..state.channels import State, input_schema, output_schema, state_schema


class Flow:
    """One compiled workflow: the parts of its graph by node id. Until it is opened its graph can be
    drawn and described, but not run."""

    def __init__(self, spec: GraphSpec, folder: Path) -> None:
        self.spec = spec
        self.folder = folder
        self.State = state_schema(spec)
        self.Input = input_schema(spec)
        self.Output = output_schema(spec)
        self.relay = relay
        self._services: Services | None = None
        self._siblings = Siblings()
        self._nodes = {node.id: node for node in spec.nodes}
        self._branches = {branch.source: branch for branch in spec.branches}

    @classmethod
    def load(cls, path: Path) -> Flow:
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

    async def open(self) -> None:
        """Choose models and connect tools, once per process. Where something is missing the graph
        can still be looked at; its first node that needs it says what."""
        if self._services is not None:
            return
        try:
            # The server refuses file access on its event loop, so what reads files has a thread.
            services = await asyncio.to_thread(self._choose_services)
            await services.tools.open()
        except RunError as error:
            services = inert_services(
                f"{error.message} ({error.help})" if error.help else error.message
            )
        self._services = services

    def _choose_services(self) -> Services:
        factory = make_services(RunOptions(), self.spec, load_config(self.folder))
        return factory(NoJournal(), _unheard)

    def node(self, name: str) -> NodeFunction:
        """Return the function of a node, its subgraph in the closure."""
        services = self._services or inert_services()
        setting = Setting(self.spec, services, dict(self.spec.subgraphs), self._siblings)
        return function_of(self._nodes[name], setting, self._branches.get(name))

    def metadata(self, name: str) -> dict[str, Any]:
        """Return kind and place of a node in the user's file."""
        return metadata_of(self._nodes[name], self.spec)

    def route(self, name: str) -> Callable[[State], Awaitable[list[str]]]:
        """Return the path function of a node's branch."""
        return path_of(self._branches[name])


def _unheard(kind: EventKind, node: str, data: dict[str, Any]) -> None:
    """Ignore an event: the server has its own view of a run."""


def _resolve_file(spec: GraphSpec, folder: Path) -> GraphSpec:
    """Return the spec with files below the folder of the module; `file:` reads begin there."""
    subgraphs = tuple((path, _resolve_file(sub, folder)) for path, sub in spec.subgraphs)
    return dataclasses.replace(spec, file=str(folder / spec.file), subgraphs=subgraphs)
