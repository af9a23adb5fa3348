"""`GET /v1/executions/{id}/events`: the path of the event streams."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Query, Request
from fastapi.responses import Response
from sse_starlette import EventSourceResponse

from ..contract import responses as answers
from ..contract.requests import Id
from ..records.tables import StoredExecution
from ..records.tokens import Caller
from .context import Authorization, caller_of, service_of
from .sessions import COOKIE
from .streams import HEARTBEAT, told

_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Messages with an event as data and its position as id; `standing` when"
        " something else has changed; `end` when nothing more will happen.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    **{status: {"model": answers.ErrorAnswer} for status in (401, 404, 422, 429, 503)},
}


async def listener_of(request: Request, authorization: Authorization = None) -> Caller:
    """Who listens: by a token, or by the cookie of the page, since a browser's event stream sends
    no headers. Raises `ServiceFault`."""
    service = service_of(request)
    value = request.cookies.get(COOKIE, "")
    if authorization is None and value:
        caller = await service.sessions.caller(value, service.executing.clock())
        if caller is not None:
            service.rate.take(caller)
            return caller
    return await caller_of(request, authorization)


def add_events(app: FastAPI) -> None:
    """The path."""

    @app.get("/v1/executions/{execution_id}/events", response_class=Response, responses=_CONTENT)
    async def events(
        request: Request,
        caller: Annotated[Caller, Depends(listener_of)],
        execution_id: Id,
        after: Annotated[int, Query(ge=0, le=2**53)] = 0,
        last_event_id: Annotated[str | None, Header(pattern="^([0-9]{1,15})?$")] = None,
    ) -> Response:
        """What happens in an execution, from its beginning or behind a position, for as long as it
        goes on: server-sent events, which a client takes up again with `Last-Event-ID`."""
        service = service_of(request)
        await service.executing.register.get(StoredExecution, execution_id, caller.owner)
        position = int(last_event_id) if last_event_id else after
        service.streams.refuse_more(caller)
        messages = told(service.streams, caller, execution_id, position)
        return EventSourceResponse(messages, ping=HEARTBEAT)
