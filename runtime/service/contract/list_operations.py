"""The operations that look, and those that remove a workflow or a team."""

from __future__ import annotations

from . import list_responses, requests
from .operation import Operation

_NEWEST_FIRST = "the newest first, `?limit=50&after=ID`"

LOOKING: tuple[Operation, ...] = (
    Operation(
        "list_workflows",
        "GET /v1/workflows",
        requests.ListQuery,
        list_responses.WorkflowList,
        "lists.list_workflows",
        _NEWEST_FIRST,
        "read",
    ),
    Operation(
        "list_teams",
        "GET /v1/teams",
        requests.ListQuery,
        list_responses.TeamList,
        "lists.list_teams",
        _NEWEST_FIRST,
        "read",
    ),
    Operation(
        "list_executions",
        "GET /v1/executions",
        requests.ExecutionQuery,
        list_responses.ExecutionList,
        "lists.list_executions",
        "the newest first, with their status, `?status=failed&text=WORDS` and [more](#search)",
        "read",
    ),
    Operation(
        "list_assignments",
        "GET /v1/assignments",
        requests.AssignmentQuery,
        list_responses.AssignmentList,
        "lists.list_assignments",
        "the [inbox](#inbox): what waits for people in all executions, `?agent_id=ID`",
        "read",
    ),
    Operation(
        "get_workflow",
        "GET /v1/workflows/{workflow_id}",
        requests.Request,
        list_responses.WorkflowFound,
        "lists.get_workflow",
        "one of them, with its text",
        "read",
    ),
    Operation(
        "get_team",
        "GET /v1/teams/{team_id}",
        requests.Request,
        list_responses.TeamFound,
        "lists.get_team",
        "one of them, with its text",
        "read",
    ),
    Operation(
        "delete_workflow",
        "DELETE /v1/workflows/{workflow_id}",
        requests.Request,
        list_responses.Deleted,
        "lists.delete_workflow",
        "`DELETE` one of them; executions have a copy and go on",
    ),
    Operation(
        "delete_team",
        "DELETE /v1/teams/{team_id}",
        requests.Request,
        list_responses.Deleted,
        "lists.delete_team",
        "`DELETE` one of them; executions have a copy and go on",
    ),
    Operation(
        "list_audit",
        "GET /v1/audit",
        requests.AuditQuery,
        list_responses.AuditLog,
        "lists.list_audit",
        "who asked for what, and what came of it; scope `admin`",
        "admin",
    ),
    Operation(
        "list_workers",
        "GET /v1/workers",
        requests.Request,
        list_responses.WorkerList,
        "backlog.list_workers",
        "who carries executions on, what each does, when it said last that it lives; scope `admin`",
        "admin",
    ),
    Operation(
        "health",
        "GET /v1/health",
        requests.Request,
        list_responses.Health,
        "lists.check_health",
        "whether the process answers, whatever its store does",
        None,
    ),
    Operation(
        "ready",
        "GET /v1/ready",
        requests.Request,
        list_responses.Readiness,
        "lists.check_readiness",
        "whether requests can be done here: the store answers in 5 s and the worker works",
        None,
    ),
)
