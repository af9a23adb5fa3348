"""Lists of what a caller may see, one thing of them, its end; what waits for people; the audit log;
whether the service can be used."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from datetime import UTC

from flowc.compiler.ir import Workflow

from ...engine.schedules import note_schedules
from ...errors import RunError
from ...store.audit_log import Audit
from ...store.listing import RunSummary, file_name
from ...store.runs import RunStore
from ..contract import list_responses, requests
from ..records.access import Caller, Tokens
from ..records.errors import ServiceFault
from ..records.metrics import iso
from ..records.states import StateRows
from ..records.tables import OPEN, StoredAssignment, StoredExecution, StoredTeam, StoredWorkflow
from ..search.runs import RUNNING, costs_of, query_of, status_of
from ..search.wanted import Wanted
from ..search.words import SearchWords, fits, words_in
from .executions import Executing
from .status import ExecutionState
from .turns import Turns, turns_of

LOG = logging.getLogger("flowc.service")
WORK_SECONDS = 15.0
"""Seconds within which a worker that works looks for work."""
MOST_RUNS = 2000
"""Runs that are not executions that a search for words looks at: the newest."""
READY_SECONDS = 5.0
"""Seconds within which the store of a service that is ready answers."""


async def list_workflows(
    executing: Executing, caller: Caller, request: requests.ListQuery
) -> list_responses.WorkflowList:
    """The workflows that the caller may see, the newest first."""
    rows = executing.register.each(StoredWorkflow, caller.owner, request.limit, request.after)
    return list_responses.WorkflowList(
        workflows=[
            list_responses.WorkflowListed(
                workflow_id=w.id, name=w.name, format=w.format, created=w.created
            )
            async for w in rows
        ]
    )


async def list_teams(
    executing: Executing, caller: Caller, request: requests.ListQuery
) -> list_responses.TeamList:
    """The teams that the caller may see, the newest first."""
    rows = executing.register.each(StoredTeam, caller.owner, request.limit, request.after)
    return list_responses.TeamList(
        teams=[
            list_responses.TeamListed(team_id=t.id, name=t.name, created=t.created)
            async for t in rows
        ]
    )


async def list_executions(
    executing: Executing, caller: Caller, request: requests.ExecutionQuery
) -> list_responses.ExecutionList:
    """The executions that the caller may see, the newest first; for a token that sees every team
    the runs of `flowc run` in the same store, too."""
    wanted = Wanted(
        now=executing.now(),
        status=request.status or "",
        workflow=request.workflow_id or "",
        teams=[request.team_id] if request.team_id else (),
        since=iso(request.since.astimezone(UTC)) if request.since else "",
        until=iso(request.until.astimezone(UTC)) if request.until else "",
        words=words_in((request.text,)),
        agent=request.agent_id or "",
    )
    found = await newest(executing, caller, wanted, request.limit, request.after)
    ids = [one.id for one in found if isinstance(one, StoredExecution)]
    states = await StateRows(executing.db).statuses(ids, wanted.now)
    usage = await executing.engine.store.listing.usage(ids)
    listed = []
    for one in found:
        if isinstance(one, RunSummary):
            status, used = status_of(one.status), one.usage
            about = {"workflow_id": "", "team_id": "", "is_run": True, "created": one.started}
        elif one.id in states:
            status, used = states[one.id], usage.get(one.id, {})
            about = {"workflow_id": one.workflow, "team_id": one.team, "created": one.created}
        else:
            continue
        tokens, cost = costs_of(used)
        about |= {"execution_id": one.id, "status": status, "file_name": file_name(one.file)}
        listed.append(
            list_responses.ExecutionListed.model_validate({**about, "tokens": tokens, "cost": cost})
        )
    return list_responses.ExecutionList(executions=listed)


async def newest(
    executing: Executing, caller: Caller, wanted: Wanted, limit: int, after: str
) -> list[StoredExecution | RunSummary]:
    """Return executions, and for a caller who sees every team the runs of `flowc run`, the newest
    first."""
    wanted = await SearchWords(executing.db).narrow(wanted)
    about = (caller.owner, limit, after, wanted)
    found: list[StoredExecution | RunSummary]
    found = [e async for e in executing.register.each(StoredExecution, *about)]
    if caller.owner is None:
        found += await _other_runs(executing.engine.store, wanted, limit, after)
    found.sort(key=lambda one: one.id)
    found.sort(key=began, reverse=True)
    return found[:limit]


async def _other_runs(
    store: RunStore, wanted: Wanted, limit: int, after: str
) -> Sequence[RunSummary]:
    """Return the newest runs that are not executions, after an id."""
    if wanted.of_executions_alone:
        return ()
    by_process = wanted.status in ("executing", "paused")
    running = [row[0] for row in await store.db.rows(RUNNING)] if by_process else []
    held = await store.leases.held_among(running)
    found, looked = list[RunSummary](), 0
    while len(found) < limit and looked < MOST_RUNS:
        condition, values = query_of(wanted, after, running, held)
        more = await store.listing.begun_last(condition, values, limit)
        found += [r for r in more if fits(wanted.words, r.id, r.name, file_name(r.file))]
        if len(more) < limit or not wanted.words:
            break
        looked, after = looked + limit, more[-1].id
    return found[:limit]


def began(one: StoredExecution | RunSummary) -> str:
    """Return when it began."""
    return one.started if isinstance(one, RunSummary) else one.created


async def list_assignments(
    executing: Executing, caller: Caller, request: requests.AssignmentQuery
) -> list_responses.AssignmentList:
    """The steps that wait for people, over all executions that the caller may see: those of the
    agents that the caller acts for, of one agent, or of everybody where the token is nobody's."""
    own = {a.agent: a for a in caller.agents}
    wanted = {request.agent_id} if request.agent_id else set(own)
    teams = [own[id].team for id in wanted if id in own] if wanted <= set(own) else []
    waiting = Wanted(now=executing.now(), teams=sorted(set(teams)), waits=True)
    about = (StoredExecution, caller.owner, request.limit, request.after, waiting)
    executions = [execution async for execution in executing.register.each(*about)]
    listed = []
    for workflow, turns in await _turns_of(executing, executions):
        for assignment in _waiting(turns):
            if not wanted or assignment.agent in wanted:
                deputy = assignment.agent in own and own[assignment.agent].deputy
                listed.append(_entry_of(workflow, turns, assignment, deputy))
    more = len(executions) == request.limit
    last = executions[-1].id if more else ""
    return list_responses.AssignmentList(assignments=listed, next_after=last)


