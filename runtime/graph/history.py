"""A run's past: its checkpoints between nodes, at every level of called workflows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.snippet import visible
from langgraph.graph import START

from ..checkpoints.tables.levels import LevelCheckpoints, read_level
from ..checkpoints.tables.rows import Checkpoints
from ..checkpoints.types import App
from ..errors import RunError
from ..services import Json
from ..state.called_workflow import called_in
from ..state.channels import variable_values, variables_of
from .build import nested_graph

VISITS = "$visits"
"""The channel that counts how often each node ran."""


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A checkpoint between nodes: `nodes` ran just before it, `next` come after it. `step` counts
    from 0, `time` is ISO-8601 UTC. `path` are the calls that lead to the workflow that it is of,
    `()` in the main one, and `namespace` is LangGraph's name of this call."""

    id: str
    step: int
    nodes: tuple[str, ...]
    next: tuple[str, ...]
    time: str
    variables: dict[str, Json]
    path: tuple[str, ...] = ()
    namespace: str = ""

    def is_at(self, at: str) -> bool:
        """Return whether that is its id, or a node that comes next: `NODE`, `CALL/NODE`."""
        return at == self.id or at in ("/".join((*self.path, name)) for name in self.next)


async def past_of(
    checkpoints: Checkpoints, app: App, spec: GraphSpec, run: str
) -> list[CheckpointView]:
    """Return every checkpoint of the main workflow, oldest first. Those inside an agent or a block
    of commands are left out: only what is between nodes is a workflow's own state."""
    return await _views(checkpoints, Level(app, spec), run)


async def whole_past_of(
    checkpoints: Checkpoints, app: App, spec: GraphSpec, run: str
) -> list[CheckpointView]:
    """Return the checkpoints of the main and of called workflows, oldest first."""
    views = await past_of(checkpoints, app, spec, run)
    subgraphs, levels = dict(spec.subgraphs), dict[str, App]()
    for namespace in await checkpoints.namespaces(run):
        called = called_in(namespace, spec, subgraphs)
        if called is None:
            continue
        if called.workflow not in levels:
            levels[called.workflow] = nested_graph(called.spec, subgraphs).compile()
        level = Level(levels[called.workflow], called.spec, called.path, namespace)
        views += await _views(checkpoints, level, run)
    return sorted(views, key=lambda view: view.id)


def view_at(views: Sequence[CheckpointView], at: str, run: str) -> CheckpointView:
    """Return the latest checkpoint of this id, or before the node of this name. Raise `RunError`
    when there is none."""
    for view in reversed(views):
        if view.is_at(at):
            return view
    raise RunError(
        f"run {run} has no checkpoint `{visible(at)}` and none before a node of that name",
        help=f"see `flowc history {run}`",
    )


@dataclass(frozen=True, slots=True)
class Level:
    """A workflow whose checkpoints stand in a namespace; `app` is its graph."""

    app: App
    spec: GraphSpec
    path: tuple[str, ...] = ()
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """A checkpoint that stands before a node: which visit of the node begins there, from 1, and the
    first checkpoint after that visit, "" where it never ended."""

    checkpoint: str
    visit: int
    after: str


async def stops_before(checkpoints: Checkpoints, level: Level, run: str, node: str) -> list[Stop]:
    """Return every checkpoint of a level that stands before a node, oldest first."""
    past = await _read(checkpoints, level, run, (VISITS,))
    every = past.checkpoints
    done = [past.lists.value(VISITS, each.id).get(node, 0) for each in every]
    return [
        Stop(each.id, done[at] + 1, every[later].id if later is not None else "")
        for at, each in enumerate(every)
        if node in past.following[each.id]
        for later in [next((n for n in range(at + 1, len(done)) if done[n] > done[at]), None)]
    ]


async def _views(checkpoints: Checkpoints, level: Level, run: str) -> list[CheckpointView]:
    past, relays = await _read(checkpoints, level, run), set(level.spec.relays)
    return [
        CheckpointView(
            id=each.id,
            step=each.step,
            nodes=tuple(name for name in past.following.get(each.parent, ()) if name != START),
            next=tuple(name for name in after if name not in relays),
            time=each.time,
            variables=variable_values(level.spec, dict(past.values(each))),
            path=level.path,
            namespace=level.namespace,
        )
        for each in past.checkpoints
        if (after := past.following[each.id]) != (START,)
        and not (after and relays.issuperset(after))
    ]


async def _read(
    checkpoints: Checkpoints, level: Level, run: str, more: tuple[str, ...] = ()
) -> LevelCheckpoints:
    """Read the variables' channels, and `more`."""
    names = (*(channel.name for channel in variables_of(level.spec).values()), *more)
    return await read_level(checkpoints, level.app, run, level.namespace, names)
