"""One process of the service, and the sender of a request."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

from ...store.audit_log import Audit
from ..bodies.read_body import fields_of, model_of
from ..bodies.request_pool import READERS
from ..contract.documents import TextRequest
from ..contract.requests import ID_PATTERN
from ..operations.executions import Executing
from ..records.access import LOCAL, Caller, Tokens
from ..records.errors import ServiceFault
from .idempotency import Once
from .rate_limits import Rate
from .sessions import Sessions
from .streams import Streams


@dataclass(slots=True)
class Service:
    """One process of the service. `trusted`: it listens on this machine alone, so that without
    tokens every caller may do everything. `strangers` bounds the requests of an address that come
    without a token, `beginnings` how often they begin something in one workflow."""

    executing: Executing
    tokens: Tokens
    once: Once
    rate: Rate
    trusted: bool
    audit: Audit
    sessions: Sessions
    streams: Streams
    strangers: Rate = field(default_factory=lambda: Rate(per_second=50.0, burst=100.0))
    beginnings: Rate = field(default_factory=lambda: Rate(per_second=10.0, burst=20.0))

    async def caller(self, authorization: str | None) -> Caller:
        """Return the sender of a request. Raises `ServiceFault`."""
        word, _, token = (authorization or "").partition(" ")
        if word.lower() == "bearer" and token:
            return await self.tokens.caller(token.strip(), self.executing.clock())
        if self.trusted and not await self.tokens.any():
            return LOCAL
        raise ServiceFault("UNAUTHENTICATED", "a token is needed")


Authorization = Annotated[str | None, Header(include_in_schema=False)]
Key = Annotated[
    str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200, pattern=ID_PATTERN)
]


def service_of(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service


async def caller_of(request: Request, authorization: Authorization = None) -> Caller:
    """Return the sender of a request, within their rate. Raises `ServiceFault`."""
    service = service_of(request)
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        caller = request.state.caller = await service.caller(authorization)
        service.rate.take(caller)
    _refuse_unknown_queries(request)
    return caller


def _refuse_unknown_queries(request: Request) -> None:
    """Raise `ServiceFault` for a query parameter that the path does not have: a misspelt one would
    silently change nothing."""
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    strange = next((name for name in request.query_params if name not in known), None)
    if strange is not None:
        raise ServiceFault(
            "INVALID_REQUEST",
            f"there is no query parameter `{strange[:100]}`",
            recovery=(f"{', '.join(known) or 'nothing'} can be asked with",),
        )


Who = Annotated[Caller, Depends(caller_of)]


class ReadRequest(Request):
    """A request whose body was read already, and fits."""

    value: BaseModel | None = None
    digest: str = ""

    async def body(self) -> bytes:
        """Return something where there was a body: FastAPI asks whether there was one."""
        return b"{}" if self.value is not None else b""

    async def json(self) -> Any:
        """Return the body as the model of its operation, which FastAPI takes as it is."""
        return self.value


def route_reading(operation: str, by_name: bool) -> type[APIRoute]:
    """Return the kind of a path whose body is read when its sender is known, and not on the event
    loop unless it is small. FastAPI alone parses first, and there."""

    class ReadingRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()
            is_open = not any(part.call is caller_of for part in self.dependant.dependencies)
            model = model_of(operation, by_name)

            async def answer_read(request: Request) -> Response:
                if request.method != "POST":
                    return await answer(request)
                if not is_open:
                    await caller_of(request, request.headers.get("authorization"))
                whole = ReadRequest(request.scope, request.receive)
                parts = [part async for part in whole.stream() if part]
                if parts or issubclass(model, TextRequest):
                    read = await READERS.read(operation, by_name, parts)
                    whole.value, whole.digest = read.request(model), read.digest
                return await answer(whole)

            return answer_read

    return ReadingRoute


async def post_once(
    request: Request,
    caller: Caller,
    key: str | None,
    about: object,
    do: Callable[[], Awaitable[BaseModel]],
) -> tuple[int, dict[str, Any]]:
    """Do it once for one idempotency key. Return the status and the body of the response. `about`
    is small and tells the request from others: what is long is in it as its digest."""
    service = service_of(request)

    async def respond() -> tuple[int, dict[str, Any]]:
        try:
            return 200, (await do()).model_dump(mode="json")
        except ServiceFault as fault:
            return fault.status, fault.as_answer()

    if key is None:
        status, body = await respond()
    else:
        text = json.dumps([request.url.path, about], sort_keys=True)
        now = service.executing.clock()
        status, body = await service.once.answer(caller, key, text, now, respond)
    outcome = str(body.get("error_code", "done"))
    operation = f"{request.method} {request.url.path}"
    await service.audit.note(caller.name, operation, outcome, service.executing.clock())
    return status, body


def read_request(model: type[BaseModel], values: dict[str, Any]) -> Any:
    """Return the request. Raises `ServiceFault` with the fields that do not fit."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ServiceFault("INVALID_REQUEST", fields_of(error.errors())) from None
