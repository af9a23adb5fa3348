"""The page of the workers: who carries executions on, and what teams have of them."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response

from ..contract.operations import operation_of
from ..contract.requests import Request as NothingAsked
from ..operations.backlog import list_backlog, list_workers
from .visit import Visiting, html

LISTED = 50
"""Jobs on the page, of each kind."""


def add_workers(app: FastAPI) -> None:
    """Add the path of the page."""
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