async def _turns_of(
    executing: Executing, executions: Sequence[StoredExecution]
) -> list[tuple[Workflow, Turns]]:
    """Return whose turn it is in executions that wait, but for those whose time is over: without
    their checkpoints, which say no more of it than the events and the assignments do."""
    now = executing.clock()
    ids = [e.id for e in executions if (end := e.time_end) is None or end > now]
    # The rows first: what a person hands in is a row before any event tells of it.
    rows = await executing.register.assignments_of(ids)
    timelines = await executing.timelines.of_each(executing.engine.store, ids)
    waiting = [e for e in executions if e.id in rows]
    found = [(e, w) for e in waiting if (w := await _workflow_of(executing, e)) is not None]

    def turns(execution: StoredExecution, workflow: Workflow) -> Turns:
        timeline = timelines[execution.id]
        if timeline.is_completed:  # its record comes behind it
            timeline = timeline.before_completion()
        return turns_of(execution, workflow, timeline, rows[execution.id])

    return await asyncio.to_thread(lambda: [(w, turns(e, w)) for e, w in found])


async def _workflow_of(executing: Executing, execution: StoredExecution) -> Workflow | None:
    """Return the workflow of an execution in a list; None of one whose text does not compile any
    more, or cannot be read: its own page says why, and the others are listed all the same."""
    try:
        return await executing.workflow_of(execution)
    except (RunError, ServiceFault) as error:
        LOG.warning("execution %s: not listed: %s", execution.id, error.message)
        return None


