"""The checkpoints of an execution: the state between its steps. Secrets are not told."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec

from ....graph.history import CheckpointView
from ....secrets import hidden_values, shown_value
from ....state.channels import variables_of
from ....values import Json
from ...contract import checkpoints, requests
from ...records.access import Caller
from ...records.errors import ServiceFault
from ...records.tables import StoredExecution
from ..dispatch import visible
from ..executions import Executing


@dataclass(frozen=True, slots=True)
class Past:
    """An execution looked back on. `views` are the checkpoints as the engine has them, oldest
    first, `listed` the same as responses tell them, the newest first; `spec` is None before the run
    has begun."""

    execution: StoredExecution
    views: Sequence[CheckpointView]
    listed: Sequence[checkpoints.CheckpointListed]
    spec: GraphSpec | None

    def checkpoint(self, checkpoint: str) -> checkpoints.CheckpointFound:
        """Return a checkpoint with its variables. Raises `ServiceFault`."""
        view = next((view for view in self.views if view.id == checkpoint), None)
        if view is None or self.spec is None:
            raise _nowhere(self.execution.id, checkpoint)
        return checkpoints.CheckpointFound(
            checkpoint=next(one for one in self.listed if one.checkpoint_id == checkpoint),
            variables=list(_variables(view, self.spec)),
        )


async def list_checkpoints(
    executing: Executing, caller: Caller, id: str, request: requests.ListQuery
) -> checkpoints.CheckpointList:
    """The checkpoints of an execution, those inside called workflows too, the newest first."""
    listed = (await look_back(executing, caller, id)).listed
    if request.after:
        ids = [each.checkpoint_id for each in listed]
        if request.after not in ids:
            raise _nowhere(id, request.after)
        listed = listed[ids.index(request.after) + 1 :]
    return checkpoints.CheckpointList(checkpoints=list(listed[: request.limit]))


async def get_checkpoint(
    executing: Executing, caller: Caller, id: str, checkpoint: str, request: requests.Request
) -> checkpoints.CheckpointFound:
    """One checkpoint, with the variables as they were there."""
    return (await look_back(executing, caller, id)).checkpoint(checkpoint)


async def look_back(executing: Executing, caller: Caller, id: str) -> Past:
    """Return the past of an execution that the caller may see. Raises `ServiceFault`."""
    execution = await visible(executing, caller, id)
    if not await executing.engine.store.has(id):
        return Past(execution, (), (), None)
    views = await executing.engine.history(id)
    return Past(
        execution, views, _entries(views), load_spec((await executing.engine.store.get(id)).spec)
    )


def view_at(past: Past, at: str) -> CheckpointView:
    """Return the checkpoint at which a branch begins: the one of this id, or the latest before the
    step of this name. Raises `ServiceFault`."""
    id = past.execution.id
    view = next((view for view in reversed(past.views) if view.is_at(at)), None)
    if view is None:
        raise _nowhere(id, at)
    if view.path:
        raise ServiceFault(
            "INVALID_REQUEST",
            f"at: `{at}` lies inside `{view.path[0]}`, which can only begin as a whole",
            execution=id,
            recovery=(f"begin before `{view.path[0]}`",),
        )
    if not view.next:
        raise ServiceFault(
            "INVALID_REQUEST",
            "at: the execution ended at this checkpoint: nothing comes after it",
            execution=id,
            recovery=("begin at an earlier one",),
        )
    return view


def _nowhere(id: str, at: str) -> ServiceFault:
    message = f"execution {id} has no checkpoint `{at}`, and none before a step of that name"
    return ServiceFault("CHECKPOINT_NOT_FOUND", message, execution=id)


def _entries(views: Sequence[CheckpointView]) -> list[checkpoints.CheckpointListed]:
    """Return the newest first."""
    known: dict[str, Mapping[str, Json]] = {}
    listed = []
    for view in views:
        before = known.get(view.namespace, {})
        changed = [name for name, value in view.variables.items() if before.get(name) != value]
        known[view.namespace] = view.variables
        listed.append(
            checkpoints.CheckpointListed(
                checkpoint_id=view.id,
                position=view.step,
                time=view.time,
                calls=list(view.path),
                completed=list(view.nodes),
                next=list(view.next),
                changed=changed,
                can_fork=not view.path and bool(view.next),
            )
        )
    return listed[::-1]


def _variables(view: CheckpointView, spec: GraphSpec) -> Iterator[checkpoints.CheckpointVariable]:
    """Yield the variables without what is secret: the values of variables, here or in the
    environment of the service, whose names say so, wherever they stand."""
    kinds = {} if view.path else {n: c.type for n, c in variables_of(spec).items()}
    hidden = hidden_values(os.environ, view.variables)
    for name, value in view.variables.items():
        told = shown_value(name, value, hidden)
        yield checkpoints.CheckpointVariable(
            name=name,
            type=kinds.get(name, "any"),
            value=told,
            is_hidden=told != value,
        )
