"""The paths of one execution: its page, its changes, its nodes, and the forms on it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.responses import Response

from ..api.context import read_request
from ..api.routes import function_of
from ..bodies.read_body import SentForm
from ..contract.operations import operation_of
from ..contract.requests import Id
from ..operations.dispatch import look_at
from ..records.errors import ServiceFault
from ..records.tables import StoredWorkflow
from . import forms
from .execution_view import ExecutionView, Histories, Pictures, look
from .node import detail_of
from .visit import PageVisit, Visiting, form_of, html, operate

_FORMS: dict[str, tuple[str, Callable[[SentForm], dict[str, Any]]]] = {
    "pause": ("PAUSE_WORKFLOW", forms.pause_in),
    "resume": ("RESUME_WORKFLOW", forms.resume_in),
    "cancel": ("cancel_execution", forms.cancel_in),
    "resume-token": ("reissue_resume_token", forms.nothing_in),
    "completions": ("COMPLETE_STEP", forms.completion_in),
    "answers": ("answer_question", forms.answer_in),
}
"""The forms on the page: the end of the path, the operation, and how a form becomes its request."""


@dataclass(frozen=True, slots=True)
class PageMemory:
    """Events and pictures that the pages of one process remember."""

    histories: Histories = field(default_factory=Histories)
    pictures: Pictures = field(default_factory=Pictures)

    async def at(self, visit: PageVisit, id: str) -> ExecutionView:
        """Return the view of an execution. Raises `ServiceFault`."""
        standing = await look_at(visit.executing, visit.who, id)
        return await look(visit.executing, standing, self.histories, self.pictures)


Have = Annotated[str, Query(max_length=400)]
"""Digests of parts, with points between them."""


def add_executions(app: FastAPI, memory: PageMemory) -> None:
    """Add the paths of one execution."""
    _add_views(app, memory)
    for path in _FORMS:
        place = f"/executions/{{id}}/{path}"
        app.post(place, include_in_schema=False)(_endpoint(path, memory))


def _add_views(app: FastAPI, memory: PageMemory) -> None:
    @app.get("/executions/{id}", include_in_schema=False)
    async def show(visit: Visiting, id: Id, node: int | None = None) -> Response:
        return await _page(visit, memory, id, node=node)

    @app.get("/executions/{id}/live", include_in_schema=False)
    async def live(visit: Visiting, id: Id, after: int = 0, have: Have = "") -> Response:
        """Return the parts whose digests are not among those that the browser has."""
        view = await memory.at(visit, id)
        shown = {**_values(view), "have": frozenset(have.split("."))}
        return html(visit, "live.html", **shown, after=after)

    @app.get("/executions/{id}/nodes/{number}", include_in_schema=False)
    async def node(visit: Visiting, id: Id, number: int) -> Response:
        view = await memory.at(visit, id)
        return html(visit, "node.html", detail=await _detail(visit, memory, view, number), id=id)


def _endpoint(path: str, memory: PageMemory) -> Callable[..., Awaitable[Response]]:
    """Return what does the operation of a form, and shows the parts that changed, or the whole page
    without the script."""
    name, request_in = _FORMS[path]
    row = operation_of(name)

    async def act(visit: Visiting, id: Id) -> Response:
        form = await form_of(visit)
        if row.scope is not None:
            visit.who.require(row.scope)
        values = request_in(form)
        body = read_request(row.request, values)
        beside = [form.text(name) for name in row.path_names if name != "execution_id"]
        do = partial(function_of(row), visit.executing, visit.who, id, *beside, body)
        response = await operate(visit, form, do)
        if "hx-request" in visit.request.headers:
            shown = {**_values(await memory.at(visit, id)), "after": forms.position_in(form)}
            return html(visit, "acted.html", **shown, told=response, done=path, fault=None)
        return await _page(visit, memory, id, told=response, done=path)

    return act


async def _page(
    visit: PageVisit, memory: PageMemory, id: str, node: int | None = None, **more: object
) -> Response:
    view = await memory.at(visit, id)
    workflow, source = view.standing.workflow, view.standing.execution.workflow
    try:
        name = (await visit.executing.register.get(StoredWorkflow, source, visit.who.owner)).name
    except ServiceFault:
        name = workflow.title or workflow.name
    detail = None if node is None else await _detail(visit, memory, view, node)
    shown = {"told": None, "done": "", "fault": None, **_values(view), **more}
    return html(visit, "execution.html", name=name, detail=detail, after=0, **shown)


async def _detail(visit: PageVisit, memory: PageMemory, view: ExecutionView, number: int) -> Any:
    """Return a node's details. Raises `ServiceFault` when there is no such node."""
    if not 0 <= number < len(view.nodes):
        raise ServiceFault("INVALID_REQUEST", f"there is no node number {number}")
    store = visit.executing.engine.store
    events = await memory.histories.of(store, view.standing.execution.id)
    return await detail_of(visit.executing, view.standing, events, view.nodes[number])


def _values(view: ExecutionView) -> dict[str, Any]:
    return {
        "id": view.standing.execution.id,
        "look": view,
        "digest": digest,
        "have": frozenset[str](),
    }


def digest(text: str) -> str:
    """Return a digest of a part of the page."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
