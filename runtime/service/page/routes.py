"""The paths of the page: what there is, one workflow, teams, signing in. They fill `*.html`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any, get_args
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from flowc.compiler.ir import Workflow
from flowc.compiler.team import LONGEST_NAME, TEAM_TYPES

from ...errors import RunError
from ...state.parameters import JSON_TYPES
from ..api.context import read_request, service_of
from ..api.sessions import COOKIE, new_visit
from ..bodies.compile import require_valid, roles_of
from ..bodies.request_pool import POOL
from ..contract.documents import CONTRACT, TeamText, WorkflowText
from ..contract.requests import After, AssignmentQuery, ExecuteWorkflow, ExecutionStatus, Id
from ..operations.create import create_team, create_workflow, execute_workflow
from ..operations.lists import list_assignments, newest
from ..records.errors import ServiceFault
from ..records.tables import StoredExecution, StoredTeam, StoredWorkflow
from . import forms
from .checkpoint_routes import add_checkpoints
from .execution_routes import PageMemory, add_executions
from .execution_view import is_over
from .rows import Rows
from .search import Searching
from .visit import (
    SIGN_IN,
    PageVisit,
    SignedOut,
    Visiting,
    add_assets,
    form_of,
    html,
    leads_to,
    open_form_of,
    operate,
    set_cookie,
    visit_of,
)
from .workers import add_workers

PER_PAGE = 20
"""Executions on a page."""
LISTED = 100
"""Workflows and teams on a page."""


def add_page(app: FastAPI) -> None:
    """Add all paths of the page."""
    memory = PageMemory()
    add_assets(app)
    _add_home(app, Rows())
    _add_inbox(app)
    add_workers(app)
    _add_workflows(app, memory)
    _add_teams(app)
    _add_signing_in(app)
    add_executions(app, memory)
    add_checkpoints(app)


def is_page(request: Request) -> bool:
    """Return whether the request is for a page, not for the API."""
    path = request.url.path
    return not (path == "/v1" or path.startswith(("/v1/", "/static/")))


async def page_fault(request: Request, fault: ServiceFault, status: int) -> Response:
    """Return a fault as a page, or as a note on the page that sent the request."""
    try:
        visit = await visit_of(request)
    except (ServiceFault, RunError):
        visit = PageVisit(request, request.cookies.get(COOKIE, ""), False, None)
    partial = "hx-request" in request.headers
    answer = html(visit, "note.html" if partial else "fault.html", status, fault=fault, told=None)
    if "retry_after" in fault.details:
        answer.headers["Retry-After"] = str(int(fault.details["retry_after"]) + 1)
    return answer


async def signed_out(request: Request, fault: SignedOut) -> Response:
    """Lead to signing in, and back. The browser sends the cookie to its own site alone, so a
    request from another site is repeated from here first."""
    if request.headers.get("sec-fetch-site") == "cross-site" and request.method == "GET":
        again = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0">'
        return HTMLResponse(f'{again}<title>flowc</title><a href="">Go on</a>')
    place = request.url.path
    if request.method != "GET" or place.endswith("/live"):
        place = "/"
    there = f"{SIGN_IN}?next={quote(place)}" if place != "/" else SIGN_IN
    return leads_to(PageVisit(request, "", False, None), there)


def _add_home(app: FastAPI, rows: Rows) -> None:
    @app.get("/", include_in_schema=False)
    async def home(
        request: Request, visit: Visiting, search: Searching, after: After = ""
    ) -> Response:
        wanted = search.query(visit.executing.now())
        found = await newest(visit.executing, visit.who, wanted, PER_PAGE + 1, after)
        kept = visit.executing.register.each(StoredWorkflow, visit.who.owner, LISTED)
        workflows = [replace(w, source="") async for w in kept]
        names, teams = {w.id: w.name for w in workflows}, await _teams(visit)
        shown = found[:PER_PAGE]
        return html(
            visit,
            "home.html",
            rows=await rows.of(visit.executing, shown),
            names={
                one.id: names[one.workflow]
                for one in shown
                if isinstance(one, StoredExecution) and one.workflow in names
            },
            older=found[PER_PAGE - 1].id if len(found) > PER_PAGE else "",
            after=after,
            search=search,
            statuses=get_args(ExecutionStatus),
            workflows=workflows,
            teams=teams,
            people=[(t.name, a) for t in teams for a in t.agents if a.get("type") == "person"],
        )


def _add_inbox(app: FastAPI) -> None:
    @app.get("/inbox", include_in_schema=False)
    async def inbox(request: Request, visit: Visiting, after: After = "") -> Response:
        asked = AssignmentQuery(limit=PER_PAGE, after=after)
        listed = await list_assignments(visit.executing, visit.who, asked)
        return html(
            visit,
            "inbox.html",
            tasks=listed.assignments,
            older=listed.next_after,
            after=after,
            own=bool(visit.who.agents),
            now=visit.executing.clock(),
            is_over=is_over,
        )


async def _teams(visit: PageVisit) -> list[StoredTeam]:
    """Return the visitor's teams without their texts."""
    register = visit.executing.register
    return [replace(t, source="") async for t in register.each(StoredTeam, visit.who.owner, LISTED)]


