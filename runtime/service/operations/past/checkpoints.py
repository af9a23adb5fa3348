"""The checkpoints of an execution: the state between its steps. Secrets are not told."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec

from ....graph.history import CheckpointView
from ....secrets import BLOT, looks_secret, redact_value, secret_values
from ....state.channels import variables_of
from ....values import Json
from ...contract import checkpoints, requests
from ...records.access import Caller
from ...records.errors import ServiceFault
from ...records.tables import StoredExecution
from ..executions import Executing


async def list_checkpoints(
    executing: Executing, caller: Caller, id: str, request: requests.ListQuery
) -> checkpoints.CheckpointList:
    """The checkpoints of an execution, those inside called workflows too, the newest first."""
    execution = await executing.register.get(StoredExecution, id, caller.owner)
    listed = _listed(await views_of(executing, execution))
    if request.after:
        ids = [each.checkpoint_id for each in listed]
        if request.after not in ids:
            raise _nowhere(id, request.after)
        listed = listed[ids.index(request.after) + 1 :]
    return checkpoints.CheckpointList(checkpoints=list(islice(listed, request.limit)))


async def get_checkpoint(
    executing: Executing, caller: Caller, id: str, checkpoint: str, request: requests.Request
) -> checkpoints.CheckpointFound:
    """One checkpoint, with the variables as they were there."""
    execution = await executing.register.get(StoredExecution, id, caller.owner)
    views = await views_of(executing, execution)
    view = next((view for view in views if view.id == checkpoint), None)
    if view is None:
        raise _nowhere(id, checkpoint)
    spec = await spec_of(executing, id)
    return checkpoints.CheckpointFound(
        checkpoint=next(one for one in _listed(views) if one.checkpoint_id == checkpoint),
        variables=list(_shown(view, spec)),
    )


async def views_of(executing: Executing, execution: StoredExecution) -> Sequence[CheckpointView]:
    """Return the checkpoints, oldest first; none before the run has begun."""
    if not await executing.engine.store.has(execution.id):
        return ()
    return await executing.engine.history(execution.id)


async def spec_of(executing: Executing, id: str) -> GraphSpec:
    """Return the graph that an execution was begun with."""
    return load_spec((await executing.engine.store.get(id)).spec)


def view_at(views: Sequence[CheckpointView], at: str, id: str) -> CheckpointView:
    """Return the checkpoint at which a branch begins: the one of this id, or the latest before the
    step of this name. Raises `ServiceFault`."""
    view = next((view for view in reversed(views) if view.is_at(at)), None)
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


def _listed(views: Sequence[CheckpointView]) -> list[checkpoints.CheckpointListed]:
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


def _shown(view: CheckpointView, spec: GraphSpec) -> Iterator[checkpoints.CheckpointVariable]:
    """Yield the variables without what is secret: the values of variables, here or in the
    environment of the service, whose names say so, wherever they stand."""
    kinds = {} if view.path else {n: c.type for n, c in variables_of(spec).items()}
    texts = {n: value for n, value in view.variables.items() if isinstance(value, str)}
    hidden = secret_values({**os.environ, **texts})
    for name, value in view.variables.items():
        secret = looks_secret(name)
        yield checkpoints.CheckpointVariable(
            name=name,
            type=kinds.get(name, "any"),
            value=(None if value is None else BLOT) if secret else redact_value(value, hidden),
            is_secret=secret,
        )
