"""A run's checkpoints: where it stands, how it came there, and branching off."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.graphspec import GraphSpec
from langgraph.graph import START
from langgraph.types import StateUpdate

from .errors import RunError
from .execution import thread_config
from .questions import question_of
from .services import Json, Question
from .state import variable_values, variables_of
from .values import keepable


@dataclass(frozen=True, slots=True)
class RunState:
    """Where a run stands."""

    variables: dict[str, Json]
    next: tuple[str, ...]
    questions: tuple[Question, ...]
    reports: dict[str, Json]
    visits: dict[str, int]


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A checkpoint between nodes: `nodes` ran just before it, `next` come after it. `step` counts
    from 0, `time` is ISO-8601 UTC."""

    id: str
    step: int
    nodes: tuple[str, ...]
    next: tuple[str, ...]
    time: str
    variables: dict[str, Json]


async def state_of(app: Any, spec: GraphSpec, run: str, answered: Collection[str]) -> RunState:
    """The latest checkpoint, as a whole. A question inside a call or an exec node stays in the
    checkpoint until that node ends, so those `answered` are left out by their ids."""
    snapshot = await app.aget_state(thread_config(run))
    values: Mapping[str, Any] = snapshot.values or {}
    return RunState(
        variables=variable_values(spec, values),
        next=tuple(name for name in snapshot.next if name not in spec.relays),
        questions=tuple(question_of(i, spec) for i in snapshot.interrupts if i.id not in answered),
        reports=dict(values.get("$reports") or {}),
        visits=dict(values.get("$visits") or {}),
    )


async def past_of(app: Any, spec: GraphSpec, run: str) -> list[CheckpointView]:
    """Every checkpoint of the outer graph, oldest first. Those inside an agent, a call or an exec
    node are no places to branch off: LangGraph would start the node anew and lose the edit.
    """
    relays = set(spec.relays)
    snapshots = [item async for item in app.aget_state_history(thread_config(run))]
    following = {_id(item.config): tuple(item.next) for item in snapshots}
    views = []
    for item in reversed(snapshots):
        before = following.get(_id(item.parent_config), ())
        if item.next == (START,) or (item.next and relays.issuperset(item.next)):
            continue
        views.append(
            CheckpointView(
                id=_id(item.config),
                step=item.metadata.get("step", 0),
                nodes=tuple(name for name in before if name != START),
                next=tuple(name for name in item.next if name not in relays),
                time=item.created_at or "",
                variables=variable_values(spec, item.values),
            )
        )
    return views


async def copy_thread(
    saver: Any,
    app: Any,
    spec: GraphSpec,
    view: CheckpointView,
    run: str,
    new_run: str,
    updates: Mapping[str, Json],
) -> None:
    """Copy the checkpoints up to `view` to a new thread and set variables there. What ran after the
    checkpoint is left out. Raises `RunError` for an unknown variable."""
    channels = variables_of(spec)
    for name in updates:
        if name not in channels:
            raise RunError(f"{spec.file} has no variable `{name}`")
    found = [item async for item in saver.alist(thread_config(run))]
    by_id = {item.checkpoint["id"]: item for item in found}
    chain = []
    at: str | None = view.id
    while at is not None:
        chain.append(by_id[at])
        at = _id(by_id[at].parent_config) or None
    parent: str | None = None
    for item in reversed(chain):
        config = thread_config(new_run, parent)
        checkpoint = item.checkpoint
        config = await saver.aput(config, checkpoint, item.metadata, checkpoint["channel_versions"])
        parent = checkpoint["id"]
        if parent != view.id:
            await _copy_writes(saver, config, item)
    if updates:
        values = {channels[name].name: keepable(value) for name, value in updates.items()}
        sources = view.nodes or (START,)
        steps = [StateUpdate(values if source == sources[0] else {}, source) for source in sources]
        await app.abulk_update_state(thread_config(new_run), [steps])


async def _copy_writes(saver: Any, config: Any, item: Any) -> None:
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task, channel, value in item.pending_writes or ():
        by_task.setdefault(task, []).append((channel, value))
    for task, writes in by_task.items():
        await saver.aput_writes(config, writes, task)


def _id(config: Mapping[str, Any] | None) -> str:
    return str(config["configurable"].get("checkpoint_id", "")) if config else ""
