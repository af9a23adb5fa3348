"""A store that another version of flowc made: every command refuses it in one sentence, and leaves
it as it is."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flowc as library
import pytest
from flowc.runtime.db.schema_version import LAYOUT
from stores import KINDS, ask, fresh_store

ASKS = "flow: 1\nstate: {who: text}\nnodes:\n  - {name: who, ask: Who?, into: who}\n"
COMMANDS = (
    "run it.flow.yaml --run-id s",
    "run it.flow.yaml --run-id s --json",
    "run it.flow.yaml --watch",
    "resume r --answer who=Emil",
    "resume r --json",
    "resume r --take-over",
    "step who --from r",
    "pause r",
    "stop r",
    "runs",
    "runs --json",
    "runs prune --keep 1",
    "show r",
    "show r --events",
    "show r --at who",
    "history r",
    "diff r r",
    "fork r --at who",
    "gc",
    "gc --dry-run",
    "graph it.flow.yaml --run r",
    "watch --once",
    "audio report r -o page.html",
    "serve",
    "worker",
    "token list",
    "doctor",
    "mcp",
)


@pytest.fixture(params=KINDS)
def older(request: pytest.FixtureRequest, flowc: Any) -> Iterator[str]:
    """The URL of a store with a run, whose layout is that of the flowc before this one."""
    flowc.write("it.flow.yaml", ASKS)
    with fresh_store(request.param, flowc.folder) as url:
        assert flowc("run", "it.flow.yaml", "--run-id", "r", "--store", url).returncode == 4
        layout(url, LAYOUT - 1)
        yield url


def layout(url: str, version: int) -> None:
    """Write the number of a layout into a store."""
    query = f"layout set version = {version}"
    if url.startswith("postgresql"):
        ask(url, f"update flowc.{query}")
        return
    with sqlite3.connect(url.removeprefix("sqlite:///")) as db:
        db.execute(f"update {query}")
    db.close()


def test_every_command_refuses_a_store_of_an_older_layout_in_one_sentence(flowc, older) -> None:
    before, otherwise = kept(older), dict[str, str]()
    for command in COMMANDS:
        done = flowc(*shlex.split(command), FLOWC_STORE=older)
        said = done.stdout + done.stderr
        once = said.count("was made by an older flowc") == 1 and "Traceback" not in said
        code = 1 if command == "doctor" else 2  # which looks at the rest of the machine too
        if done.returncode != code or not once or "name another store with `--store`" not in said:
            otherwise[command] = f"{done.returncode}: {said}"
    assert otherwise == {}
    assert kept(older) == before


def test_python_refuses_a_store_of_an_older_layout(older, flowc) -> None:
    flow = library.load(flowc.folder / "it.flow.yaml", journal=older)
    for call in (flow.run, flow.runs, lambda: flow.resume("r", {"who": "x"})):
        with pytest.raises(library.errors.RunError, match="was made by an older flowc"):
            call()


def kept(url: str) -> object:
    """The rows that a command could have changed."""
    if url.startswith("postgresql"):
        tables = ("runs", "layout", "leases", "events", "checkpoints")
        return [sorted(map(repr, ask(url, f"select * from flowc.{t}"))) for t in tables]
    return Path(url.removeprefix("sqlite:///")).read_bytes()
