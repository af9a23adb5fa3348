"""Texts that have compiled before: a small one needs no process beside."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import CHAIN, fleet, slow_model, team, template, until
from flowc.runtime.service.bodies.request_pool import KNOWN, RequestPool

from .conftest import Clock, Opening


@pytest.mark.parametrize(("padding", "processes"), [(0, 0), (KNOWN, 1)])
def test_only_a_large_text_is_compiled_again_in_another_process(
    padding: int, processes: int
) -> None:
    text = json.dumps({**template(1, CHAIN), "description": "study " + "x" * padding})

    async def compile_again() -> int:
        pool = RequestPool(1)
        again = await pool.compile_again(text, "workflow.json", "contract")
        begun = pool.idle.qsize()
        assert again == await pool.compile(text, "workflow.json", "contract")
        assert again.is_workflow
        return begun

    assert asyncio.run(compile_again()) == processes


def children(pid: int) -> list[str]:
    tasks = Path(f"/proc/{pid}/task")
    return [child for task in tasks.glob("*/children") for child in task.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no /proc tells of processes")
def test_a_worker_carries_on_an_execution_in_one_process(
    opening: Opening, store: str, tmp_path: Path
) -> None:
    with (
        slow_model(0.0) as (server, _),
        fleet(tmp_path, store) as workers,
        opening(Clock(), concurrency=0, base_url=server.url) as desk,
    ):
        workers.config(server.url)
        worker = workers.start()
        made = desk.post("/teams", team())
        workflow = desk.post("/workflows", template(1, CHAIN))["workflow_id"]
        asked = {"workflow_id": workflow, "team_id": made["team_id"]}
        id = desk.post("/executions", asked)["execution_id"]
        until(lambda: desk.status(id)["workflow_status"] == "completed")
        assert children(worker.pid) == []
