"""The service as an ASGI application: the API, whose errors have one form, and the page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from flowc import __version__
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from ..errors import RunError
from ..net.signatures import SIGNATURE
from .api.browser_guard import BodyLimit, Guard
from .api.context import Service
from .api.figures import add_figures
from .api.routes import add_events, add_routes, described_apart
from .api.sessions import COOKIE
from .api.webhook_route import add_webhook_route
from .bodies.read_body import fields_of
from .contract import responses
from .contract.operation import TAGS
from .contract.webhooks import WebhookEvent
from .page.routes import add_page, is_page, page_fault, signed_out
from .page.visit import SignedOut, load_pages
from .records.errors import ServiceFault

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": responses.ErrorAnswer}
    for status in (400, 401, 403, 404, 409, 413, 422, 429, 500, 503)
}
SECURITY = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of `flowc token create`. While there are none, a service that"
        " listens on its machine alone needs none.",
    },
    "page": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": SIGNATURE,
        "description": "`v1,` and the base64 of HMAC-SHA256 over webhook-id, webhook-timestamp and"
        " the body, with dots between them, by the workflow's secret.",
    },
}
LOG = logging.getLogger("flowc.service")


class Guarded(FastAPI):
    """FastAPI with the guard around everything: it answers our faults outside of all middleware."""

    hosts: tuple[str, ...] | None = None

    def build_middleware_stack(self) -> ASGIApp:
        return Guard(super().build_middleware_stack(), self.hosts)

    def openapi(self) -> dict[str, Any]:
        """Return the description of the API: FastAPI's, with who may send requests and what an
        event of a stream holds."""
        if self.openapi_schema is None:
            parts = super().openapi()["components"]
            parts["securitySchemes"] = SECURITY
            parts["schemas"].update(described_apart())
        assert self.openapi_schema is not None
        return self.openapi_schema


def make_app(
    open_service: Callable[[], AbstractAsyncContextManager[Service]],
    hosts: tuple[str, ...] | None = None,
) -> FastAPI:
    """Return the application. `open_service` opens store and engine for as long as it serves;
    `hosts` are the host names that requests may use, None: any."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_service() as service:
            app.state.service = service
            loading = asyncio.create_task(asyncio.to_thread(load_pages))
            yield
            await loading

    app = Guarded(
        title="flowc",
        version=__version__,
        summary="Workflows for teams of agents and people",
        lifespan=lifespan,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=ERRORS,
        openapi_tags=[{"name": name, "description": about} for name, about in TAGS.items()],
    )
    app.add_middleware(BodyLimit)
    app.hosts = hosts
    _add_faults(app)
    add_routes(app)
    add_events(app)
    add_webhook_route(app)
    _describe_webhooks(app)
    add_figures(app)
    add_page(app)
    return app


def _describe_webhooks(app: FastAPI) -> None:
    """Describe what the service sends to addresses by itself."""

    @app.webhooks.post("event", operation_id="webhook_event", tags=["webhooks"], responses={})
    def event(body: WebhookEvent) -> None:
        """Something happened in an execution. Any answer of 2xx is an arrival."""


def _add_faults(app: FastAPI) -> None:
    """Answer every fault in the contract's form."""

    @app.exception_handler(ServiceFault)
    async def fault(request: Request, error: ServiceFault) -> Response:
        return await _fault_response(request, error, error.status)

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> Response:
        fault = ServiceFault("INVALID_REQUEST", fields_of(error.errors()))
        return await _fault_response(request, fault, fault.status)

    @app.exception_handler(RunError)
    async def unavailable(request: Request, error: RunError) -> Response:
        """Tell the log, and not the caller, where the store lies."""
        where = (request.state.request_id, request.method, request.url.path)
        LOG.error("%s: %s %r: %s", *where, error.message)
        fault = ServiceFault("UNAVAILABLE", "the store cannot be used: the service's log says why")
        return await _fault_response(request, fault, fault.status)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        message = f"{request.method} {request.url.path[:200]}: {str(error.detail).lower()}"
        answer = await _fault_response(
            request, ServiceFault("INVALID_REQUEST", message), error.status_code
        )
        answer.headers.update(error.headers or {})
        return answer

    app.exception_handler(SignedOut)(signed_out)

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> Response:
        """Answer with a number in the log, and nothing about what went wrong."""
        number = request.state.request_id
        LOG.error("fault %s: %s %r", number, request.method, request.url.path, exc_info=error)
        told_fault = ServiceFault("INTERNAL", f"a fault of the service: {number} in its log")
        return await _fault_response(request, told_fault, told_fault.status)


async def _fault_response(request: Request, fault: ServiceFault, status: int) -> Response:
    """Return the contract's form of an error, or a page for a person."""
    if is_page(request):
        return await page_fault(request, fault, status)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if "retry_after" in fault.details:
        headers["Retry-After"] = str(int(fault.details["retry_after"]) + 1)
    return JSONResponse(fault.as_answer(), status, headers)
