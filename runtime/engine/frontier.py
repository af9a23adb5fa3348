"""The frontier of a run at every level, read from its checkpoints and its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flowc.compiler.lowering.graphspec import GraphSpec
from langgraph.checkpoint.base import CheckpointTuple

from ..checkpoints.channels import join_channel
from ..checkpoints.keys import thread_config
from ..checkpoints.namespaces import is_within, join, task_part, without_line
from ..checkpoints.next_nodes import (
    following_nodes,
    has_question,
    latest_inside,
    next_nodes,
    with_value,
)
from ..checkpoints.tables.rows import Checkpoints
from ..checkpoints.types import App, Saver
from ..db.database import Database
from ..services import Json
from ..state.called_workflow import called_in
from ..state.channels import variable_values


@dataclass(frozen=True, slots=True)
class Frontier:
    """Where a run stands: by the workflow's path ("" is the main one) the nodes that come next and
    whether each has begun; by it also the joins where some branch has arrived; variables that have
    a value.
    `targets` are the nodes of the main workflow that come next, those after finished neighbours
    included; `effects` names nodes that began and have done something, or may have, which a new
    beginning would do again."""

    pending: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    arrived: frozenset[tuple[str, str]] = frozenset()
    values: Mapping[str, Json] = field(default_factory=dict)
    begun: bool = True
    targets: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


async def frontier_of(
    app: App,
    saver: Saver,
    checkpoints: Checkpoints,
    journal: Database,
    spec: GraphSpec,
    run: str,
) -> Frontier:
    """Read the frontier. A run without a checkpoint has not begun."""
    saved = await saver.aget_tuple(thread_config(run))
    if saved is None:
        return Frontier(begun=False)
    snapshot = await app.aget_state(thread_config(run))
    rows = await journal.rows("select key, status from effects where run = ?", (run,))
    there = ("done", "intended", "refused")
    keys = {without_line(key) for key, status in rows if status in there}
    latest = await latest_inside(saver, run, await checkpoints.namespaces(run))
    pending: dict[tuple[str, str], bool] = {}
    arrived = set(_arrivals("", saved, spec))
    effects = []
    for task in snapshot.tasks:
        if task.result is not None:
            continue
        own = task_part(task.name, task.id)
        under = [namespace for namespace in latest if is_within(namespace, own)]
        acted = any(is_within(key, own) for key in keys)
        pending["", task.name] = bool(under or task.interrupts or acted)
        effects += [task.name] * acted
        for namespace in under:
            called = called_in(namespace, spec)
            if called is None:
                continue
            path, item = called.workflow, latest[namespace]
            pending |= _inside(path, namespace, item, keys, latest)
            arrived |= _arrivals(path, item, dict(spec.subgraphs)[path])
    following = following_nodes(saved)
    pending |= {("", name): False for name in following if ("", name) not in pending}
    return Frontier(
        pending,
        frozenset(arrived),
        variable_values(spec, snapshot.values),
        True,
        tuple(dict.fromkeys(name for path, name in pending if not path)),
        tuple(effects),
    )


def _arrivals(path: str, item: CheckpointTuple, spec: GraphSpec) -> set[tuple[str, str]]:
    joins = {join_channel(join.sources, join.target) for join in spec.joins}
    return {(path, channel) for channel in with_value(item, joins)}


def _inside(
    path: str,
    namespace: str,
    item: CheckpointTuple,
    keys: set[str],
    latest: Mapping[str, CheckpointTuple],
) -> dict[tuple[str, str], bool]:
    """Return the nodes that come next inside a called workflow, by its path; those after finished
    neighbours have not begun."""
    asks, names = has_question(item), (*keys, *latest)
    following = {(path, name): False for name in following_nodes(item)}
    return following | {
        (path, name): asks
        or any(key.startswith(join(namespace, task_part(name, ""))) for key in names)
        for name in next_nodes(item)
    }
