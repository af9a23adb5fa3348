"""A call of a tool: who made it, and the run that it is about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context

from ..state.step_reports import ReportFault
from ..stepper.stepper import Stepper
from .clients import Clients, McpClient, client_of
from .runs import Progress, Runs


@dataclass(frozen=True, slots=True)
class Desk:
    """The state of the server's tools. `alone`: it has one client, over stdio. `inbox` asks a
    service what waits for a person."""

    stepper: Stepper
    alone: bool
    clients: Clients
    inbox: Callable[[int, str], Awaitable[dict[str, Any]]] | None = None


def desk_of(ctx: Context[Desk]) -> Desk:
    """Return the state of the server's tools."""
    return ctx.request_context.lifespan_context


def runs_of(ctx: Context[Desk]) -> Runs:
    """Return the runs that flowc executes."""
    stepper = desk_of(ctx).stepper
    return Runs(stepper.engine, stepper.config, stepper.folder, stepper.new_run)


def progress_of(ctx: Context[Desk]) -> Progress:
    """Return what tells the caller of every node that ends."""

    async def progress(done: int, node: str) -> None:
        await ctx.report_progress(done, None, node)

    return progress


@asynccontextmanager
async def stepping(
    ctx: Context[Desk], run: str | None, take_over: bool = False
) -> AsyncIterator[tuple[Stepper, str]]:
    """As `position_of`, for a call that goes on with the run: one at a time, by the client that
    steps it. Raises `ReportFault` while another client does."""
    clients = desk_of(ctx).clients
    stepper, key = await position_of(ctx, run)
    if key not in stepper.loaded:  # the stepper says so
        yield stepper, key
        return
    async with clients.alone(stepper.loaded[key].run):
        await clients.require(caller_of(ctx), stepper.loaded[key].run, take_over=take_over)
        yield stepper, key
        clients.note_call(stepper.loaded[key].run)


async def position_of(ctx: Context[Desk], run: str | None) -> tuple[Stepper, str]:
    """The stepper, and under which name it knows what the call is about: the run's, or that of
    the client, who has one at a time. A run that this server does not know yet is taken up."""
    desk, client = desk_of(ctx), caller_of(ctx)
    stepper = desk.stepper
    if run is None and not client.known:
        raise ReportFault(
            "no workflow loaded",
            "not_loaded",
            "without a session every call names its run: pass the `run` that load_workflow"
            " answered, or load a workflow first",
        )
    key = run if run is not None else client.label
    if key not in stepper.loaded:
        taken = run if run is not None else await desk.clients.last_of(client)
        if taken is not None:
            await stepper.go_on(key, taken)
    return stepper, key


def caller_of(ctx: Context[Desk]) -> McpClient:
    """Who calls."""
    parameters = ctx.request_context.session.client_params
    session = (ctx.headers or {}).get("mcp-session-id")
    return client_of(parameters.client_info if parameters else None, session, desk_of(ctx).alone)
