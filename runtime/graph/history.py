"""A run's past: its checkpoints between nodes, at every level of called workflows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.snippet import visible
from langgraph._internal._typing import MISSING
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START

from ..db.checkpoint_rows import Shelf, Stored, Write
from ..errors import RunError
from ..nodes.visit.visit import Setting
from ..services import Json
from ..state.channels import variable_values, variables_of
from .build import nested_graph
from .namespaces import called_in
from .null_services import inert_services

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
        """Whether that is its id, or a node that comes next: `NODE`, `CALL/NODE`."""
        return at == self.id or at in ("/".join((*self.path, name)) for name in self.next)


async def past_of(shelf: Shelf, app: Any, spec: GraphSpec, run: str) -> list[CheckpointView]:
    """Every checkpoint of the main workflow, oldest first. Those inside an agent or a block of
    commands are no places to look at: only what is between nodes is a workflow's own state."""
    return await _views(shelf, Level(app, spec), run)


async def whole_past_of(shelf: Shelf, app: Any, spec: GraphSpec, run: str) -> list[CheckpointView]:
    """Those inside called workflows too, each at its time."""
    views = await past_of(shelf, app, spec, run)
    subgraphs, levels = dict(spec.subgraphs), dict[str, Any]()
    setting = Setting(spec, inert_services(), subgraphs)
    for namespace in await shelf.namespaces(run):
        called = called_in(namespace, spec, subgraphs)
        if called is None:
            continue
        if called.workflow not in levels:
            levels[called.workflow] = nested_graph(called.spec, setting).compile()
        level = Level(levels[called.workflow], called.spec, called.path, namespace)
        views += await _views(shelf, level, run)
    return sorted(views, key=lambda view: view.id)


def view_at(views: Sequence[CheckpointView], at: str, run: str) -> CheckpointView:
    """The latest checkpoint that `at` means: an id, or a node that it stands before. Raises
    `RunError` when there is none."""
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

    app: Any
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


async def stops_before(shelf: Shelf, level: Level, run: str, node: str) -> list[Stop]:
    """Every checkpoint of a level that stands before a node, oldest first."""
    read = await _read(shelf, level, run, (VISITS,))
    done = [read.lists.value(VISITS, each.id).get(node, 0) for each in read.kept]
    return [
        Stop(each.id, done[at] + 1, read.kept[later].id if later is not None else "")
        for at, each in enumerate(read.kept)
        if node in read.following[each.id]
        for later in [next((n for n in range(at + 1, len(done)) if done[n] > done[at]), None)]
    ]


async def _views(shelf: Shelf, level: Level, run: str) -> list[CheckpointView]:
    read, relays = await _read(shelf, level, run), set(level.spec.relays)
    return [
        CheckpointView(
            id=each.id,
            step=each.step,
            nodes=tuple(name for name in read.following.get(each.parent, ()) if name != START),
            next=tuple(name for name in after if name not in relays),
            time=each.time,
            variables=variable_values(level.spec, dict(read.values(each))),
            path=level.path,
            namespace=level.namespace,
        )
        for each in read.kept
        if (after := read.following[each.id]) != (START,)
        and not (after and relays.issuperset(after))
    ]


@dataclass(frozen=True, slots=True)
class _Read:
    """The checkpoints of a level, by id; `following` are the nodes that begin after each."""

    kept: list[Stored]
    following: Mapping[str, tuple[str, ...]]
    channels: Mapping[str, Any]
    lists: _Lists

    def values(self, kept: Stored) -> Iterator[tuple[str, Any]]:
        """What the channels hold in one of them; of an empty one, nothing."""
        for name, channel in self.channels.items():
            if name in self.lists.channels:
                yield name, self.lists.value(name, kept.id)
                continue
            filled = channel.from_checkpoint(kept.values.get(name, MISSING))
            if filled.is_available():
                yield name, filled.get()


async def _read(shelf: Shelf, level: Level, run: str, more: tuple[str, ...] = ()) -> _Read:
    """Read the variables' channels, and `more`."""
    app = level.app
    order = {name: place for place, name in enumerate(app.nodes)}
    starts: dict[str, list[str]] = {}
    for name, node in app.nodes.items():
        for trigger in node.triggers:
            starts.setdefault(trigger, []).append(name)
    names = (*(channel.name for channel in variables_of(level.spec).values()), *more)
    channels = {name: app.channels[name] for name in names}
    growing = {n: channel for n, channel in channels.items() if isinstance(channel, DeltaChannel)}
    kept = await shelf.checkpoints(run, level.namespace, frozenset((*channels, *starts)))
    writes = await shelf.writes(run, level.namespace, growing)
    following = {each.id: _next(app, starts, order, each.values) for each in kept}
    return _Read(
        kept, following, channels, _Lists(growing, {each.id: each for each in kept}, writes)
    )


def _next(
    app: Any, starts: Mapping[str, list[str]], order: Mapping[str, int], values: Mapping[str, Any]
) -> tuple[str, ...]:
    """The nodes that begin after a checkpoint. A channel that starts a node holds a value only in
    the checkpoint before that node; one of a join, only when all have come."""
    found = {
        name
        for channel in values.keys() & starts.keys()
        if app.channels[channel].from_checkpoint(values[channel]).is_available()
        for name in starts[channel]
    }
    return tuple(sorted(found, key=order.__getitem__))


@dataclass(slots=True)
class _Lists:
    """Values of channels of which a checkpoint seldom holds the whole: what was written after its
    parent is put to the parent's value."""

    channels: Mapping[str, Any]
    kept: Mapping[str, Stored]
    writes: Mapping[str, list[Write]]
    known: dict[tuple[str, str], Any] = field(default_factory=dict)

    def value(self, name: str, checkpoint: str) -> Any:
        """The value at a checkpoint."""
        chain = [checkpoint]
        while (name, chain[-1]) not in self.known and name not in self.kept[chain[-1]].values:
            parent = self.kept[chain[-1]].parent
            if parent not in self.kept or parent in chain:
                break
            chain.append(parent)
        oldest = chain.pop()
        if (name, oldest) not in self.known:
            held = self.kept[oldest].values.get(name, MISSING)
            self.known[name, oldest] = self.channels[name].from_checkpoint(held).get()
        value = self.known[name, oldest]
        for before, at in zip((oldest, *reversed(chain)), reversed(chain), strict=False):
            new = [write for write in self.writes.get(before, ()) if write[1] == name]
            if new:
                channel = self.channels[name].from_checkpoint(value)
                channel.replay_writes(new)
                value = channel.get()
            self.known[name, at] = value
        return value
