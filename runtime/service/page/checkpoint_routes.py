"""The paths of checkpoints: what an execution was at each, and a branch from one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from fastapi import FastAPI
from fastapi.responses import Response

from ..api.context import read_request
from ..api.routes import function_of
from ..contract.operations import operation_of
from ..contract.requests import Id
from ..operations.past.checkpoints import Past, look_back
from ..records.errors import ServiceFault
from .checkpoint_view import FIELD, CheckpointPage, text_of, values_in, view_of
from .execution_view import fork_command
from .visit import PageVisit, Visiting, form_of, html, leads_to, operate

_FORK = operation_of("fork_execution")


def add_checkpoints(app: FastAPI) -> None:
    """Add the paths."""

    @app.get("/executions/{id}/checkpoints", include_in_schema=False)
    async def latest(visit: Visiting, id: Id, before: str = "") -> Response:
        """Show the latest checkpoint, or the latest before a step, if there is one."""
        past = await look_back(visit.executing, visit.who, id)
        steps = [one for one in past.listed if before in one.next and not one.calls]
        at = [*steps, *past.listed][:1]
        return await _page(visit, past, at[0].checkpoint_id if at else "")

    @app.get("/executions/{id}/checkpoints/{checkpoint}", include_in_schema=False)
    async def one(visit: Visiting, id: Id, checkpoint: Id) -> Response:
        return await _page(visit, await look_back(visit.executing, visit.who, id), checkpoint)

    @app.get("/executions/{id}/checkpoints/{checkpoint}/value", include_in_schema=False)
    async def whole(visit: Visiting, id: Id, checkpoint: Id, name: str) -> Response:
        found = (await look_back(visit.executing, visit.who, id)).checkpoint(checkpoint)
        variable = next((one for one in found.variables if one.name == name), None)
        if variable is None:
            raise ServiceFault("INVALID_REQUEST", f"there is no variable `{name[:200]}`")
        shown = partial(html, id=id, chosen=found.checkpoint, variable=variable)
        # A megabyte takes a template milliseconds, in which the event loop answers nobody.
        return await asyncio.to_thread(shown, visit, "value.html", text=text_of(variable))

    @app.post("/executions/{id}/checkpoints/{checkpoint}/forks", include_in_schema=False)
    async def fork(visit: Visiting, id: Id, checkpoint: Id) -> Response:
        form = await form_of(visit)
        past = await look_back(visit.executing, visit.who, id)
        view = view_of(past, checkpoint, await visit.executing.workflow_of(past.execution))
        values, faults = values_in(form, view.variables)
        told: ServiceFault | None = None
        if not faults:
            body = read_request(_FORK.request, {"at": checkpoint, "variables": values})
            do = partial(function_of(_FORK), visit.executing, visit.who, id, body)
            try:
                made = await operate(visit, form, do)
                return leads_to(visit, f"/executions/{made['execution_id']}")
            except ServiceFault as fault:
                told, faults = fault, fault.details.get("variables") or {}
        texts = {one.name: form.fields.get(FIELD + one.name, "") for one in view.variables}
        status = told.status if told is not None else 422
        return await _page(visit, past, checkpoint, status, told=told, faults=faults, texts=texts)


async def _page(
    visit: PageVisit,
    past: Past,
    at: str,
    status: int = 200,
    told: ServiceFault | None = None,
    faults: Mapping[str, str] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Response:
    """Return the page of a checkpoint; of one that could not be branched off from with what was
    typed there and what is wrong with it."""
    workflow = await visit.executing.workflow_of(past.execution)
    look = view_of(past, at, workflow) if at else None
    if look is not None and texts is not None:
        look = _with_texts(look, texts, faults or {})
    shown = partial(
        html,
        id=past.execution.id,
        fork=fork_command(visit.executing, past.execution),
        name=workflow.title or workflow.name,
        fault=None if faults else told,
        faults=faults or {},
        field=FIELD,
        look=look,
        told=None,
    )
    return await asyncio.to_thread(shown, visit, "checkpoints.html", status)


def _with_texts(
    view: CheckpointPage, texts: Mapping[str, str], faults: Mapping[str, str]
) -> CheckpointPage:
    """Return the view with what was typed."""
    variables = [
        replace(one, draft=texts[one.name], fault=faults.get(one.name, ""))
        for one in view.variables
    ]
    return replace(view, variables=variables)
