"""The paths of one execution: its page, its changes, its nodes, and the forms on it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from pydantic import BaseModel

from ..api.context import read_request, service_of
from ..contract import requests
from ..contract.requests import Id
from ..operations.assignments import complete_step
from ..operations.control import answer_question, pause_workflow, resume_workflow
from ..operations.dispatch import standing_of
from ..records.errors import ServiceFault
from ..records.tables import StoredWorkflow
from . import forms
from . import visit as visiting
from .execution_view import ExecutionView, Histories, Pictures, look
from .node import detail_of
from .visit import PageVisit, form_of, html, operate, visit_of

Visiting = Annotated[PageVisit, Depends(visit_of)]
Do = Callable[[], Awaitable[BaseModel]]


@dataclass(frozen=True, slots=True)
class PageMemory:
    """Events and pictures that the pages of one process remember."""

    histories: Histories = field(default_factory=Histories)
    pictures: Pictures = field(default_factory=Pictures)

    async def at(self, visit: PageVisit, id: str) -> ExecutionView:
        """Return the view of an execution. Raises `ServiceFault`."""
        executing = service_of(visit.request).executing
        standing = await standing_of(executing, visit.who, id)
        return await look(executing, standing, self.histories, self.pictures)


def add_executions(app: FastAPI, looking: PageMemory) -> None:
    """Add the paths of one execution."""
    _add_looking(app, looking)
    _add_acting(app, looking)


def _add_looking(app: FastAPI, looking: PageMemory) -> None:
    @app.get("/executions/{id}", include_in_schema=False)
    async def show(request: Request, visit: Visiting, id: Id, node: int | None = None) -> Response:
        return await _page(visit, looking, id, node=node)

    @app.get("/executions/{id}/live", include_in_schema=False)
    async def live(request: Request, visit: Visiting, id: Id, after: int = 0) -> Response:
        """Return the parts that change, with digests: the script leaves alone what is the same."""
        looked = await looking.at(visit, id)
        return html(visit, "live.html", **_view(looked), after=after)

    @app.get("/executions/{id}/nodes/{number}", include_in_schema=False)
    async def node(request: Request, visit: Visiting, id: Id, number: int) -> Response:
        looked = await looking.at(visit, id)
        return html(visit, "node.html", detail=await _detail(visit, looking, looked, number), id=id)


def _add_acting(app: FastAPI, looking: PageMemory) -> None:
    @app.post("/executions/{id}/pause", include_in_schema=False)
    async def pause(request: Request, visit: Visiting, id: Id) -> Response:
        form = await form_of(visit)
        values = {
            "pause_type": visiting.field(form, "pause_type") or "graceful",
            "pause_reason": visiting.field(form, "pause_reason"),
        }
        return await _act(visit, looking, form, pause_workflow, requests.PauseWorkflowBody, values)

    @app.post("/executions/{id}/resume", include_in_schema=False)
    async def resume(request: Request, visit: Visiting, id: Id) -> Response:
        form = await form_of(visit)
        config = {name: True for name in ("reset_timeout", "update_deadlines") if form.get(name)}
        values = {"resume_token": visiting.field(form, "resume_token"), "resume_config": config}
        return await _act(
            visit, looking, form, resume_workflow, requests.ResumeWorkflowBody, values
        )

    @app.post("/executions/{id}/completions", include_in_schema=False)
    async def complete(request: Request, visit: Visiting, id: Id) -> Response:
        form = await form_of(visit)
        values = forms.completion_in(form)
        return await _act(visit, looking, form, complete_step, requests.CompleteStepBody, values)

    @app.post("/executions/{id}/answers", include_in_schema=False)
    async def answer(request: Request, visit: Visiting, id: Id) -> Response:
        form = await form_of(visit)
        question = visiting.field(form, "question_id")
        values = forms.answer_in(form)
        return await _act(
            visit, looking, form, answer_question, requests.AnswerQuestion, values, question
        )


async def _act(
    visit: PageVisit,
    looking: PageMemory,
    form: Any,
    function: Any,
    model: type[BaseModel],
    values: Any,
    *place: str,
) -> Response:
    """Do what a form asks for. Return the parts that changed, or the whole page without the
    script."""
    body = read_request(model, values)
    executing = service_of(visit.request).executing
    id = visit.request.path_params["id"]
    do = partial(function, executing, visit.who, id, *place, body)
    told = await operate(visit, form, values, do)
    done = visit.request.url.path.rpartition("/")[2]
    if "hx-request" in visit.request.headers:
        looked = await looking.at(visit, id)
        shown = {**_view(looked), "after": forms.position_in(form)}
        return html(visit, "acted.html", **shown, told=told, done=done, fault=None)
    return await _page(visit, looking, id, told=told, done=done)


async def _page(
    visit: PageVisit, looking: PageMemory, id: str, node: int | None = None, **more: object
) -> Response:
    looked = await looking.at(visit, id)
    executing = service_of(visit.request).executing
    execution = looked.standing.execution
    try:
        kept = await executing.register.get(StoredWorkflow, execution.workflow, visit.who.owner)
        name = kept.name
    except ServiceFault:
        name = looked.standing.workflow.title or looked.standing.workflow.name
    detail = None if node is None else await _detail(visit, looking, looked, node)
    shown = {"told": None, "done": "", "fault": None, **_view(looked), **more}
    return html(visit, "execution.html", name=name, detail=detail, after=0, **shown)


async def _detail(visit: PageVisit, looking: PageMemory, looked: ExecutionView, number: int) -> Any:
    """Return a node's details. Raises `ServiceFault` when there is no such node."""
    if not 0 <= number < len(looked.nodes):
        raise ServiceFault("INVALID_REQUEST", f"there is no node number {number}")
    executing = service_of(visit.request).executing
    events = await looking.histories.of(executing.engine.store, looked.standing.execution.id)
    return await detail_of(executing, looked.standing, events, looked.nodes[number])


def _view(looked: ExecutionView) -> dict[str, Any]:
    return {"id": looked.standing.execution.id, "look": looked, "digest": digest}


def digest(text: str) -> str:
    """Return a digest of a part of the page."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
