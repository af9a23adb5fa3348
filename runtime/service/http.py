"""The service as an ASGI application. Every answer that is none has the contract's form."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from flowc import __version__
from starlette.exceptions import HTTPException

from ..errors import RunError
from . import answers as told
from .faults import ServiceFault
from .limits import BodyLimit
from .routes import add_routes
from .serving import Service, fields_of

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": told.ErrorAnswer} for status in (401, 403, 404, 409, 413, 422, 429, 500, 503)
}
LOG = logging.getLogger("flowc.service")


def make_app(open_service: Callable[[], AbstractAsyncContextManager[Service]]) -> FastAPI:
    """The application. `open_service` opens store and engine for as long as it serves."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_service() as service:
            app.state.service = service
            yield

    app = FastAPI(
        title="flowc",
        version=__version__,
        summary="Workflows for teams of agents and people",
        lifespan=lifespan,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=ERRORS,
    )
    app.add_middleware(BodyLimit)
    _add_faults(app)
    add_routes(app)
    return app


def _add_faults(app: FastAPI) -> None:
    """Whatever goes wrong has the contract's form."""

    @app.exception_handler(ServiceFault)
    async def fault(request: Request, error: ServiceFault) -> JSONResponse:
        headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
        if "retry_after" in error.details:
            headers["Retry-After"] = str(int(error.details["retry_after"]) + 1)
        return JSONResponse(error.as_answer(), error.status, headers)

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> JSONResponse:
        told_fault = ServiceFault("INVALID_REQUEST", fields_of(error.errors()))
        return JSONResponse(told_fault.as_answer(), told_fault.status)

    @app.exception_handler(RunError)
    async def refused(request: Request, error: RunError) -> JSONResponse:
        told_fault = ServiceFault("UNAVAILABLE", error.message)
        return JSONResponse(told_fault.as_answer(), told_fault.status)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        message = f"{request.method} {request.url.path[:200]}: {str(error.detail).lower()}"
        told_fault = ServiceFault("INVALID_REQUEST", message)
        return JSONResponse(told_fault.as_answer(), error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> JSONResponse:
        """The answer tells nothing of what went wrong, only where to find it."""
        number = secrets.token_hex(4)
        LOG.error("fault %s: %s %s", number, request.method, request.url.path, exc_info=error)
        told_fault = ServiceFault("INTERNAL", f"a fault of the service: {number} in its log")
        return JSONResponse(told_fault.as_answer(), told_fault.status)
