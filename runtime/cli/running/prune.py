"""`flowc runs prune` and `flowc gc`: what of a store may go, and what is lost by it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ...assembly.lazy import open_engine
from ...assembly.sandbox_options import forget_own_folder
from ...errors import RunError
from ...store.cleanup import KEPT, PruneCriteria, Swept, duration, select_runs, sweep
from ...store.runs import RunRecord, RunStatus, open_store
from ...store.service_tables import kept_of
from .. import flags
from ..app import OK, plain_app, say
from ..screen import count_of
from ..stores import existing_store
from ..streams import print_result
from .runs import ago, list_runs

if TYPE_CHECKING:
    from ...checkpoints.tables.compaction import Dropped
    from ...engine.engine import Engine


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
            raise RunError(f"`{name}` is not a status of a run", help=f"one of {known}")
    age = duration(older_than) if older_than else None
    choice = PruneCriteria(age, tuple(status or ()), keep, everything)
    gone, beside = asyncio.run(_prune(existing_store(store), choice, dry_run))
    if as_json:
        print_result(
            {
                "dry_run": dry_run,
                "runs": [{"run": r.id, "status": r.status, "updated": r.updated} for r in gone],
                "service": {word: beside[word] for word in _BESIDE},
            }
        )
        return OK
    for record in gone:
        print(f"{record.id}  {record.status}  {ago(record.updated)}")
    done = "would be forgotten" if dry_run else "forgotten; `flowc gc` makes the store smaller"
    say(f"{count_of(len(gone), 'run')} {done}", *_service_lines(beside))
    return OK


def gc(
    history: Annotated[
        bool,
        typer.Option("--keep-history", help="drop only what happened inside nodes that are over"),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what would go; nothing is dropped")
    ] = False,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """Make the store smaller. Every run can still be resumed, and keeps its events, variables and
    result; earlier points of it are gone, unless --keep-history. What killed processes left goes
    too."""
    gone = asyncio.run(_gc(existing_store(store), not history, dry_run))
    if as_json:
        print_result(
            {
                "dry_run": dry_run,
                "bytes_before": gone.before,
                "bytes_after": gone.after,
                "dropped_inside": gone.dropped.inside,
                "dropped_history": gone.dropped.history,
                "leases": gone.swept.leases,
                "idempotency_keys": gone.swept.keys,
                "executions": gone.swept.executions,
                "folders": gone.swept.folders,
                "busy": list(gone.busy),
            }
        )
        return OK
    print(f"{gone.before:,} bytes" + (f" before, {gone.after:,} after" if not dry_run else ""))
    say(*_gc_lines(gone, history, "would go: " if dry_run else ""))
    return OK


_BESIDE = {
    "executions": "execution",
    "assignments": "assignment",
    "messages": "message",
    "readings": "reading",
    "prompts": "prompt",
}
"""What the service keeps of a run that is told of, and the word for one of it."""


def _service_lines(beside: Mapping[str, int]) -> Iterator[str]:
    """Yield what goes with the runs that are executions of the service."""
    told = [count_of(beside[word], one) for word, one in _BESIDE.items() if beside[word]]
    if told:
        yield f"  of the service with them: {', '.join(told)}"


@dataclass(frozen=True, slots=True)
class _Gone:
    """What `gc` did, or would do: bytes before and after, what went, runs that were left alone."""

    before: int
    after: int
    dropped: Dropped
    swept: Swept
    busy: tuple[str, ...]


def _gc_lines(gone: _Gone, history: bool, verb: str) -> Iterator[str]:
    dropped, swept = gone.dropped, gone.swept
    yield f"{verb}{count_of(dropped.inside, 'checkpoint')} inside nodes that are over"
    if not history:
        begin = "would begin" if verb else "now begin"
        yield (
            f"{verb}{count_of(dropped.history, 'checkpoint')} between nodes: `flowc history`,"
            f" `show --at` and `fork --at` {begin} at each run's last one"
        )
    if swept.folders:
        yield f"{verb}{count_of(swept.folders, 'private folder')} of processes that were killed"
    if swept.leases:
        yield f"{verb}{count_of(swept.leases, 'lease')} of processes that are gone"
    if swept.executions:
        yield (
            f"{verb}what the service kept of {count_of(swept.executions, 'execution')} whose run"
            " was forgotten"
        )
    if swept.keys:
        old = f"that got an answer more than {KEPT.days} days ago"
        yield f"{verb}{count_of(swept.keys, 'idempotency key')} {old}"
    if gone.busy:
        yield f"left alone, being executed: {', '.join(gone.busy)}"


async def _prune(
    url: str, choice: PruneCriteria, dry_run: bool
) -> tuple[tuple[RunRecord, ...], Counter[str]]:
    """Forget the chosen runs. Return them, and counts of what the service kept of them."""
    if dry_run:
        async with open_store(url) as kept:
            would = select_runs(await kept.list(), choice, datetime.now(UTC))
            return would, await kept_of(kept.db, [record.id for record in would])
    gone, beside = [], Counter[str]()
    async with open_engine(url) as engine:
        for record in select_runs(await engine.store.list(), choice, datetime.now(UTC)):
            own = await kept_of(engine.store.db, [record.id])
            if await _forget(engine, record):
                gone.append(record)
                beside += own
    return tuple(gone), beside


async def _forget(engine: Engine, record: RunRecord) -> bool:
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


async def _gc(url: str, history: bool, dry_run: bool) -> _Gone:
    from ...checkpoints.tables.compaction import Dropped

    async with open_engine(url) as engine:
        db: Any = engine.journal_db
        before = await db.size()
        dropped, busy = Dropped(), []
        for record in await engine.store.list():
            try:
                dropped += await engine.compact(record.id, history=history, dry_run=dry_run)
            except RunError:
                if record.id not in await engine.store.leases.held_among([record.id]):
                    raise
                busy.append(record.id)
        swept = await sweep(engine.store, dry_run=dry_run)
        if not dry_run:
            await db.shrink(alone=not busy)
        return _Gone(before, await db.size(), dropped, swept, tuple(busy))


runs = plain_app(help="The runs that are kept.", invoke_without_command=True)
runs.callback()(list_runs)
runs.command("prune")(prune)
