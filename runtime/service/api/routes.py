"""The paths of the operations: REST, and `POST /v1/operations/NAME` for the contract's names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature, getdoc
from typing import Annotated, Any, TypeGuard, get_type_hints

from fastapi import Depends, FastAPI, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from sse_starlette import EventSourceResponse

from ..bodies.read_body import model_of
from ..contract import responses
from ..contract.documents import TextRequest
from ..contract.operation import Operation
from ..contract.operations import OPERATIONS, operation_of
from ..contract.requests import Id
from ..operations.dispatch import visible
from ..records.access import LOCAL, Caller
from .context import (
    Authorization,
    Key,
    ReadRequest,
    Who,
    caller_of,
    post_once,
    read_request,
    route_reading,
    service_of,
)
from .sessions import COOKIE
from .streams import HEARTBEAT, event_messages

SCHEMAS = "#/components/schemas/"


def described_apart() -> dict[str, Any]:
    """Return the schemas that no field of a request or a response has: of texts that the compiler
    reads, and of the events of a stream."""
    documents = [model for row in OPERATIONS for model, _ in row.documents.values()]
    models = [(model, "validation") for model in (*documents, responses.StreamedEvent)]
    _, parts = models_json_schema(models, ref_template=f"{SCHEMAS}{{model}}")  # type: ignore[arg-type]
    found: dict[str, Any] = parts["$defs"]
    return found


def add_routes(app: FastAPI, operations: Sequence[Operation] = OPERATIONS) -> None:
    """Add every operation at its path, and those of the contract at their names too."""
    for row in operations:
        if not row.function:
            continue
        links = _links(row, operations)
        function = function_of(row)
        app.router.add_api_route(
            row.path,
            _endpoint(row, function, by_name=False),
            methods=[row.method],
            name=row.operation_id,
            tags=[row.tag],
            operation_id=row.operation_id,
            description=getdoc(function),
            response_model=row.response,
            openapi_extra={
                **(_body(row, {} if row.method == "GET" else row.example) or {}),
                **security_of(row),
            },
            responses=links,
            route_class_override=route_reading(row.name, by_name=False),
        )
        if row.in_contract:
            reads_text = issubclass(row.request, TextRequest)
            app.router.add_api_route(
                f"/v1/operations/{row.name}",
                _endpoint(row, function, by_name=True),
                methods=["POST"],
                name=f"{row.operation_id}_by_name",
                operation_id=f"{row.operation_id}_by_name",
                tags=["by name"],
                description=getdoc(row.by_name or function),
                response_model=row.response,
                openapi_extra={
                    **(_body(row, row.whole_example()) or {}),
                    **security_of(row),
                    "x-alias-of": row.operation_id,
                },
                responses=links if reads_text else None,
                route_class_override=route_reading(row.name, by_name=True),
            )


def function_of(row: Operation) -> Callable[..., Awaitable[BaseModel]]:
    """Return the function that does an operation."""
    module, _, name = row.function.rpartition(".")
    function: Callable[..., Awaitable[BaseModel]]
    function = getattr(import_module(f"..operations.{module}", __package__), name)
    return function


def _endpoint(
    row: Operation, function: Callable[..., Awaitable[BaseModel]], *, by_name: bool
) -> Callable[..., Awaitable[Any]]:
    """Return the function that FastAPI calls with the parts of a request."""
    queries, sends = row.method == "GET" and not by_name, row.method == "POST" or by_name

    async def operate(
        request: Request, caller: Caller = LOCAL, idempotency_key: str | None = None, **values: Any
    ) -> Any:
        if row.scope is not None:
            caller.require(row.scope)
        digest = request.digest if isinstance(request, ReadRequest) else ""
        if issubclass(row.request, TextRequest):
            assert isinstance(request, ReadRequest)
            body: Any = request.value
        elif not sends:
            body = read_request(row.request, _from_query(row.request, values))
        else:
            body = values["body"]
        parts = {name: getattr(body, name) if by_name else values[name] for name in row.path_names}

        do = partial(function, service_of(request).executing, caller, *parts.values(), body)
        if queries:
            return await do()
        status, response = await post_once(request, caller, idempotency_key, [digest, parts], do)
        return JSONResponse(response, status)

    # FastAPI reads a request by the signature of its endpoint.
    operate.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, kind, default in _parameters(row, by_name, sends)
        ]
    )
    return operate


def _parameters(row: Operation, by_name: bool, sends: bool) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, type and default of the parts of a request."""
    none = Parameter.empty
    yield "request", Request, none
    if row.scope is not None:
        yield "caller", Who, none
    if not by_name:
        for name in row.path_names:
            yield name, str if f"{{{name}:path}}" in row.path else Id, none
    if row.method == "GET" and not by_name:
        yield from _query_fields(row.request)
        return
    if sends and not issubclass(row.request, TextRequest):
        yield "body", model_of(row.name, by_name), none
    if sends:  # what is deleted is so, however often it is asked for
        yield "idempotency_key", Key, None