def _add_workflows(app: FastAPI, memory: PageMemory) -> None:
    @app.get("/workflows/new", include_in_schema=False)
    async def new(request: Request, visit: Visiting) -> Response:
        visit.who.require("operate")
        return html(visit, "new_workflow.html", source="", file="", fault=None, found=[])

    @app.post("/workflows", include_in_schema=False)
    async def create(request: Request, visit: Visiting) -> Response:
        form = await form_of(visit)
        source, file = form.fields.get("source", ""), form.text("file_name")
        try:
            source, file = forms.workflow_in(form)
            text = WorkflowText(source=source, file_name=file)
            do = partial(create_workflow, visit.executing, visit.who, text)
            response = await operate(visit, form, do)
        except ServiceFault as fault:
            status = fault.details.get("validation_status") or {}
            diagnostics = status.get("diagnostics", [])
            shown = {"source": source, "file": file, "fault": fault, "found": diagnostics}
            # A thousand lines with their faults are many turns of a template.
            return await asyncio.to_thread(html, visit, "new_workflow.html", fault.status, **shown)
        return leads_to(visit, f"/workflows/{response['workflow_id']}")

    @app.get("/workflows/{id}", include_in_schema=False)
    async def show(request: Request, visit: Visiting, id: Id) -> Response:
        return await _workflow_page(visit, memory, id, None)

    @app.post("/workflows/{id}/executions", include_in_schema=False)
    async def start(request: Request, visit: Visiting, id: Id) -> Response:
        form = await form_of(visit)
        try:
            workflow = await visit.executing.register.get(StoredWorkflow, id, visit.who.owner)
            values = forms.start_in(form, id, (await _workflow_of(workflow)).params)
            body = read_request(ExecuteWorkflow, values)
            do = partial(execute_workflow, visit.executing, visit.who, body)
            response = await operate(visit, form, do)
        except ServiceFault as fault:
            return await _workflow_page(visit, memory, id, fault)
        return leads_to(visit, f"/executions/{response['execution_id']}")


async def _workflow_page(
    visit: PageVisit, memory: PageMemory, id: str, fault: ServiceFault | None
) -> Response:
    stored = await visit.executing.register.get(StoredWorkflow, id, visit.who.owner)
    workflow = await _workflow_of(stored)
    svg, _ = await memory.pictures.draw(workflow)
    return html(
        visit,
        "workflow.html",
        fault.status if fault else 200,
        fault=fault,
        stored=stored,
        workflow=workflow,
        svg=svg,
        params=workflow.params,
        json_types=JSON_TYPES,
        roles=roles_of(workflow),
        teams=await _teams(visit),
        is_contract=stored.file == CONTRACT,
    )


async def _workflow_of(stored: StoredWorkflow) -> Workflow:
    result = require_valid(await POOL.compile(stored.source, stored.file, stored.format))
    assert result.workflow is not None
    return result.workflow


_TEAM_FORM: dict[str, Any] = {
    "agents": forms.AGENTS,
    "kinds": TEAM_TYPES,
    "longest_name": LONGEST_NAME,
}


def _add_teams(app: FastAPI) -> None:
    @app.get("/teams/new", include_in_schema=False)
    async def new(request: Request, visit: Visiting, roles: str = "") -> Response:
        visit.who.require("operate")
        given = {f"role_{n}": role for n, role in enumerate(roles.split(",")[: forms.AGENTS], 1)}
        return html(visit, "new_team.html", fault=None, given=given, **_TEAM_FORM)

    @app.post("/teams", include_in_schema=False)
    async def create(request: Request, visit: Visiting) -> Response:
        form = await form_of(visit)
        body = forms.team_in(form)
        do = partial(create_team, visit.executing, visit.who, TeamText(source=body))
        try:
            await operate(visit, form, do)
        except ServiceFault as fault:
            shown = {"fault": fault, "given": form.fields, **_TEAM_FORM}
            return html(visit, "new_team.html", fault.status, **shown)
        return leads_to(visit, "/#teams")


def _add_signing_in(app: FastAPI) -> None:
    @app.get(SIGN_IN, include_in_schema=False)
    async def ask(request: Request, visit: Visiting, next: str = "/") -> Response:
        return html(visit, "sign_in.html", fault=None, next=_own(next))

    @app.post(SIGN_IN, include_in_schema=False)
    async def sign_in(request: Request, visit: Visiting) -> Response:
        form = await open_form_of(visit)
        service = service_of(request)
        try:
            value = await service.sessions.open(form.text("token"), service.executing.clock())
        except ServiceFault as fault:
            there = _own(form.text("next"))
            return html(visit, "sign_in.html", fault.status, fault=fault, next=there)
        answer = leads_to(visit, _own(form.text("next")))
        set_cookie(request, answer, value)
        return answer

    @app.post("/sign-out", include_in_schema=False)
    async def sign_out(request: Request, visit: Visiting) -> Response:
        await open_form_of(visit)
        await service_of(request).sessions.close(visit.value)
        answer = leads_to(visit, SIGN_IN)
        set_cookie(request, answer, new_visit())
        return answer


def _own(place: str) -> str:
    """Return a path of ours, never an address elsewhere."""
    return place if place.startswith("/") and not place.startswith(("//", "/\\")) else "/"
