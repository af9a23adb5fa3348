"""`flowc watch`: goes on with runs whose time has come, and begins those of schedules."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from flowc.compiler.ir import CronSchedule

from ...assembly.lazy import open_engine
from ...config.options import OPTIONS
from ...config.settings import load_config
from ...engine.schedules import ON_TIME, advance, inputs_of, note_schedules, run_name, turn_of
from ...errors import RunError
from ...journal.timers import DueTimer, due_timers
from ...store.default_store import prepare_default, store_url
from .. import flags
from ..app import FINDINGS, OK, say
from ..locate import locate
from ..screen import count_of, seconds_of
from .launch import compile_runnable

if TYPE_CHECKING:
    from ...engine.engine import Engine

LOOK = 1.0
"""Seconds between two looks at the timers."""
_FIRST_REST, _LONGEST_REST = 10.0, 3600.0
"""Seconds for which a run that did not go on is left alone, at first and at most."""
_AT_ONCE = 4
"""Runs that are gone on with at the same time."""
_BEGIN = 60.0
"""Seconds in which a run of a schedule has to begin."""
_PROGRAM = "import sys; from flowc.runtime.cli import main; sys.exit(main())"

Spawn = Callable[[Sequence[str]], Awaitable[int]]
"""Executes a command of flowc's in a process of its own; returns its exit code."""
Files = Annotated[
    list[str] | None, typer.Argument(metavar="FILE|NAME", help="workflows with a schedule (on:)")
]
Once = Annotated[bool, typer.Option("--once", help="does what is due now, and ends")]


@flags.with_run_flags
def watch(run_flags: flags.RunFlags, files: Files = None, once: Once = False) -> int:
    """Go on with runs whose time has come, and begin runs by the schedules of FILEs.

    Every run of the store that waits for a time goes on in a process of its own. The other flags
    are those of the runs that begin. Ctrl-C ends it; what waits is kept.
    """
    return watch_files(files or [], run_flags, once=once)


def watch_files(
    files: Sequence[str],
    run_flags: flags.RunFlags,
    inputs: Sequence[str] = (),
    *,
    once: bool = False,
) -> int:
    """Watch over the store and the schedules of workflows; `inputs` are flags of `flowc run`."""
    config = load_config(Path.cwd())
    url = store_url(run_flags.typed.store, config)
    if url.startswith("memory:"):
        raise RunError("a store in memory is gone with its process", help="name a file: --store")
    known: dict[str, tuple[str, tuple[CronSchedule, ...]]] = {}
    for target in files:
        path = locate(target, config.workflows)
        compiled = compile_runnable(path, run_flags.mode, None, run_flags.typed.trust)
        if compiled is None or compiled.workflow is None:
            return FINDINGS
        if not compiled.workflow.schedules:
            raise RunError(
                f"{path} has no schedule", help='write for instance `on: {schedule: "0 7 * * *"}`'
            )
        known[os.path.abspath(path)] = (compiled.workflow.name, compiled.workflow.schedules)
    prepare_default(url)
    more = [*inputs, *flags_of(run_flags)]
    return asyncio.run(_watch(url, known, more, once=once))


def flags_of(run_flags: flags.RunFlags) -> list[str]:
    """Return the flags of a run as they were typed."""
    words: list[str] = []
    for name, row in OPTIONS.items():
        value = getattr(run_flags.typed, name)
        if not row.flag or row.fixed or name in ("store", "trust") or value in (None, (), False):
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [row.flag] if one is True else [row.flag, str(one)]
    if run_flags.typed.trust:
        words += ["--trust", run_flags.typed.trust]
    return words


async def _watch(
    url: str,
    known: Mapping[str, tuple[str, tuple[CronSchedule, ...]]],
    more: list[str],
    *,
    once: bool,
) -> int:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    async with open_engine(url) as engine:
        watcher = Watcher(engine, url, more, spawn)
        for path, (name, schedules) in known.items():
            await watcher.take(path, name, schedules)
        while not ended.is_set():
            await watcher.due(watcher.now())
            if once:
                break
            try:
                await asyncio.wait_for(ended.wait(), LOOK)
            except TimeoutError:
                continue
        await watcher.finish()
    return OK


