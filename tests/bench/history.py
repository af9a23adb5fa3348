"""The service on PostgreSQL beside a long history: a status, lists, what waits, and a person's step
until the next one waits, with a hundred executions in the store and with many.

`report` takes twenty thousand, `python tests/bench/history.py 1000000` as many as are named. Copies
are made in the server: each has every row that a real one has.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from flowc.runtime.db.database import Database
from flowc.runtime.db.url import locate
from flowc.runtime.service.records.metrics import iso
from flowc.runtime.store.open import open_database
from own_folders import write_record
from service import STEP, TEAM, _ask, _listening
from stores import SERVER, ask, fresh_store
from timing import line

FEW, MANY, TIMES = 100, 20_000, 100
_OWNERS = ("thread_id", "execution", "run", "id")
STEPS = [{**STEP, "step_id": f"part_{number}"} for number in range(12)]
for _before, _step in pairwise(STEPS):
    _step["dependencies"] = [_before["step_id"]]
WORKFLOW = {"workflow_name": "Study", "workflow_type": "sequential", "steps": STEPS}


def report(many: int = MANY) -> None:
    """Print the times with few and with many, and the ratio of their 95th percentiles."""
    if not SERVER:
        print("history: skipped, FLOWC_TEST_POSTGRES names no PostgreSQL server")
        return
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as folder,
        fresh_store("postgresql", Path(folder)) as url,
    ):
        write_record(Path(home))
        os.environ["XDG_CONFIG_HOME"] = home
        with _serving(Path(folder), url) as base:
            team = _ask(base, "/teams", TEAM)
            workflow = _ask(base, "/workflows", WORKFLOW)["workflow_id"]
            ended, waits = (_begin(base, workflow, team) for _ in range(2))
            for step in STEPS:
                _complete(base, ended, step["step_id"])
            _fill(url, ended, 1, FEW)
            few = _measured(base, workflow, team, waits)
            began = time.perf_counter()
            _fill(url, ended, FEW, many)
            said = f"{many:,} ({_rows(url):,} rows, copied in {time.perf_counter() - began:.0f} s)"
            print(f"PostgreSQL, p50 and p95 with {FEW} executions and with {said}")
            long = _measured(base, workflow, team, waits)
        for name, before in few.items():
            (p50, p95), (long_p50, long_p95) = _shape(before), _shape(long[name])
            text = f"{p50:.1f} and {p95:.1f} ms, then {long_p50:.1f} and {long_p95:.1f} ms"
            line(name, text, f"{long_p95 / p95:.2f} x, target: at most 2 x")


def _rows(url: str) -> int:
    """Rows in the store, as the server estimates them."""
    query = (
        "select sum(reltuples) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = 'flowc' and c.relkind = 'r'"
    )
    return int(ask(url, query)[0][0])


def _measured(base: str, workflow: str, team: Any, waits: str) -> dict[str, list[float]]:
    asked = {
        "status": f"/executions/{waits}",
        "list, the first page": "/executions?limit=50",
        "list of a status": "/executions?limit=50&status=completed",
        "list of a rare status": "/executions?limit=50&status=failed",
        "list of what is under way": "/executions?limit=50&status=executing",
        "list of a workflow": f"/executions?limit=50&workflow_id={workflow}",
        "what waits for people": "/assignments",
        "search for a word that all have": "/executions?limit=50&text=study",
        "search for a word of one": f"/executions?limit=50&text={waits}",
        "search in a day of long ago": "/executions?limit=50&until=2001-01-01T00:00:00Z",
        "search for words and a status": "/executions?limit=50&text=study+researcher&status=failed",
    }
    times = {name: _timed(lambda path=path: _ask(base, path)) for name, path in asked.items()}
    own = [_begin(base, workflow, team) for _ in range(TIMES // len(STEPS) + 1)]
    todo = iter([(id, step["step_id"]) for id in own for step in STEPS])
    times["a step, until the next one waits"] = _timed(lambda: _complete(base, *next(todo)))
    return times


def _timed(do: Callable[[], object]) -> list[float]:
    found = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        do()
        found.append(time.perf_counter() - begin)
        time.sleep(0.02)  # within the rate of one caller
    return found


def _shape(seconds: list[float]) -> tuple[float, float]:
    """Milliseconds: the median and the 95th percentile."""
    return 1000 * statistics.median(seconds), 1000 * statistics.quantiles(seconds, n=20)[-1]


def _begin(base: str, workflow: str, team: Any) -> str:
    made = _ask(base, "/executions", {"workflow_id": workflow, "team_id": team["team_id"]})
    return str(made["execution_id"])


def _complete(base: str, id: str, step: str) -> None:
    """Complete a step as its person, and return when the execution has gone on."""
    while True:
        status = _ask(base, f"/executions/{id}?include_details=true")
        active = {each["step_id"]: each["assignment_id"] for each in status["active_steps"]}
        if step in active:
            break
    body = {
        "assignment_id": active[step],
        "completion_data": {"status": "completed", "output": f"{step} done"},
    }
    _ask(base, f"/executions/{id}/completions", body)


def _fill(url: str, first: str, known: int, wanted: int) -> None:
    """Copy an execution until there are so many."""

    async def go() -> None:
        async with open_database(locate(url), durable=False) as db:
            found = await db.rows(
                "select c.relname, a.attname, format_type(a.atttypid, null) from pg_class c"
                " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not attisdropped"
                " join pg_namespace n on n.oid = c.relnamespace"
                " where n.nspname = 'flowc' and c.relkind = 'r' order by c.relname, a.attnum"
            )
            tables: dict[str, dict[str, str]] = {}
            for table, column, kind in found:
                tables.setdefault(table, {})[column] = kind
            for table, columns in tables.items():
                owner = next((name for name in _OWNERS if name in columns), None)
                if owner is None or table.startswith("procrastinate"):
                    continue
                if "body" in columns:
                    await _copy_sealed(db, table, list(columns), owner, first, range(known, wanted))
                    continue
                values = ", ".join(
                    f"replace({name}::text, '{first}', '{first}-' || n)::{kind}"
                    if kind in ("text", "jsonb")
                    else name
                    for name, kind in columns.items()
                )
                ask(
                    url,
                    f"insert into flowc.{table} ({', '.join(columns)}) select {values}"
                    f" from flowc.{table}, generate_series({known}, {wanted - 1}) n"
                    f" where {owner}::text = '{first}' on conflict do nothing",
                )
        ask(url, "analyze")

    asyncio.run(go())


async def _copy_sealed(
    db: Database, table: str, columns: list[str], owner: str, first: str, numbers: range
) -> None:
    """Copy rows whose body says that it was not changed: each copy says it of itself."""
    query = f"select {', '.join(columns)} from {table} where {owner} = ?"
    for row in await db.rows(query, (first,)):
        values = [
            db.unseal(value, table) if name == "body" else value
            for name, value in zip(columns, row, strict=True)
        ]

        def copy(number: int, values: list[Any] = values) -> list[Any]:
            id = f"{first}-{number}"
            own = [v.replace(first, id) if isinstance(v, str) else v for v in values]
            if "created" in columns:
                created = values[columns.index("created")]
                older = iso(datetime.fromisoformat(created) - timedelta(seconds=number))
                own = [v.replace(created, older) if isinstance(v, str) else v for v in own]
            return [
                db.seal(v) if name == "body" else v for name, v in zip(columns, own, strict=True)
            ]

        marks = ", ".join("?" * len(columns))
        insert = f"insert into {table} ({', '.join(columns)}) values ({marks})"
        for lot in range(numbers.start, numbers.stop, 5000):
            some = range(lot, min(lot + 5000, numbers.stop))
            await db.many(f"{insert} on conflict do nothing", [copy(n) for n in some])


@contextlib.contextmanager
def _serving(folder: Path, url: str) -> Iterator[str]:
    argv = [sys.executable, "-m", "flowc", "serve", "--store", url, "--port"]
    with _listening(argv, folder) as (port, _):
        yield f"http://127.0.0.1:{port}/v1"


if __name__ == "__main__":
    report(int(sys.argv[1]) if len(sys.argv) > 1 else MANY)