def waiting_in(standing: ExecutionState) -> Sequence[StoredAssignment]:
    """Return the assignments that people can complete now."""
    if standing.status not in ("starting", "executing") or standing.is_overdue:
        return ()
    return _waiting(standing.turns)


def _waiting(turns: Turns) -> list[StoredAssignment]:
    return [
        one
        for one in turns.assignments
        if one.person and one.status in OPEN and turns.places[one.step] == "active"
    ]


def _entry_of(
    workflow: Workflow, turns: Turns, assignment: StoredAssignment, deputy: bool
) -> list_responses.AssignmentListed:
    return list_responses.AssignmentListed(
        execution_id=assignment.execution,
        workflow_name=workflow.title or workflow.name,
        step_id=assignment.step,
        step_name=turns.by_id[assignment.step].name,
        assignment_id=assignment.id,
        agent_id=assignment.agent,
        as_deputy=deputy,
        priority=str(assignment.config.get("priority") or "normal"),
        since=assignment.start,
        deadline=assignment.deadline,
    )


async def get_workflow(
    executing: Executing, caller: Caller, id: str, request: requests.Request
) -> list_responses.WorkflowFound:
    """One workflow, with its text."""
    w = await executing.register.get(StoredWorkflow, id, caller.owner)
    return list_responses.WorkflowFound(
        workflow_id=w.id,
        name=w.name,
        format=w.format,
        created=w.created,
        file_name=w.file,
        source=w.source,
        warnings=w.warnings,
        estimated_total_duration=int(w.minutes),
    )


async def delete_workflow(
    executing: Executing, caller: Caller, id: str, request: requests.Request
) -> list_responses.Deleted:
    """Delete a workflow. Executions of it have a copy of their own and go on; by its schedule none
    begins any more."""
    await executing.register.delete(StoredWorkflow, id, caller.owner)
    await note_schedules(executing.db, id, (), 0)
    return list_responses.Deleted()


async def get_team(
    executing: Executing, caller: Caller, id: str, request: requests.Request
) -> list_responses.TeamFound:
    """One team, with its document."""
    t = await executing.register.get(StoredTeam, id, caller.owner)
    agents = [list_responses.AgentFound(agent_id=a["agent_id"], role=a["role"]) for a in t.agents]
    return list_responses.TeamFound(
        team_id=t.id, name=t.name, created=t.created, source=t.source, agents=agents
    )


async def delete_team(
    executing: Executing, caller: Caller, id: str, request: requests.Request
) -> list_responses.Deleted:
    """Delete a team. Executions that it works in have a copy of their own and go on."""
    await executing.register.delete(StoredTeam, id, caller.owner)
    return list_responses.Deleted()


async def list_audit(
    executing: Executing, caller: Caller, request: requests.AuditQuery
) -> list_responses.AuditLog:
    """Who asked for what to be done, and what came of it; for tokens of the scope admin that
    see every team."""
    if caller.owner is not None:
        raise ServiceFault("FORBIDDEN", "this needs a token that sees every team")
    names = ("time", "who", "operation", "outcome")
    rows = await Audit(executing.db).page(request.limit)
    entries = [list_responses.AuditEntry(**dict(zip(names, row, strict=True))) for row in rows]
    return list_responses.AuditLog(entries=entries)


async def check_health(executing: Executing, *_: object) -> list_responses.Health:
    """Whether the process answers, whatever its store does: who finds it dead starts another."""
    return list_responses.Health()


async def check_readiness(executing: Executing, *_: object) -> list_responses.Readiness:
    """Whether requests can be done here: the store answers in time, and the worker of this process,
    if it has one, works. Who finds it not ready sends requests elsewhere for a while."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            await Tokens(executing.db).any()
    except (TimeoutError, RunError):
        message = f"the store does not answer within {READY_SECONDS:g} s"
        raise ServiceFault("UNAVAILABLE", message) from None
    last = executing.worked_at
    if last is not None and time.monotonic() - last > WORK_SECONDS:
        raise ServiceFault("UNAVAILABLE", "the worker of this process does not work")
    return list_responses.Readiness(executes=last is not None)
