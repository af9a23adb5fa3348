"""The paths: REST, and `POST /v1/operations/{OPERATION}` for the contract's names."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError

from ..contract import message_requests
from ..contract import message_responses as message_answers
from ..contract import requests as asked
from ..contract import responses as told
from ..contract.documents import team_content, workflow_content
from ..contract.examples import shown
from ..contract.links import linked
from ..operations.assignments import assign_task, complete_step
from ..operations.broadcast import broadcast_update, request_assistance
from ..operations.compile import CONTRACT
from ..operations.control import (
    answer_question,
    get_workflow_status,
    pause_workflow,
    resume_workflow,
)
from ..operations.create import create_team, create_workflow, execute_workflow
from ..operations.executions import Executing
from ..operations.messages import (
    mark_message_read,
    messages_of_agent,
    respond_to_message,
    send_message,
)
from ..records.errors import ServiceFault
from ..records.tables import StoredExecution, StoredTeam, StoredWorkflow
from ..records.tokens import Caller, Scope
from .context import Key, Who, fields_of, made, post_once, service_of
from .message_routes import add_message_routes

Operation = Callable[[Executing, Caller, Any], Awaitable[BaseModel]]


@dataclass(frozen=True, slots=True)
class Named:
    """An operation by its name in the contract: what it is asked with, and who may ask."""

    name: str
    do: Operation
    request: type[BaseModel]
    answer: type[BaseModel]
    scope: Scope


OPERATIONS: tuple[Named, ...] = (
    Named(
        "EXECUTE_WORKFLOW",
        execute_workflow,
        asked.ExecuteWorkflow,
        told.WorkflowExecuted,
        "operate",
    ),
    Named(
        "GET_WORKFLOW_STATUS",
        get_workflow_status,
        asked.GetWorkflowStatus,
        told.WorkflowStatus,
        "read",
    ),
    Named("ASSIGN_TASK", assign_task, asked.AssignTask, told.TaskAssigned, "operate"),
    Named("COMPLETE_STEP", complete_step, asked.CompleteStep, told.StepCompleted, "operate"),
    Named("PAUSE_WORKFLOW", pause_workflow, asked.PauseWorkflow, told.WorkflowPaused, "operate"),
    Named(
        "RESUME_WORKFLOW", resume_workflow, asked.ResumeWorkflow, told.WorkflowResumed, "operate"
    ),
    Named(
        "SEND_MESSAGE",
        send_message,
        message_requests.SendMessage,
        message_answers.MessageSent,
        "operate",
    ),
    Named(
        "GET_MESSAGES",
        messages_of_agent,
        message_requests.GetMessages,
        message_answers.MessageList,
        "read",
    ),
    Named(
        "MARK_MESSAGE_READ",
        mark_message_read,
        message_requests.MarkMessageRead,
        message_answers.MessagesRead,
        "operate",
    ),
    Named(
        "RESPOND_TO_MESSAGE",
        respond_to_message,
        message_requests.RespondToMessage,
        message_answers.MessageAnswered,
        "operate",
    ),
    Named(
        "BROADCAST_UPDATE",
        broadcast_update,
        message_requests.BroadcastUpdate,
        message_answers.UpdateBroadcast,
        "operate",
    ),
    Named(
        "REQUEST_ASSISTANCE",
        request_assistance,
        message_requests.RequestAssistance,
        message_answers.AssistanceRequested,
        "operate",
    ),
)


def add_routes(app: FastAPI) -> None:
    """All of them."""
    _add_creating(app)
    for named in OPERATIONS:
        _add_operation(app, f"/v1/operations/{named.name}", named)
    _add_executions(app)
    add_message_routes(app)
    _add_lists(app)
    _add_looking(app)


def _add_creating(app: FastAPI) -> None:
    """What is read by the compiler comes as text, so that a fault has the line of the request."""

    async def create(request: Request, caller: Who, idempotency_key: Key = None) -> JSONResponse:
        """CREATE_WORKFLOW: a contract, or {file_name, source} with a text in any dialect."""
        caller.require("operate")
        source, file = _workflow_of(await request.body())
        executing = service_of(request).executing

        async def do() -> BaseModel:
            return await create_workflow(executing, caller, source, file)

        return await post_once(request, caller, idempotency_key, [source, file], do)

    async def team(request: Request, caller: Who, idempotency_key: Key = None) -> JSONResponse:
        """CREATE_TEAM: two to five agents with different roles, models or people."""
        caller.require("operate")
        body = _text(await request.body())
        executing = service_of(request).executing

        async def do() -> BaseModel:
            return await create_team(executing, caller, body)

        return await post_once(request, caller, idempotency_key, body, do)

    for path in ("/v1/workflows", "/v1/operations/CREATE_WORKFLOW"):
        app.post(
            path,
            response_model=told.WorkflowCreated,
            openapi_extra=_body(workflow_content()),
            responses=linked("CREATE_WORKFLOW"),
        )(create)
    for path in ("/v1/teams", "/v1/operations/CREATE_TEAM"):
        app.post(
            path,
            response_model=told.TeamCreated,
            openapi_extra=_body(team_content()),
            responses=linked("CREATE_TEAM"),
        )(team)


def _body(content: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": content}}


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ServiceFault(
            "INVALID_REQUEST", f"the request is not UTF-8: byte {error.start}"
        ) from None


def _workflow_of(body: bytes) -> tuple[str, str]:
    """The text of a workflow, and the name of its file."""
    text = _text(body)
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return text, CONTRACT  # the compiler says where it is no JSON
    if not isinstance(given, dict) or "source" not in given:
        return text, CONTRACT
    try:
        source = asked.SourceWorkflow.model_validate(given)
    except ValidationError as error:
        raise ServiceFault("INVALID_REQUEST", fields_of(error.errors())) from None
    return source.source, source.file_name


def _add_operation(app: FastAPI, path: str, named: Named) -> None:
    """One operation with the contract's whole body."""

    async def operate(
        request: Request, caller: Who, body: Any, idempotency_key: Key = None
    ) -> JSONResponse:
        caller.require(named.scope)
        executing = service_of(request).executing

        async def do() -> BaseModel:
            return await named.do(executing, caller, body)

        return await post_once(request, caller, idempotency_key, body.model_dump(mode="json"), do)

    operate.__annotations__["body"] = named.request
    operate.__name__ = named.name.lower()
    operate.__doc__ = named.do.__doc__
    rest = not path.startswith("/v1/operations/")
    app.post(
        path,
        response_model=named.answer,
        openapi_extra=shown(named.name, whole=True),
        operation_id=named.name.lower() if rest else None,
        responses=linked(named.name) if rest else {},
    )(operate)


