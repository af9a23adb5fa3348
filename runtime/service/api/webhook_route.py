"""`POST /v1/hooks/WORKFLOW`: a request of somebody without a token, whose signature lets it in."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import FastAPI, Header, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from ...net.signatures import ID, SIGNATURE, TIME
from ..contract import requests, responses
from ..contract.operations import operation_of
from ..operations.create import execute_workflow
from ..operations.webhooks import inputs_of_request
from ..records.access import Caller, digest_of
from ..records.errors import ServiceFault
from ..records.tables import StoredTeam, StoredWorkflow
from .context import post_once, service_of

MOST_BYTES = 256_000
"""Bytes of a body."""
_ID = re.compile(requests.ID_PATTERN)


def add_webhook_route(app: FastAPI) -> None:
    """Add the path where requests begin executions."""
    row = operation_of("receive_webhook")

    @app.post(
        row.path,
        name="receive_webhook",
        operation_id=row.operation_id,
        tags=[row.tag],
        response_model=responses.WorkflowExecuted,
        openapi_extra={
            "security": [{"signature": []}],
            "requestBody": {"required": True, "content": {"application/json": {"schema": {}}}},
        },
    )
    async def receive(
        request: Request,
        workflow_id: requests.Id,
        team_id: requests.Id | None = None,
        webhook_id: Annotated[str, Header(alias=ID)] = "",
        webhook_timestamp: Annotated[str, Header(alias=TIME)] = "",
        webhook_signature: Annotated[str, Header(alias=SIGNATURE)] = "",
    ) -> Response:
        """Begin an execution of a workflow with `on: webhook`, by the team that the address names,
        if it needs one; the team and the workflow have the same owner. The same `webhook-id`
        begins nothing twice."""
        where = request.client.host if request.client else ""
        service = service_of(request)
        service.strangers.take(Caller(f"requests of {where}", "read", None))
        body = await _body(request)
        workflow = await service.executing.register.get(StoredWorkflow, workflow_id, None)
        headers = {ID: webhook_id, TIME: webhook_timestamp, SIGNATURE: webhook_signature}
        inputs = await inputs_of_request(service.executing, workflow, headers, body)
        if len(webhook_id) > 200 or not _ID.fullmatch(webhook_id):
            message = f"{ID} is printable ASCII without a space, 200 characters at most"
            raise ServiceFault("INVALID_REQUEST", message)
        if team_id is not None:
            await service.executing.register.get(StoredTeam, team_id, workflow.owner)
        caller = Caller(f"webhook {workflow_id}", "operate", workflow.owner or None)
        service.beginnings.take(caller)

        async def begin() -> responses.WorkflowExecuted:
            asked = requests.ExecuteWorkflow(
                workflow_id=workflow_id, team_id=team_id, input_parameters=inputs
            )
            return await execute_workflow(service.executing, caller, asked)

        about = [digest_of(body.decode("latin-1")), team_id]
        status, answer = await post_once(request, caller, webhook_id, about, begin)
        return JSONResponse(answer, status)


async def _body(request: Request) -> bytes:
    """Return the body. Raises `HTTPException` for one that is too long."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise HTTPException(413, f"a webhook has at most {MOST_BYTES:,} bytes")
        parts.append(part)
    return b"".join(parts)
