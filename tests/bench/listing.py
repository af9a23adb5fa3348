"""What it costs to look at a store of many runs, and to forget them.

Each has what a run of two effects has: a record of its own, events, effects, checkpoints, a lease.
`report` takes ten thousand, `python tests/bench/listing.py 100000` as many as are named. Seconds
are processor time of a command after its imports; memory is what its process takes at its peak,
beyond one that reads nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from timing import line

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

import specs
from flowc.compiler.ir import ToolNode
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.db.database import Database
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.store.runs import RunStore
from stores import KINDS, SERVER, fresh_store
from worlds import Functions, World

RUNS, BATCH = 10_000, 500
CHECKPOINTS = {
    "sqlite": dict.fromkeys(("flow_checkpoints", "flow_writes"), "run"),
    "postgresql": dict.fromkeys(
        ("checkpoints", "checkpoint_blobs", "checkpoint_writes"), "thread_id"
    ),
}
SPEC = specs.program(
    ToolNode(id="first", tool="note", into="RESULT"),
    ToolNode(id="second", tool="note", into="RESULT"),
    specs.SUCCESS,
)
LOOKS = {
    "flowc runs": ["runs"],
    "flowc runs --status failed": ["runs", "--status", "failed"],
    "flowc runs --since 1min --json": ["runs", "--since", "1min", "--json"],
    "flowc runs --workflow spec": ["runs", "--workflow", SPEC.name],
    "flowc show": ["show", "run-5"],
    "flowc show, of a name that is not there": ["show", "rum-5"],
    "flowc runs prune --status failed": ["runs", "prune", "--status", "failed"],
    "flowc runs prune --older-than 0s": ["runs", "prune", "--older-than", "0s"],
}
"""The commands that are measured, in this order."""


def report(count: int = RUNS) -> None:
    """Print the figures for each kind of store."""
    for kind in KINDS:
        if kind == "postgresql" and not SERVER:
            print("PostgreSQL: skipped, FLOWC_TEST_POSTGRES names no server")
            continue
        with tempfile.TemporaryDirectory() as folder, fresh_store(kind, Path(folder)) as url:
            asyncio.run(fill(url, count))
            print(f"{kind}, {count:,} runs")
            nothing = measured(["show", "--help"])[1]
            for title, argv in LOOKS.items():
                seconds, megabytes, lines = measured([*argv, "--store", url])
                line(title, f"{seconds:.2f} s", f"{lines} lines, {megabytes - nothing:.0f} MB")


async def fill(url: str, count: int) -> None:
    """Keep so many runs in a store, one in a hundred of them failed."""
    world = World(tools=Functions({"note": lambda: "noted"}))
    async with open_engine(url) as engine:
        await engine.start(SPEC, world, run="run-0", inputs={}, options={})
        first, store = await engine.store.get("run-0"), engine.store
        ids = [f"run-{number}" for number in range(1, count)]
        for begin in range(0, len(ids), BATCH):
            some = ids[begin : begin + BATCH]
            async with store.db.transaction() as inside:
                writing: Any = RunStore(replace(store.opened, db=inside), store.place, store.signer)
                for id in some:
                    status: Any = "success" if int(id[4:]) % 100 else "failed"
                    await writing.create(replace(first, id=id, status=status))
                await copy_rows(inside, some)


async def copy_rows(inside: Database, runs: list[str]) -> None:
    """Give runs the rows of the first one, which nothing reads that is measured."""
    tables = CHECKPOINTS[inside.dialect] | dict.fromkeys(("events", "effects", "leases"), "run")
    for table, column in tables.items():
        if inside.dialect == "postgresql":
            row = f"jsonb_populate_record(t, jsonb_build_object('{column}', ?::text))"
            query = f"insert into {table} select ({row}).* from {table} t where {column} = 'run-0'"
            await inside.many(query, [(run,) for run in runs])
            continue
        rows = await inside.rows(f"select * from {table} where {column} = 'run-0'")
        holes = ", ".join("?" * len(rows[0]))
        copies = [(run, *row[1:]) for run in runs for row in rows]  # the first column names it
        await inside.many(f"insert into {table} values ({holes})", copies)


def measured(argv: list[str]) -> tuple[float, float, int]:
    """Return processor seconds and peak megabytes of a command, and how many lines it printed."""
    done = subprocess.run(
        [sys.executable, __file__, "--look", json.dumps(argv)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    *printed, last = done.stdout.splitlines()
    seconds, megabytes = json.loads(last)
    return seconds, megabytes, len(printed)


def look(argv: list[str]) -> None:
    """Execute a command line after everything is imported, and print what it took."""
    for command in ("runs", "show"):
        with contextlib.redirect_stdout(io.StringIO()):
            flowc([command, "--help"])
    began = time.process_time()
    flowc(argv)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak]))


if __name__ == "__main__":
    if sys.argv[1] == "--look":
        look(json.loads(sys.argv[2]))
    else:
        report(int(sys.argv[1]))
