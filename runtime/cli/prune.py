"""`flowc runs prune` and `flowc gc`: what of a store may go, and what is lost by it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Any, get_args

import typer

from ..compaction import Dropped
from ..confining import forget_own_folder
from ..engine import Engine, open_engine
from ..errors import RunError
from ..pruning import Choice, chosen, duration
from ..store import RunRecord, RunStatus, open_store
from . import flags
from .app import OK, plain_app, say
from .outcomes import SCHEMA_VERSION, print_json
from .runs import ago, list_runs
from .screen import count_of
from .stores import existing_store


def listed(
    context: typer.Context, store: flags.Store = None, as_json: flags.AsJson = False
) -> None:
    """The runs that are kept, the one that changed last first."""
    if context.invoked_subcommand is None:
        list_runs(store, as_json)


def prune(
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="that changed before 30d, 12h, 90min ago"),
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="STATUS", help="that are success, failed, paused, …"),
    ] = None,
    keep: Annotated[
        int, typer.Option("--keep", metavar="N", min=0, help="but not the N that changed last")
    ] = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="those too that could be resumed")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="show which would go; nothing is forgotten")
    ] = False,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """Forget runs with everything that is kept of them. Those that can be resumed stay, unless
    --all says otherwise; one that is being executed always stays."""
    if older_than is None and not status and not keep:
        raise RunError(
            "which runs are to be forgotten?",
            help="--older-than 30d, --status failed, --keep 100, or several of them",
        )
    for name in status or ():
        if name not in get_args(RunStatus):
            known = ", ".join(get_args(RunStatus))
            raise RunError(f"`{name}` is no status of a run", help=f"one of {known}")
    age = duration(older_than) if older_than else None
    choice = Choice(age, tuple(status or ()), keep, everything)
    gone = asyncio.run(_prune(existing_store(store), choice, dry_run))
    if as_json:
        runs_gone = [{"run": r.id, "status": r.status, "updated": r.updated} for r in gone]
        print_json({"schema_version": SCHEMA_VERSION, "dry_run": dry_run, "runs": runs_gone})
        return OK
    for record in gone:
        print(f"{record.id}  {record.status}  {ago(record.updated)}")
    done = "would be forgotten" if dry_run else "forgotten; `flowc gc` makes the store smaller"
    say(f"{count_of(len(gone), 'run')} {done}")
    return OK


def gc(
    history: Annotated[
        bool,
        typer.Option("--keep-history", help="drop only what happened inside nodes that are over"),
    ] = False,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """Make the store smaller. Every run can still be resumed, and keeps its events, variables and
    result; earlier points of it are gone, unless --keep-history."""
    before, after, dropped, busy = asyncio.run(_gc(existing_store(store), not history))
    if as_json:
        print_json(
            {
                "schema_version": SCHEMA_VERSION,
                "bytes_before": before,
                "bytes_after": after,
                "dropped_inside": dropped.inside,
                "dropped_history": dropped.history,
                "busy": list(busy),
            }
        )
        return OK
    print(f"{before:,} bytes before, {after:,} after")
    say(f"{count_of(dropped.inside, 'checkpoint')} inside nodes that are over")
    if not history:
        say(
            f"{count_of(dropped.history, 'checkpoint')} between nodes: `flowc history`, `show --at`"
            " and `fork --at` now begin at each run's last one"
        )
    if busy:
        say(f"left alone, being executed: {', '.join(busy)}")
    return OK


async def _prune(url: str, choice: Choice, dry_run: bool) -> tuple[RunRecord, ...]:
    if dry_run:
        async with open_store(url) as kept:
            return chosen(await kept.list(), choice, datetime.now(UTC))
    async with open_engine(url) as engine:
        gone = chosen(await engine.store.list(), choice, datetime.now(UTC))
        return tuple([record for record in gone if await _forgotten(engine, record)])


async def _forgotten(engine: Engine, record: RunRecord) -> bool:
    """Whether the run is gone now; one that somebody began to execute a moment ago is not."""
    try:
        await engine.delete(record.id)
    except RunError:
        if record.id in await engine.store.leases.held_among([record.id]):
            return False
        raise
    if record.options.get("own"):
        forget_own_folder(str(record.options["own"]))
    return True


async def _gc(url: str, history: bool) -> tuple[int, int, Dropped, tuple[str, ...]]:
    async with open_engine(url) as engine:
        db: Any = engine.journal_db
        before = await db.size()
        dropped, busy = Dropped(), []
        for record in await engine.store.list():
            try:
                dropped += await engine.compact(record.id, history=history)
            except RunError:
                if record.id not in await engine.store.leases.held_among([record.id]):
                    raise
                busy.append(record.id)
        await db.shrink(alone=not busy)
        return before, await db.size(), dropped, tuple(busy)


runs = plain_app(help="The runs that are kept.", invoke_without_command=True)
runs.callback()(listed)
runs.command("prune")(prune)
