"""The paths of one execution: the page, what changes in it, its nodes, and what is done with it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from pydantic import BaseModel

from ..api.context import made, service_of
from ..contract import requests as asked
from ..operations.assignments import complete_step
from ..operations.control import answer_question, pause_workflow, resume_workflow
from ..operations.progress import standing_of
from ..records.errors import ServiceFault
from ..records.tables import StoredWorkflow
from . import forms, visiting
from .looking import Histories, Looked, look
from .node import detail_of
from .picture import Pictures
from .visiting import Visit, form_of, html, operate, visit_of

Visiting = Annotated[Visit, Depends(visit_of)]
Do = Callable[[], Awaitable[BaseModel]]


@dataclass(frozen=True, slots=True)
class Looking:
    """What the pages of one process remember."""

    histories: Histories = field(default_factory=Histories)
    pictures: Pictures = field(default_factory=Pictures)

    async def at(self, visit: Visit, id: str) -> Looked:
        """What there is to be seen of an execution. Raises `ServiceFault`."""
        executing = service_of(visit.request).executing
        standing = await standing_of(executing, visit.who, id)
        return await look(executing, standing, self.histories, self.pictures)


def add_executions(app: FastAPI, looking: Looking) -> None:
    """All of them."""
    _add_looking(app, looking)
    _add_acting(app, looking)


def _add_looking(app: FastAPI, looking: Looking) -> None:
    @app.get("/executions/{id}", include_in_schema=False)
    async def show(
        request: Request, visit: Visiting, id: asked.Id, node: int | None = None
    ) -> Response:
        return await _page(visit, looking, id, node=node)

    @app.get("/executions/{id}/live", include_in_schema=False)
    async def live(request: Request, visit: Visiting, id: asked.Id, after: int = 0) -> Response:
        """The parts that change, each with a digest: the script leaves alone what is the same."""
        looked = await looking.at(visit, id)
        return html(visit, "live.html", **_shown(looked), after=after)

    @app.get("/executions/{id}/nodes/{number}", include_in_schema=False)
    async def node(request: Request, visit: Visiting, id: asked.Id, number: int) -> Response:
        looked = await looking.at(visit, id)
        return html(visit, "node.html", detail=await _detail(visit, looking, looked, number), id=id)


def _add_acting(app: FastAPI, looking: Looking) -> None:
    @app.post("/executions/{id}/pause", include_in_schema=False)
    async def pause(request: Request, visit: Visiting, id: asked.Id) -> Response:
        form = await form_of(visit)
        given = {
            "execution_id": id,
            "pause_type": visiting.field(form, "pause_type") or "graceful",
            "pause_reason": visiting.field(form, "pause_reason"),
        }
        return await _act(visit, looking, form, pause_workflow, asked.PauseWorkflow, given)

    @app.post("/executions/{id}/resume", include_in_schema=False)
    async def resume(request: Request, visit: Visiting, id: asked.Id) -> Response:
        form = await form_of(visit)
        config = {name: True for name in ("reset_timeout", "update_deadlines") if form.get(name)}
        token = visiting.field(form, "resume_token")
        given = {"execution_id": id, "resume_token": token, "resume_config": config}
        return await _act(visit, looking, form, resume_workflow, asked.ResumeWorkflow, given)

    @app.post("/executions/{id}/completions", include_in_schema=False)
    async def complete(request: Request, visit: Visiting, id: asked.Id) -> Response:
        form = await form_of(visit)
        given = forms.completion_in(form, id)
        return await _act(visit, looking, form, complete_step, asked.CompleteStep, given)

    @app.post("/executions/{id}/answers", include_in_schema=False)
    async def answer(request: Request, visit: Visiting, id: asked.Id) -> Response:
        form = await form_of(visit)
        question = visiting.field(form, "question_id")

        async def do(executing: Any, caller: Any, body: Any) -> BaseModel:
            return await answer_question(executing, caller, id, question, body)

        return await _act(visit, looking, form, do, asked.AnswerQuestion, forms.answer_in(form))


async def _act(
    visit: Visit, looking: Looking, form: Any, do: Any, request: type[BaseModel], given: Any
) -> Response:
    """Do it, and show what came of it: the changed parts, or the whole page without the script."""
    body = made(request, given)
    executing = service_of(visit.request).executing
    id = visit.request.path_params["id"]

    async def once() -> BaseModel:
        answer: BaseModel = await do(executing, visit.who, body)
        return answer

    told = await operate(visit, form, given, once)
    done = visit.request.url.path.rpartition("/")[2]
    if "hx-request" in visit.request.headers:
        looked = await looking.at(visit, id)
        shown = {**_shown(looked), "after": forms.position_in(form)}
        return html(visit, "acted.html", **shown, told=told, done=done, fault=None)
    return await _page(visit, looking, id, told=told, done=done)


async def _page(
    visit: Visit, looking: Looking, id: str, node: int | None = None, **more: object
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
    shown = {"told": None, "done": "", "fault": None, **_shown(looked), **more}
    return html(visit, "execution.html", name=name, detail=detail, after=0, **shown)


async def _detail(visit: Visit, looking: Looking, looked: Looked, number: int) -> Any:
    """Raises `ServiceFault` for a node that there is not."""
    if not 0 <= number < len(looked.nodes):
        raise ServiceFault("INVALID_REQUEST", f"there is no node number {number}")
    executing = service_of(visit.request).executing
    events = await looking.histories.of(executing.engine.store, looked.standing.execution.id)
    return await detail_of(executing, looked.standing, events, looked.nodes[number])


def _shown(looked: Looked) -> dict[str, Any]:
    return {"id": looked.standing.execution.id, "look": looked, "digest": digest}


def digest(text: str) -> str:
    """Of a part of the page: the same as long as nothing in it changes."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
