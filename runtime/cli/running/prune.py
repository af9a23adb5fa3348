"""`flowc runs prune` and `flowc gc`: what of a store may go, and what is lost by it."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...assembly.lazy import open_engine
from ...assembly.sandbox_options import forget_own_folder
from ...db.database import AT_ONCE
from ...errors import RunError, StoreFailed
from ...store.cleanup import KEPT, PruneCriteria, Swept, select_runs, sweep
from ...store.listing import RunList, RunSummary, duration
from ...store.runs import RunStore, open_store
from ...store.service_tables import kept_of
from .. import flags
from ..app import INTERRUPTED, OK, plain_app, say
from ..screen import Screen, count_of, screen_on
from ..stores import existing_store
from ..streams import print_result
from .runs import ago, list_runs

if TYPE_CHECKING:
    from ...checkpoints.tables.compaction import Dropped
    from ...engine.engine import Engine


_BAR = 30
"""Columns of the bar that shows how far it is."""


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
    age = duration(older_than) if older_than else None
    choice = PruneCriteria(age, tuple(status or ()), keep, everything)
    pruned, code = _Pruned(screen_on(sys.stderr)), OK
    try:
        asyncio.run(_prune(existing_store(store), choice, dry_run, pruned))
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        pruned.screen.settle()
    if as_json:
        print_result(
            {
                "dry_run": dry_run,
                "runs": [{"run": id, "status": word, "updated": t} for id, word, t in pruned.runs],
                "service": {word: pruned.beside[word] for word in _BESIDE},
            }
        )
        return code
    _print(pruned, "interrupted: " if code else "", dry_run)
    return code


def _print(pruned: _Pruned, stopped: str, dry_run: bool) -> None:
    for id, word, updated in pruned.runs:
        print(f"{id}  {word}  {ago(updated)}")
    done = "would be forgotten" if dry_run else "forgotten; `flowc gc` makes the store smaller"
    say(f"{stopped}{count_of(len(pruned.runs), 'run')} {done}", *_service_lines(pruned.beside))


@dataclass(slots=True)
class _Pruned:
    """What `prune` has forgotten: id, status and time of each run, what the service kept of them.
    On a terminal the screen shows how far it is."""

    screen: Screen
    runs: list[tuple[str, str, str]] = field(default_factory=list)
    beside: Counter[str] = field(default_factory=Counter)

    def add(self, some: Iterable[RunSummary], beside: Counter[str]) -> None:
        self.runs += [(run.id, run.status, run.updated) for run in some]
        self.beside += beside

    def show(self, all_runs: int) -> None:
        done = len(self.runs)
        full = _BAR * done // max(all_runs, 1)
        bar = f"[{'#' * full}{'.' * (_BAR - full)}]"
        self.screen.update((), [f"{bar} {done:,} of {count_of(all_runs, 'run')}"])


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
                "unread": list(gone.unread),
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
    "happenings": "happening",
}
"""What the service keeps of a run that is told of, and the word for one of it."""


def _service_lines(beside: Mapping[str, int]) -> Iterator[str]:
    """Yield what goes with the runs that are executions of the service."""
    told = [count_of(beside[word], one) for word, one in _BESIDE.items() if beside[word]]
    if told:
        yield f"  of the service with them: {', '.join(told)}"


@dataclass(frozen=True, slots=True)
class _Gone:
    """What `gc` did, or would do: bytes before and after, what went, runs that were left alone, and
    why others were that cannot be read."""

    before: int
    after: int
    dropped: Dropped
    swept: Swept
    busy: tuple[str, ...]
    unread: tuple[str, ...]


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
    yield from (f"left alone: {why}" for why in gone.unread)


async def _prune(url: str, choice: PruneCriteria, dry_run: bool, pruned: _Pruned) -> None:
    """Forget the chosen runs, the one that changed last first, some at a time."""
    if dry_run:
        async with open_store(url) as kept:
            async for some in _batches(kept.listing, choice, pruned):
                pruned.add(some, await kept_of(kept.db, [run.id for run in some]))
        return
    async with open_engine(url) as engine:
        async for some in _batches(engine.store.listing, choice, pruned):
            forgetting = asyncio.ensure_future(_forget(engine, some, pruned))
            try:
                await asyncio.shield(forgetting)
            except asyncio.CancelledError:  # Ctrl-C: what was begun is done, and told
                await asyncio.wait([forgetting])
                raise


async def _batches(
    listing: RunList, choice: PruneCriteria, pruned: _Pruned
) -> AsyncIterator[Sequence[RunSummary]]:
    """Yield the runs that meet the criteria, some at a time."""
    wanted = await select_runs(listing, choice, datetime.now(UTC))
    if wanted is None:
        return
    all_runs = await listing.count(wanted)
    while some := await listing.page(wanted, AT_ONCE):
        pruned.show(all_runs)
        yield some
        wanted = replace(wanted, before=(some[-1].updated, some[-1].id))


async def _forget(engine: Engine, some: Sequence[RunSummary], pruned: _Pruned) -> None:
    """Forget those of the runs that nobody began to execute a moment ago."""
    counts = await kept_of(engine.store.db, [run.id for run in some])
    own = [run.id for run in some if run.own and await _is_own(engine.store, run.id)]
    gone = set(await engine.forget([run.id for run in some]))
    for run in some:
        if run.id in gone and run.id in own:
            await asyncio.to_thread(forget_own_folder, run.own)
    left = [run.id for run in some if run.id not in gone]
    pruned.add(
        [run for run in some if run.id in gone], counts - await kept_of(engine.store.db, left)
    )


async def _is_own(store: RunStore, run: str) -> bool:
    """Return whether a run is the user's own; one that cannot be read is nobody's."""
    try:
        return (await store.get(run)).signature is None
    except StoreFailed:
        raise
    except RunError:
        return False


async def _gc(url: str, history: bool, dry_run: bool) -> _Gone:
    from ...checkpoints.tables.compaction import Dropped

    async with open_engine(url) as engine:
        db: Any = engine.journal_db
        before = await db.size()
        dropped, busy, unread = Dropped(), list[str](), list[str]()
        for run in sorted(await engine.store.ids()):
            try:
                dropped += await engine.compact(run, history=history, dry_run=dry_run)
            except StoreFailed:
                raise
            except RunError as error:
                held = await engine.store.leases.held_among([run])
                busy += held
                unread += [error.message] * (not held)
        swept = await sweep(engine.store, dry_run=dry_run)
        after = before
        if not dry_run:
            await db.shrink(alone=not busy)
            after = await db.size()
        return _Gone(before, after, dropped, swept, tuple(busy), tuple(unread))


runs = plain_app(help="The runs that are kept.", invoke_without_command=True)
runs.callback()(list_runs)
runs.command("prune")(prune)
