"""`flowc runs`, `flowc show`, `flowc history`, `flowc fork`: what ran, and branches of it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from flowc.compiler.lowering.serde import load_spec
from flowc.compiler.source.source import SourceSet

from ...assembly.inputs import type_changes
from ...assembly.lazy import open_engine
from ...budget.ledger import Ledger, usage_of
from ...charges import Usage
from ...events import RunEvent
from ...store.default_store import resume_command
from ...store.listing import ALL_RUNS, RunFilter, RunSummary, read_filter
from ...store.names import new_run_name
from ...store.runs import RunRecord, open_store
from .. import flags
from ..app import OK, say
from ..screen import Screen, Tone, count_of, one_line, screen_on
from ..show.failures import failure_lines
from ..show.narrate import Narrator
from ..show.outcomes import question_object, result_text, usage_of_calls
from ..show.questions import question_lines
from ..stores import existing_store
from ..streams import print_result

if TYPE_CHECKING:
    from ...engine.fork import RunState
    from ...graph.history import CheckpointView

_TONES: dict[str, Tone] = {
    "success": "good", "failed": "bad", "error": "bad", "crashed": "bad", "paused": "ask",
    "running": "strong",
}  # fmt: skip
_HIDDEN = ("spec", "place")
"""Parts of a record that `--json` leaves out: the whole lowered program."""


def list_runs(
    context: typer.Context,
    status: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="STATUS", help="paused, paused,failed, …"),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="that changed since 2h ago, 3d ago, a date"),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="TIME", help="that changed before; the next page"),
    ] = None,
    workflow: Annotated[
        str | None,
        typer.Option("--workflow", metavar="NAME", help="of the workflow, or file, of this name"),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1_000_000, help="this many at most")
    ] = 50,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """The runs that are kept, the one that changed last first."""
    if context.invoked_subcommand is not None:
        return OK
    wanted = read_filter(status or (), since, before, workflow)
    found, more = asyncio.run(_list(existing_store(store), wanted, limit))
    after = found[-1].cursor if more else None
    if as_json:
        shown = [dataclasses.asdict(summary) for summary in found]
        print_result({"runs": shown, "more": more, "before": after})
        return OK
    if not found:
        none = "no runs yet", "  flowc run FILE starts one"
        say(*(none if wanted == ALL_RUNS else ("there are no such runs",)))
    screen = screen_on(sys.stdout)
    rows = [(r.id, r.status, r.name, ago(r.updated), _usage_text(r.usage), r.now) for r in found]
    # One very long name must not push everything else off the screen.
    widths = [min(40, max((len(row[n]) for row in rows), default=0)) for n in range(5)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        cells[1] = screen.ink(cells[1], _TONES.get(row[1], "dim"))
        shown_cells = [cell for cell, width in zip(cells, widths, strict=True) if width]
        screen.print("  ".join([*shown_cells, one_line(row[5], 60)]).rstrip())
    if after:
        say(f"{count_of(more, 'more run')}: --before {shlex.quote(after)}, or --limit N")
    return OK


def show(
    run: flags.Run,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="CHECKPOINT", help="the variables at a checkpoint or node"),
    ] = None,
    as_events: Annotated[
        bool, typer.Option("--events", help="everything that happened, one event a line")
    ] = False,
    as_json_lines: Annotated[
        bool, typer.Option("--jsonl", help="the same as JSON, as flowc run --jsonl prints it")
    ] = False,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
    verbose: flags.Verbose = False,
) -> int:
    """Where a run stands: what it did, its variables, what it waits for and how it goes on."""
    url = existing_store(store)
    if as_events or as_json_lines:
        _print_events(asyncio.run(_events(url, run)), as_json_lines)
        return OK
    if at is not None:
        return _show_checkpoint(asyncio.run(_history(url, run)), run, at, as_json)
    record, state, events = asyncio.run(_look(url, run))
    go_on = resume_command(run, url)
    if as_json:
        print_result(
            {
                **_record_object(record),
                "questions": [question_object(q, go_on) for q in state.questions],
                "variables": state.variables,
                "outcomes": state.reports,
                "next": list(state.next),
                "events": [dataclasses.asdict(event) for event in events],
            }
        )
        return OK
    screen = screen_on(sys.stdout)
    screen.print(*_story(record, state, events, screen, verbose, go_on))
    return OK


def history(run: flags.Run, store: flags.Store = None, as_json: flags.AsJson = False) -> int:
    """Every checkpoint of a run, those inside called workflows too, oldest first.

    `flowc fork RUN --at CHECKPOINT` branches off, `flowc show RUN --at CHECKPOINT` looks.
    """
    checkpoints = asyncio.run(_history(existing_store(store), run))
    if as_json:
        views = [dataclasses.asdict(view) for view in checkpoints]
        print_result({"run": run, "checkpoints": views})
        return OK
    screen = screen_on(sys.stdout)
    before: dict[str, Mapping[str, Any]] = {}
    for view in checkpoints:
        known = before.get(view.namespace, {})
        changed = [f"{n} = {_short(v)}" for n, v in view.variables.items() if known.get(n) != v]
        done, following = _between(view)
        screen.print(
            f"{view.id}  {clock(view.time)}  {done} → {following}"
            + (screen.ink(f"  {one_line(', '.join(changed), 60)}", "dim") if changed else "")
        )
        before[view.namespace] = view.variables
    count = count_of(len(checkpoints), "checkpoint")
    say(f"{count} · branch off: flowc fork {run} --at CHECKPOINT|NODE")
    return OK


def fork(
    run: flags.Run,
    at: Annotated[
        str,
        typer.Option(
            "--at", metavar="CHECKPOINT|NODE", help="a checkpoint's id, or a node: just before it"
        ),
    ],
    changes: flags.Changes = None,
    run_id: flags.RunId = None,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """A new run that begins at a checkpoint of another one; `flowc resume` executes it."""
    url = existing_store(store)
    record = asyncio.run(_fork(url, run, at, changes or [], run_id or new_run_name()))
    go_on = resume_command(record.id, url)
    if as_json:
        print_result({**_record_object(record), "resume": go_on})
        return OK
    print(record.id)
    say(f"forked from {run} at {at}; nothing runs yet", f"  go on: {go_on}")
    return OK


def _print_events(events: Iterable[RunEvent], as_json: bool) -> None:
    """Print every event with its time, its node and its data."""
    screen = screen_on(sys.stdout)
    for event in events:
        if as_json:
            print_result(dataclasses.asdict(event), None)
            continue
        name = "/".join((*event.path, event.node)) if event.node else ""
        about = ", ".join(f"{k} {_plain(v)}" for k, v in event.data.items() if v not in (None, ""))
        head = f"{event.time[11:23]}  {event.kind:<{13}}  "
        room = max(screen.width - len(head), 20)
        screen.print(head + one_line(f"{name}  {about}" if name else about, room).rstrip())


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


async def _list(url: str, wanted: RunFilter, limit: int) -> tuple[tuple[RunSummary, ...], int]:
    """Return a page, and how many runs come behind it."""
    async with open_store(url) as kept:
        found = await kept.listing.page(wanted, limit)
        if len(found) < limit:
            return found, 0
        rest = dataclasses.replace(wanted, before=(found[-1].updated, found[-1].id))
        return found, await kept.listing.count(rest)


async def _look(url: str, run: str) -> tuple[RunRecord, RunState, tuple[RunEvent, ...]]:
    async with open_engine(url) as engine:
        record = await engine.store.get(run)
        charges = await Ledger(engine.journal_db, run).charges()
        used = dataclasses.asdict(usage_of(charges.values()))  # also of a run that was killed
        record = dataclasses.replace(record, usage=used)
        return record, await engine.state(run), await engine.store.events(run)


async def _events(url: str, run: str) -> tuple[RunEvent, ...]:
    async with open_store(url) as kept:
        await kept.get(run)
        return await kept.events(run)


async def _history(url: str, run: str) -> list[CheckpointView]:
    async with open_engine(url) as engine:
        return await engine.history(run)


async def _fork(url: str, run: str, at: str, changes: list[str], new: str) -> RunRecord:
    from ...state.channels import variables_of

    async with open_engine(url) as engine:
        spec = load_spec((await engine.store.get(run)).spec)
        types = {name: channel.type for name, channel in variables_of(spec).items()}
        updates = type_changes(changes, types)
        return await engine.fork(run, at, updates, new)


def _story(
    record: RunRecord,
    state: RunState,
    events: tuple[RunEvent, ...],
    screen: Screen,
    verbose: bool,
    go_on: str,
) -> Iterator[str]:
    """Yield the lines of a run, made again from its events."""
    spec, sources = load_spec(record.spec), SourceSet()
    narrator = Narrator(spec, sources, screen, verbose)
    status = screen.ink(record.status.upper(), _TONES.get(record.status, "dim"))
    yield f"{screen.ink(record.id, 'strong')} · {record.file} · {status}"
    yield f"started {clock(record.started)} · changed {clock(record.updated)}" + (
        f" · forked from {record.parent}" if record.parent else ""
    )
    if client := record.options.get("stepped_by") or record.options.get("client"):
        yield f"for {one_line(str(client), 100)}, over MCP"
    if spent := _usage_text(record.usage):
        yield f"used {spent}"
    for event in events:
        yield from narrator.lines(event)
    shown = {n: v for n, v in state.variables.items() if v is not None}
    if shown:
        yield "variables"
        width = max(len(name) for name in shown)
        yield from (f"  {n:<{width}}  {_short(v)}" for n, v in shown.items())
    if record.status in ("success", "failed"):
        if text := result_text(record.result):
            yield "result"
            yield from _indent_lines(text, screen)
        return
    if record.error:
        yield from failure_lines(record.error, spec, sources, screen, "")
    for question in state.questions:
        yield from question_lines(question, screen, go_on, trail=narrator.trail())
    if state.next:
        yield f"next: {', '.join(state.next)}"
    if record.status != "running" and not state.questions:
        yield f"go on: {go_on}"


def _show_checkpoint(views: list[CheckpointView], run: str, at: str, as_json: bool) -> int:
    from ...graph.history import view_at

    view = view_at(views, at, run)
    if as_json:
        print_result({"run": run, **dataclasses.asdict(view)})
        return OK
    screen = screen_on(sys.stdout)
    done, following = _between(view)
    screen.print(f"{view.id} · {clock(view.time)} · after {done}, before {following}")
    for name, value in view.variables.items():
        screen.print(f"{screen.ink(name, 'strong')}", *_indent_lines(result_text(value), screen))
    return OK


def _between(view: CheckpointView) -> tuple[str, str]:
    """Return the nodes before a checkpoint and those after it, with the calls around them."""
    around = "".join(f"{call}/" for call in view.path)
    done, following = view.nodes or ("start",), view.next or ("end",)
    return ", ".join(around + n for n in done), ", ".join(around + n for n in following)


def _indent_lines(text: str, screen: Screen) -> Iterator[str]:
    yield from (
        f"  {one_line(line, screen.width - 2)}" for line in text.splitlines() or ["(unset)"]
    )


def _record_object(record: RunRecord) -> dict[str, Any]:
    return {k: v for k, v in dataclasses.asdict(record).items() if k not in _HIDDEN}


def _usage_text(usage: Mapping[str, Any]) -> str:
    """Return the tokens and cost of the model calls; "" without calls."""
    known = {field.name for field in dataclasses.fields(Usage)}
    used = Usage(**{name: value for name, value in usage.items() if name in known})
    return usage_of_calls(used) if used.input_tokens or used.output_tokens else ""


def _short(value: object) -> str:
    return one_line(result_text(value), 80)


def clock(time: str) -> str:
    """Return an ISO time to the second, in UTC."""
    return f"{time[:19]}Z" if time else "-"


def ago(time: str) -> str:
    """Return how long ago an ISO time was: `3 min ago`."""
    try:
        passed = (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds()
    except ValueError:
        return time
    for size, word in ((86400, "d"), (3600, "h"), (60, "min")):
        if passed >= size:
            return f"{int(passed // size)} {word} ago"
    return "just now"
