"""The pages of the operator: who carries executions on and what teams have of them; who asked for
what."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response

from ..contract.operations import operation_of
from ..contract.requests import AuditQuery
from ..contract.requests import Request as NothingAsked
from ..operations.backlog import list_backlog, list_workers
from ..operations.lists import list_audit
from .visit import Visiting, html

LISTED = 50
"""Jobs on the page, of each kind."""
AUDITED = 200
"""Requests on the page of the audit log."""


def add_workers(app: FastAPI) -> None:
    """Add the paths of the pages."""
    _add_audit(app)
    scope = operation_of("list_workers").scope

    @app.get("/workers", include_in_schema=False)
    async def workers(request: Request, visit: Visiting) -> Response:
        if scope is not None:
            visit.who.require(scope)
        found = await list_workers(visit.executing, visit.who, NothingAsked())
        backlog = await list_backlog(visit.executing, LISTED)
        return html(
            visit, "workers.html", workers=found.workers, teams=found.teams, backlog=backlog
        )


def _add_audit(app: FastAPI) -> None:
    scope = operation_of("list_audit").scope

    @app.get("/audit", include_in_schema=False)
    async def audit(request: Request, visit: Visiting) -> Response:
        if scope is not None:
            visit.who.require(scope)
        log = await list_audit(visit.executing, visit.who, AuditQuery(limit=AUDITED))
        return html(visit, "audit.html", entries=log.entries)