_NESTED: tuple[tuple[str, str, type[BaseModel]], ...] = (
    ("assignments", "ASSIGN_TASK", asked.AssignTaskBody),
    ("completions", "COMPLETE_STEP", asked.CompleteStepBody),
    ("pause", "PAUSE_WORKFLOW", asked.PauseWorkflowBody),
    ("resume", "RESUME_WORKFLOW", asked.ResumeWorkflowBody),
    ("messages", "SEND_MESSAGE", message_requests.SendMessageBody),
    ("messages/read", "MARK_MESSAGE_READ", message_requests.MarkMessageReadBody),
    ("messages/responses", "RESPOND_TO_MESSAGE", message_requests.RespondToMessageBody),
    ("messages/broadcasts", "BROADCAST_UPDATE", message_requests.BroadcastUpdateBody),
    ("messages/assistance", "REQUEST_ASSISTANCE", message_requests.RequestAssistanceBody),
)
"""The last part of a path below an execution, the operation, the body without its id."""


def _add_executions(app: FastAPI) -> None:
    by_name = {named.name: named for named in OPERATIONS}
    _add_operation(app, "/v1/executions", by_name["EXECUTE_WORKFLOW"])
    for word, name, body in _NESTED:
        _add_nested(app, f"/v1/executions/{{execution_id}}/{word}", by_name[name], body)

    @app.get(
        "/v1/executions/{execution_id}",
        response_model=told.WorkflowStatus,
        operation_id="get_status",
    )
    async def status(
        request: Request,
        caller: Who,
        execution_id: asked.Id,
        include_details: bool = False,
        include_metrics: bool = False,
    ) -> BaseModel:
        """GET_WORKFLOW_STATUS."""
        query = made(
            asked.GetWorkflowStatus,
            {
                "execution_id": execution_id,
                "include_details": include_details,
                "include_metrics": include_metrics,
            },
        )
        return await get_workflow_status(service_of(request).executing, caller, query)

    @app.post(
        "/v1/executions/{execution_id}/questions/{question_id:path}",
        response_model=told.WorkflowStatus,
    )
    async def answer(
        request: Request,
        caller: Who,
        execution_id: asked.Id,
        question_id: str,
        body: asked.AnswerQuestion,
        idempotency_key: Key = None,
    ) -> JSONResponse:
        """Answer a question that is no step: an approval, a question of a flowchart."""
        caller.require("operate")
        executing = service_of(request).executing

        async def do() -> BaseModel:
            return await answer_question(executing, caller, execution_id, question_id, body)

        return await post_once(request, caller, idempotency_key, body.model_dump(mode="json"), do)


