"""Lists of a caller's workflows, teams and executions, the audit log, and the service's health."""

from __future__ import annotations

from ...store.audit_log import Audit
from ..contract import requests, responses
from ..records.access import Caller, Tokens
from ..records.errors import ServiceFault
from ..records.tables import StoredExecution, StoredTeam, StoredWorkflow
from .executions import Executing


async def list_workflows(
    executing: Executing, caller: Caller, request: requests.ListQuery
) -> responses.WorkflowList:
    """The workflows that the caller may see, the newest first."""
    rows = executing.register.each(StoredWorkflow, caller.owner, request.limit, request.after)
    return responses.WorkflowList(
        workflows=[
            responses.WorkflowListed(
                workflow_id=w.id, name=w.name, format=w.format, created=w.created
            )
            async for w in rows
        ]
    )


async def list_teams(
    executing: Executing, caller: Caller, request: requests.ListQuery
) -> responses.TeamList:
    """The teams that the caller may see, the newest first."""
    rows = executing.register.each(StoredTeam, caller.owner, request.limit, request.after)
    return responses.TeamList(
        teams=[
            responses.TeamListed(team_id=t.id, name=t.name, created=t.created) async for t in rows
        ]
    )


async def list_executions(
    executing: Executing, caller: Caller, request: requests.ListQuery
) -> responses.ExecutionList:
    """The executions that the caller may see, the newest first."""
    rows = executing.register.each(StoredExecution, caller.owner, request.limit, request.after)
    return responses.ExecutionList(
        executions=[
            responses.ExecutionListed(execution_id=e.id, workflow_id=e.workflow, created=e.created)
            async for e in rows
        ]
    )


async def list_audit(
    executing: Executing, caller: Caller, request: requests.AuditQuery
) -> responses.AuditLog:
    """Who asked for what to be done, and what came of it; for tokens of the scope admin that
    see every team."""
    if caller.owner is not None:
        raise ServiceFault("FORBIDDEN", "this needs a token that sees every team")
    names = ("time", "who", "operation", "outcome")
    rows = await Audit(executing.db).page(request.limit)
    entries = [responses.AuditEntry(**dict(zip(names, row, strict=True))) for row in rows]
    return responses.AuditLog(entries=entries)


async def check_health(executing: Executing, *_: object) -> responses.Health:
    """Whether the service answers and its store can be read."""
    await Tokens(executing.db).any()
    return responses.Health()
