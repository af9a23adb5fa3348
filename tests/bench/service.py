"""The orchestration service: a status with 10,000 executions in the store beside the same with 100,
an execution from its creation to its first assignment, and the memory of an idle service beside a
bare FastAPI that has imported langgraph."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timing import line

QUERIES, FEW, MANY, CREATED = 200, 100, 10_000, 50
BARE = """
import langgraph.graph, fastapi, uvicorn, sys
uvicorn.run(fastapi.FastAPI(), port=int(sys.argv[1]), log_level="error")
"""
STEP = {"step_id": "gather", "required_role": "researcher", "success_criteria": "three sources"}
WORKFLOW = {"workflow_name": "Study", "workflow_type": "sequential", "steps": [STEP]}
PEOPLE = [{"role_name": role, "type": "person"} for role in ("researcher", "analyst")]
TEAM = {"team_name": "Two", "team_type": "research", "agent_roles": PEOPLE}


def report() -> None:
    """Print the times and the sizes."""
    with tempfile.TemporaryDirectory() as folder, _serving(Path(folder)) as (base, pid):
        idle = _memory(pid)
        begun = _begin(base)
        print("a request over HTTP on one connection at a time: median and 95th percentile")
        _said(
            "create + execute to the first assignment", _timed(pid, lambda: _begin(base), CREATED)
        )
        _fill(Path(folder), base, FEW)
        few = _timed(pid, lambda: _ask(base, f"/executions/{begun}"), QUERIES)
        _said(f"status, {FEW} executions in the store", few)
        _fill(Path(folder), base, MANY)
        many = _timed(pid, lambda: _ask(base, f"/executions/{begun}"), QUERIES)
        _said(f"status, {MANY:,} executions in the store", many)
        ratio = statistics.median(many.seconds) / statistics.median(few.seconds)
        line("the second beside the first", f"{ratio:.2f} times", "target: at most 2")
    with _listening([sys.executable, "-c", BARE]) as (_, bare_pid):
        bare = _memory(bare_pid)
    line("memory of an idle service", f"{idle:.0f} MB")
    line("bare FastAPI with langgraph imported", f"{bare:.0f} MB", f"{idle / bare:.2f} times")


@dataclass(frozen=True)
class Took:
    """Seconds of each time, and the processor time of the service for each on average."""

    seconds: list[float]
    processor: float


def _said(name: str, took: Took) -> None:
    high = statistics.quantiles(took.seconds, n=20)[-1]
    note = f"p95 {1000 * high:.1f} ms, {1000 * took.processor:.1f} ms of a processor"
    line(name, f"{1000 * statistics.median(took.seconds):.1f} ms", note)


def _processor(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _timed(pid: int, do: Callable[[], object], times: int) -> Took:
    found, before = [], _processor(pid)
    for _ in range(times):
        begin = time.perf_counter()
        do()
        found.append(time.perf_counter() - begin)
        time.sleep(0.011)  # within the rate of one caller
    return Took(found, (_processor(pid) - before) / times)


def _begin(base: str) -> str:
    """A workflow, a team, and an execution with its first assignment."""
    workflow = _ask(base, "/workflows", WORKFLOW)["workflow_id"]
    team = _ask(base, "/teams", TEAM)["team_id"]
    made = _ask(base, "/executions", {"workflow_id": workflow, "team_id": team})
    assert made["initial_assignments"]
    return str(made["execution_id"])


def _ask(base: str, path: str, body: Any = None) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"Content-Type": "application/json"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise
            time.sleep(0.05)


def _fill(folder: Path, base: str, wanted: int) -> None:
    """Copies of one execution, with its run, its checkpoints and its assignments, until there are
    so many: what that many real ones would have left in the store."""
    first = _begin(base)
    time.sleep(1)
    asyncio.run(_copied(folder, first, wanted))


async def _copied(folder: Path, first: str, wanted: int) -> None:
    from flowc.runtime.store.runs import open_store

    url = f"sqlite:///{folder}/.flowc/runs.db"
    async with open_store(url) as opened:
        db = opened.db
        known = (await db.rows("select count(*) from service_executions"))[0][0]
        tables = await db.rows("select name from sqlite_master where type = 'table'")
        for (table,) in tables:
            columns = [row[1] for row in await db.rows(f"pragma table_info({table})")]
            owner = next((c for c in columns if c in ("thread_id", "execution", "run", "id")), None)
            if owner is None:
                continue
            rows = await db.rows(f"select * from {table} where {owner} = ?", (first,))
            copies = [
                tuple(v.replace(first, f"{first}-{n}") if isinstance(v, str) else v for v in row)
                for n in range(known, wanted)
                for row in rows
            ]
            marks = ", ".join("?" * len(columns))
            await db.many(f"insert or ignore into {table} values ({marks})", copies)


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, int]]:
    argv = [sys.executable, "-m", "flowc", "serve", "--port"]
    with _listening(argv, folder) as (port, pid):
        yield f"http://127.0.0.1:{port}/v1", pid


@contextlib.contextmanager
def _listening(argv: list[str], folder: Path | None = None) -> Iterator[tuple[int, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    path = os.pathsep.join(part for part in sys.path if part)
    env = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen([*argv, str(port)], cwd=folder, env=env, stderr=subprocess.DEVNULL)
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        time.sleep(1)
        yield port, process.pid
    finally:
        process.kill()
        process.wait()


def _memory(pid: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    (held,) = [text for text in status.splitlines() if text.startswith("VmRSS")]
    return int(held.split()[1]) * 1024 / 1e6