def _query_fields(model: type[BaseModel]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the same for the fields of a query; the fields of a nested model stand beside them."""
    kinds = get_type_hints(model, include_extras=True)
    for name, field in model.model_fields.items():
        if _is_model(field.annotation):
            yield from _query_fields(field.annotation)
        else:
            yield name, Annotated[kinds[name], Query()], field.default


def _from_query(model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a model whose fields came in a query."""
    return {
        name: _from_query(field.annotation, values) if _is_model(field.annotation) else values[name]
        for name, field in model.model_fields.items()
    }


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _body(row: Operation, example: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return OpenAPI's examples of a body, for a text with its schema."""
    if row.documents:
        schemas = [{"$ref": f"{SCHEMAS}{model.__name__}"} for model, _ in row.documents.values()]
        content = {
            "schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas},
            "examples": {name: {"value": value} for name, (_, value) in row.documents.items()},
        }
        return {"requestBody": {"required": True, "content": {"application/json": content}}}
    if not example:
        return None
    content = {"examples": {row.name.lower(): {"value": example}}}
    return {"requestBody": {"content": {"application/json": content}}}


def _links(
    row: Operation, operations: Sequence[Operation]
) -> dict[int | str, dict[str, Any]] | None:
    """Return OpenAPI's links from a response to what a client can do next: in the execution of the
    path, or in the one that the response begins."""
    if not row.links:
        return None
    here = "$request.path." if "execution_id" in row.path_names else "$response.body#/"
    links: dict[str, Any] = {}
    for link in row.links:
        target = next(other for other in operations if other.name == link.target)
        links[link.name] = {"operationId": target.operation_id}
        if target.path_names:
            links[link.name]["parameters"] = {name: f"{here}{name}" for name in target.path_names}
        if link.body:
            links[link.name]["requestBody"] = dict(link.body)
    return {200: {"description": "Done.", "links": links}}


def security_of(row: Operation) -> dict[str, Any]:
    """Return what OpenAPI says of who may send a request."""
    return {"security": [{"bearer": []}] if row.scope is not None else []}


_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Messages with an event as data and its position as id; `standing` when"
        " something else has changed; `text` when a model has written on; `end` when nothing more"
        " will happen.",
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": {"$ref": f"{SCHEMAS}StreamedEvent"},
                }
            }
        },
    },
    **{status: {"model": responses.ErrorAnswer} for status in (401, 404, 422, 429, 503)},
}


async def listener_of(request: Request, authorization: Authorization = None) -> Caller:
    """Return the listener, by a token or by the page's cookie: a browser's event stream sends no
    headers. Raises `ServiceFault`."""
    service = service_of(request)
    value = request.cookies.get(COOKIE, "")
    if authorization is None and value:
        caller = await service.sessions.caller(value, service.executing.clock())
        if caller is not None:
            service.rate.take(caller)
            return caller
    return await caller_of(request, authorization)


def add_events(app: FastAPI) -> None:
    """Add the path of the event streams."""

    row = operation_of("events")

    @app.get(
        row.path,
        response_class=Response,
        responses=_CONTENT,
        operation_id=row.operation_id,
        tags=[row.tag],
        openapi_extra={"security": [{"bearer": []}, {"page": []}]},
    )
    async def events(
        request: Request,
        caller: Annotated[Caller, Depends(listener_of)],
        execution_id: Id,
        after: Annotated[int, Query(ge=0, le=2**53)] = 0,
        texts: bool = False,
        last_event_id: Annotated[str | None, Header(pattern="^([0-9]{1,15})?$")] = None,
    ) -> Response:
        """What happens in an execution, from its beginning or behind a position, for as long as it
        goes on: server-sent events, which a client takes up again with `Last-Event-ID`. With
        `texts` also what models are writing at the moment, which no position counts."""
        service = service_of(request)
        await visible(service.executing, caller, execution_id)
        position = int(last_event_id) if last_event_id else after
        service.streams.refuse_more(caller)
        messages = event_messages(service.streams, caller, execution_id, position, texts)
        return EventSourceResponse(messages, ping=HEARTBEAT)
