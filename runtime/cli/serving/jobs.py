"""`flowc jobs`: what waits for the workers of a service, and what they could not do."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ...config.extras import require
from ...config.settings import load_config
from ...errors import RunError
from ...store.default_store import is_named
from .. import flags
from ..app import plain_app, say
from ..stores import existing_store

if TYPE_CHECKING:
    from ...service.operations.executions import Executing

Result = TypeVar("Result")
MOST = 100
Execution = Annotated[str, typer.Argument(metavar="EXECUTION", help="the id of an execution")]

jobs = plain_app(help="What waits for the workers of a service, and what they could not do.")


@jobs.command("list")
def list_jobs(
    most: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="so many that wait or failed")
    ] = MOST,
    as_json: flags.AsJson = False,
    store: flags.Store = None,
) -> None:
    """List executions that workers carry on, that wait for one, the next one first, and that
    failed by a fault of the service or of what is around it, with the reason.
    """
    from ...service.operations.backlog import list_backlog

    entries = _within(store, lambda executing: list_backlog(executing, most))
    if as_json:
        print(json.dumps({"jobs": [dataclasses.asdict(entry) for entry in entries]}))
        return
    if not entries:
        say("nothing waits, and nothing has failed")
    for entry in entries:
        print(f"{entry.execution}  {entry.state:6}  {entry.detail}")


@jobs.command("workers")
def list_workers(as_json: flags.AsJson = False, store: flags.Store = None) -> None:
    """List workers by name: whether each lives, what it carries on, its version and machine."""
    from ...service.contract.requests import Request
    from ...service.operations.backlog import list_workers
    from ...service.records.access import LOCAL

    found = _within(store, lambda executing: list_workers(executing, LOCAL, Request()))
    if as_json:
        print(json.dumps(found.model_dump(include={"workers", "teams"})))
        return
    if not found.workers:
        say("no worker has said that it lives")
    for one in found.workers:
        place = f"{one.host} {one.pid}  flowc {one.version}  {one.last_heartbeat}"
        print(f"{one.name}  {one.health:5}  {len(one.executions)} of {one.places}  {place}")


@jobs.command("retry")
def retry(execution: Execution, store: flags.Store = None) -> None:
    """Let a worker try an execution again that failed by a fault of the service, or a delivery that
    never arrived.
    """
    from ...service.operations.backlog import retry_job

    _within(store, lambda executing: retry_job(executing, execution))
    say(f"{execution} waits for a worker")


@jobs.command("drop")
def drop(
    delivery: Annotated[str, typer.Argument(metavar="DELIVERY", help="the id of a delivery")],
    store: flags.Store = None,
) -> None:
    """Forget a delivery to a webhook that never arrived."""
    from ...service.operations.backlog import drop_delivery

    _within(store, lambda executing: drop_delivery(executing, delivery))
    say(f"{delivery} is dropped")


@jobs.command("cancel")
def cancel(
    execution: Execution,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="is kept")] = "",
    store: flags.Store = None,
) -> None:
    """End an execution for good, after the steps under way."""
    from ...service.contract.requests import CancelExecution
    from ...service.operations.ending import cancel_execution
    from ...service.records.access import LOCAL

    asked = CancelExecution(reason=reason)
    _within(store, lambda executing: cancel_execution(executing, LOCAL, execution, asked))
    say(f"{execution} is cancelled")


def _within(store: str | None, do: Callable[[Executing], Awaitable[Result]]) -> Result:
    """Do something with the executions of a store. Raises `RunError`."""
    require("service", "the service")
    from ...service.records.errors import ServiceFault

    try:
        return asyncio.run(_open_and_do(existing_store(store), is_named(store), do))
    except ServiceFault as fault:
        raise RunError(fault.message, help="`flowc jobs list` names what waits or failed") from None


async def _open_and_do(
    url: str, named: bool, do: Callable[[Executing], Awaitable[Result]]
) -> Result:
    from ...service.operations.executions import open_executing
    from ...store.own_store import require_own_store

    async with open_executing(url, load_config(Path.cwd()), patience=0.0) as executing:
        if not named:
            await require_own_store(executing.engine.store)
        return await do(executing)
