"""Branches: a new execution from a checkpoint of another one, which stays as it is.

What was done before the checkpoint is done in the branch too: results, people's answers and what
its events say of it are copied, and none of it happens again. What comes after is done anew.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from flowc.compiler.lowering.graphspec import GraphSpec

from ....db import kept
from ....db.fence import NotHeld
from ....errors import RunError, StoreFailed
from ....events import EventKind, RunEvent
from ....secrets import BLOT
from ....state.initial import variable_writes
from ....store.runs import forget
from ....values import Json
from ...contract import checkpoints
from ...queues.queue import RANKS
from ...records.access import Caller, id_of_request, new_id
from ...records.errors import ServiceFault
from ...records.happenings import Looks
from ...records.tables import StoredAssignment, StoredExecution
from ...search.words import SearchWords
from ..dispatch import at_rest, standing_now, standing_of
from ..executions import ANSWERS, Executing
from .checkpoints import look_back, view_at

_PAUSE = 0.05
"""Seconds between two tries while another branch is made."""
_KEPT: frozenset[EventKind] = frozenset(
    {"run_started", "node_started", "node_finished", "node_failed", "gate", "interrupted"}
)
"""Events that say what is done. What was called and spent is the other execution's."""


async def fork_execution(
    executing: Executing, caller: Caller, id: str, request: checkpoints.ForkExecution
) -> checkpoints.ExecutionForked:
    """A new execution from a checkpoint of another one, with other values of some variables. What
    was done before the checkpoint is not done again; the other execution stays as it is."""
    standing, name = await standing_of(executing, caller, id), id_of_request("ex")
    await at_rest(executing, standing)
    past = await look_back(executing, caller, id)
    old, view = past.execution, view_at(past, request.at)
    _refuse_values(past.spec, request.variables, id)
    if not await executing.db.rows("select 1 from service_executions where id = ?", (name,)):
        await _fork_run(executing, old, view.id, request.variables, name)
        await _begin(executing, caller, old, name)
    made = await executing.register.get(StoredExecution, name, None)
    return checkpoints.ExecutionForked(
        execution_id=name,
        forked_from=id,
        checkpoint_id=view.id,
        workflow_status=(await standing_now(executing, made)).status,
    )


def _refuse_values(spec: GraphSpec | None, values: Mapping[str, Json], id: str) -> None:
    """Raise `ServiceFault` that names every variable which is not there or has another type."""
    assert spec is not None
    faults: dict[str, str] = {}
    for name, value in values.items():
        if BLOT in json.dumps(value, ensure_ascii=False):
            faults[name] = f"`{name}` holds {BLOT}, which stands for a secret: write it out"
            continue
        try:
            variable_writes(spec, {name: value})
        except RunError as error:
            faults[name] = f"{error.message} ({error.help})" if error.help else error.message
    if faults:
        message = f"variables: {'; '.join(faults.values())}"
        details = {"details": {"variables": faults}}
        raise ServiceFault("INVALID_REQUEST", message, execution=id, details=details)


async def _fork_run(
    executing: Executing, old: StoredExecution, at: str, values: Mapping[str, Json], name: str
) -> None:
    """Make the run, with the events of what is done, unless the same request made it before."""
    store = executing.engine.store
    if not await store.has(name):
        await executing.db.put(kept.BELONG, (name, old.owner))  # before it keeps anything
        try:
            await _fork_beside(executing, old.id, at, values, name)
        except RunError as error:
            async with executing.db.transaction(f"run {name}") as inside:
                await forget(inside, (name,))
            if isinstance(error, StoreFailed):
                raise
            raise _refusal(error, old.id) from None
    if not await store.last_event(name):
        visits = (await executing.engine.state(name)).visits
        events = _done_by(await store.events(old.id), visits)
        await store.append_events(name, [replace(event, run=name) for event in events])


async def _fork_beside(
    executing: Executing, id: str, at: str, values: Mapping[str, Json], name: str
) -> None:
    """Make the run. Another branch of the same execution that is being made is waited for. Raises
    `RunError`."""
    end = time.monotonic() + executing.patience
    while True:
        try:
            await executing.engine.fork(id, at, dict(values), name)
            return
        except NotHeld:
            if await executing.due.has(id) or time.monotonic() > end:
                raise
        await asyncio.sleep(_PAUSE)


def _refusal(error: RunError, id: str) -> ServiceFault:
    """Return why no branch can begin now, without flags and processes of `flowc fork`."""
    if isinstance(error, NotHeld):
        message = f"execution {id} is being carried on: no branch begins meanwhile"
        recovery = "pause it, or try again when it waits"
    else:
        message, recovery = error.message, "answer what it asks about the effect first"
    return ServiceFault("CONFLICT", message, execution=id, recovery=(recovery,))


async def _begin(executing: Executing, caller: Caller, old: StoredExecution, name: str) -> None:
    """Store the execution with the news of it."""
    visits = (await executing.engine.state(name)).visits
    at = executing.now()
    made = replace(
        old,
        id=name,
        created=at,
        timeout_from=at,
        config={**old.config, ANSWERS: {}},
        paused=None,
        cancelled=None,
        fault="",
        verdicts={},
        due="",
        askers=list(dict.fromkeys(token for token in (caller.token, *old.askers) if token)),
    )
    made = replace(made, due=(await executing.standing(made)).due())
    rows = await executing.register.assignments(old.id)
    async with executing.news(name, RANKS["normal"]) as inside:
        await inside.add(made)
        await SearchWords(inside.db).copy(old.id, name)
        for row in _handed_in(rows, visits):
            await inside.assign(replace(row, execution=name, id=new_id("as")))
        await Looks(inside.db).plan(name)


def _done_by(events: Sequence[RunEvent], visits: Mapping[str, int]) -> Iterator[RunEvent]:
    """Yield the events that say what was done in so many visits of each node. Those of a workflow
    that a node calls belong to the visit of that node."""
    current: dict[str, int] = {}
    for event in events:
        node = event.path[0] if event.path else event.node
        if event.kind == "node_started" and not event.path:
            current[node] = int(event.data["visit"])
        if event.kind not in _KEPT:
            continue
        if not node or 0 < current.get(node, 0) <= visits.get(node, 0):
            yield event


def _handed_in(
    rows: Sequence[StoredAssignment], visits: Mapping[str, int]
) -> Iterator[StoredAssignment]:
    return (row for row in rows if row.visit <= visits.get(row.step, 0))