async def spawn(words: Sequence[str]) -> int:
    """Execute a command of flowc's in a process of its own; return its exit code. When this
    process is to end, that one is told so first and ends what it is at."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", _PROGRAM, *words, stdin=asyncio.subprocess.DEVNULL
    )
    try:
        return await process.wait()
    except asyncio.CancelledError:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            await process.wait()
        raise


@dataclass(slots=True)
class Watcher:
    """Watches over one store. `more` are the flags of runs that begin by schedule."""

    engine: Engine
    url: str
    more: list[str]
    spawn: Spawn
    now: Callable[[], float] = time.time
    schedules: dict[str, tuple[str, str, CronSchedule]] = field(default_factory=dict)
    """Path, workflow and schedule, by the keys of their timers."""
    busy: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    """What is under way, by run or key."""
    rests: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Until when a run is left alone, and for how long that is."""

    async def take(self, path: str, workflow: str, schedules: Sequence[CronSchedule]) -> None:
        """Watch over the schedules of a workflow, and say when they come next."""
        keys = await note_schedules(self.engine.journal_db, path, schedules, self.now())
        self.schedules |= {key: (path, workflow, one) for key, one in keys.items()}
        for schedule in keys.values():
            turn = turn_of(schedule, self.now() + 0.001, self.now())
            if turn.following is not None:
                zone = f" {schedule.zone}" if schedule.zone != "UTC" else ""
                say(f"{path}: `{schedule.cron}`{zone}, next at {_clock(turn.following)}")

    async def due(self, now: float) -> None:
        """Begin what is due, and go on with it, each in a process of its own."""
        for timer in await due_timers(self.engine.journal_db, now):
            name = timer.run or timer.key
            if name in self.busy or self.rests.get(name, (0.0, 0.0))[0] > now:
                continue
            if timer.run:
                running = sum(task is not None for task in self.busy.values())
                if running < _AT_ONCE and await self._waits(timer.run):
                    self._do(name, self._go_on(timer, now))
            elif timer.key in self.schedules:
                self._do(name, self._begin(timer, now))

    async def finish(self) -> None:
        """Wait for what is under way."""
        while self.busy:
            await asyncio.gather(*self.busy.values(), return_exceptions=True)

    def _do(self, name: str, work: Awaitable[None]) -> None:
        async def attend() -> None:
            try:
                await work
            except RunError as error:
                say(f"{name}: {error.message}")
            finally:
                self.busy.pop(name, None)

        self.busy[name] = asyncio.ensure_future(attend())

    async def _waits(self, run: str) -> bool:
        """Tell whether nobody executes the run."""
        return (await self.engine.store.get(run)).status in ("paused", "crashed")

    async def _go_on(self, timer: DueTimer, now: float) -> None:
        late = now - timer.due
        told = f", {seconds_of(late)} late" if late > ON_TIME else ""
        say(f"{timer.run}: goes on at {timer.about.get('node', '')}{told}")
        code = await self.spawn(["resume", timer.run, "--store", self.url, *_trust(self.more)])
        still = await due_timers(self.engine.journal_db, now)
        if any((t.run, t.key, t.due) == (timer.run, timer.key, timer.due) for t in still):
            self._rest(timer.run, now, code)
        else:
            self.rests.pop(timer.run, None)

    def _rest(self, run: str, now: float, code: int) -> None:
        """Leave a run alone for a while that did not go on."""
        before = self.rests.get(run, (0.0, 0.0))[1]
        rest = min(max(before * 2, _FIRST_REST), _LONGEST_REST)
        self.rests[run] = (now + rest, rest)
        say(f"{run}: did not go on (exit code {code}); tried again in {seconds_of(rest)}")

    async def _begin(self, timer: DueTimer, now: float) -> None:
        """Begin the runs of a schedule that are due; then its timer goes on."""
        path, workflow, schedule = self.schedules[timer.key]
        turn = turn_of(schedule, timer.due, now)
        if turn.passed:
            say(f"{path}: {count_of(turn.passed, 'time')} of `{schedule.cron}` missed since "
                f"{_clock(timer.due)}, no run begins for them")  # fmt: skip
        for at in turn.times:
            run = run_name(workflow, timer.key, at)
            if await self.engine.store.has(run):
                continue
            late = now - at
            say(f"{path}: begins {run}" + (f", due {seconds_of(late)} ago" * (late > ON_TIME)))
            words = ["run", path, "--run-id", run, "--store", self.url, *self.more]
            for name, value in inputs_of(schedule).items():
                text = value if isinstance(value, str) else json.dumps(value)
                words += ["-i", f"{name}={text}"]
            child = asyncio.ensure_future(self.spawn(words))
            if not await self._has_begun(run, child):
                say(f"{path}: {run} did not begin")
            if not child.done():
                self._do(run, _await_end(child))
        await advance(self.engine.journal_db, timer, turn.following)

    async def _has_begun(self, run: str, child: asyncio.Future[int]) -> bool:
        """Wait until a run is in the store, or its process has ended."""
        until = time.monotonic() + _BEGIN
        while time.monotonic() < until:
            if await self.engine.store.has(run):
                return True
            if child.done():
                return await self.engine.store.has(run)
            await asyncio.wait([child], timeout=0.1)
        return False


async def _await_end(child: asyncio.Future[int]) -> None:
    await child


def _trust(words: list[str]) -> list[str]:
    at = words.index("--trust") if "--trust" in words else len(words)
    return words[at : at + 2]


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
