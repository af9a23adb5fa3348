"""docs/operations.md: a dump of PostgreSQL is restored elsewhere, and its run goes on."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AskNode, ToolNode
from flowc.runtime.engine.engine import open_engine
from specs import SUCCESS, lit, program
from stores import SERVER, fresh_store
from worlds import Functions, World

pytestmark = [
    pytest.mark.skipif(not SERVER, reason="FLOWC_TEST_POSTGRES names no server"),
    pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed"),
]


def execute(*words: str | Path) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_run_goes_on_from_a_restored_dump(tmp_path: Path) -> None:
    calls: list[str] = []
    spec = program(
        ToolNode(id="before", tool="note", into="N"),
        AskNode(id="ask", question=lit("Go on?"), into="RESULT"),
        ToolNode(id="after", tool="note", into="N"),
        SUCCESS,
    )
    world = World(tools=Functions({"note": lambda: calls.append("note")}))
    dump = tmp_path / "flowc.dump"

    async def start(url: str) -> Any:
        async with open_engine(url) as engine:
            return await engine.start(spec, world, run="r", inputs={}, options={})

    async def resume(url: str) -> Any:
        async with open_engine(url) as engine:
            return await engine.resume("r", spec, world, answers={"": "yes"})

    with fresh_store("postgresql", tmp_path) as first, fresh_store("postgresql", tmp_path) as other:
        assert asyncio.run(start(first)).status == "paused"
        execute("pg_dump", "--format=custom", "--schema=flowc", f"--file={dump}", first)
        execute("pg_restore", f"--dbname={other}", "--no-owner", dump)
        assert asyncio.run(resume(other)).status == "success"
    assert len(calls) == 2