def _add_nested(app: FastAPI, path: str, named: Named, body_type: type[BaseModel]) -> None:
    async def operate(
        request: Request,
        caller: Who,
        execution_id: asked.Id,
        body: Any,
        idempotency_key: Key = None,
    ) -> JSONResponse:
        caller.require(named.scope)
        given = {**body.model_dump(mode="json"), "execution_id": execution_id}
        whole = made(named.request, given)
        executing = service_of(request).executing

        async def do() -> BaseModel:
            return await named.do(executing, caller, whole)

        return await post_once(request, caller, idempotency_key, given, do)

    operate.__annotations__["body"] = body_type
    operate.__name__ = f"{named.name.lower()}_of_execution"
    operate.__doc__ = named.do.__doc__
    app.post(
        path,
        response_model=named.answer,
        openapi_extra=shown(named.name, whole=False),
        operation_id=f"{named.name.lower()}_of_execution",
        responses=linked(named.name),
    )(operate)


Limit = Annotated[int, Query(ge=1, le=500)]
After = Annotated[str, Query(max_length=200, pattern="^[!-~]*$")]


def _add_lists(app: FastAPI) -> None:
    @app.get("/v1/workflows", response_model=told.WorkflowList)
    async def workflows(
        request: Request, caller: Who, limit: Limit = 50, after: After = ""
    ) -> BaseModel:
        """The workflows that the caller may see, the newest first."""
        register = service_of(request).executing.register
        found = register.each(StoredWorkflow, caller.owner, limit, after)
        return told.WorkflowList(
            workflows=[
                told.WorkflowListed(
                    workflow_id=w.id, name=w.name, format=w.format, created=w.created
                )
                async for w in found
            ]
        )

    @app.get("/v1/teams", response_model=told.TeamList)
    async def teams(
        request: Request, caller: Who, limit: Limit = 50, after: After = ""
    ) -> BaseModel:
        """The teams that the caller may see, the newest first."""
        register = service_of(request).executing.register
        found = register.each(StoredTeam, caller.owner, limit, after)
        return told.TeamList(
            teams=[
                told.TeamListed(team_id=t.id, name=t.name, created=t.created) async for t in found
            ]
        )

    @app.get("/v1/executions", response_model=told.ExecutionList)
    async def executions(
        request: Request, caller: Who, limit: Limit = 50, after: After = ""
    ) -> BaseModel:
        """The executions that the caller may see, the newest first."""
        register = service_of(request).executing.register
        found = register.each(StoredExecution, caller.owner, limit, after)
        return told.ExecutionList(
            executions=[
                told.ExecutionListed(execution_id=e.id, workflow_id=e.workflow, created=e.created)
                async for e in found
            ]
        )


def _add_looking(app: FastAPI) -> None:
    @app.get("/v1/audit", response_model=told.AuditLog)
    async def audit(request: Request, caller: Who, limit: Limit = 50) -> BaseModel:
        """Who asked for what to be done, and what came of it; for tokens of the scope admin that
        see every team."""
        caller.require("admin")
        if caller.owner is not None:
            raise ServiceFault("FORBIDDEN", "this needs a token that sees every team")
        rows = await service_of(request).audit.page(limit)
        names = ("time", "who", "operation", "outcome")
        entries = [told.AuditEntry(**dict(zip(names, row, strict=True))) for row in rows]
        return told.AuditLog(entries=entries)

    @app.get("/v1/health", response_model=told.Health)
    async def health(request: Request) -> BaseModel:
        """Whether the service answers and its store can be read."""
        await service_of(request).tokens.any()
        return told.Health()
