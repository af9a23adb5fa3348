"""Many event streams on one process: everybody hears everything, nobody is kept waiting."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from ports import free_port

from .conftest import contract, step, team
from .test_processes import Curl, serving

COUNT, MOST_EACH = 500, 600
PATIENCE = 120.0


async def heard(port: int, id: str, opened: asyncio.Queue[int]) -> list[str]:
    """The status line, then what a stream says until it ends. Whoever asks too fast waits as long
    as they are told."""
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        asked = f"GET /v1/executions/{id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        writer.write(f"{asked}Connection: close\r\n\r\n".encode())
        try:
            lines = [(await reader.readline()).decode().strip()]
            if "200" in lines[0]:
                opened.put_nowait(1)
            async for line in reader:
                lines.append(line.decode().strip())
                if lines[-1] == "event: end":
                    return lines
        finally:
            writer.close()
        if "requests a second" not in lines[-1]:
            return lines
        [wait] = [line for line in lines if line.lower().startswith("retry-after")]
        await asyncio.sleep(float(wait.partition(":")[2]))


async def many(port: int, id: str, curl: Curl) -> tuple[list[list[str]], float, list[str]]:
    """What each stream heard, the slowest answer to anybody else, and what one too many heard."""
    opened: asyncio.Queue[int] = asyncio.Queue()
    streams = [asyncio.create_task(heard(port, id, opened)) for _ in range(MOST_EACH)]
    for _ in streams:
        await asyncio.wait_for(opened.get(), PATIENCE)
    refused = await asyncio.wait_for(heard(port, id, opened), PATIENCE)
    slowest = 0.0
    for _ in range(20):
        begin = time.monotonic()
        assert (await asyncio.to_thread(curl, "/health"))["success"]
        slowest = max(slowest, time.monotonic() - begin)
    assignment = await asyncio.to_thread(curl.waits_for, id, "gather")
    data = {"status": "completed", "output": "done"}
    completed = {"assignment_id": assignment, "completion_data": data}
    await asyncio.to_thread(curl, f"/executions/{id}/completions", completed)
    told = await asyncio.wait_for(asyncio.gather(*streams), PATIENCE)
    return told, slowest, refused


@pytest.mark.soak
def test_every_stream_is_answered_and_the_service_stays_up(tmp_path: Path) -> None:
    port = free_port()
    curl = Curl(port)
    with serving(tmp_path, port) as server:
        workflow = curl("/workflows", contract(steps=[step("gather")]))["workflow_id"]
        made = curl("/teams", team())["team_id"]
        id = curl("/executions", {"workflow_id": workflow, "team_id": made})["execution_id"]
        told, slowest, refused = asyncio.run(many(port, id, curl))
        assert MOST_EACH >= COUNT
        assert all("200" in lines[0] for lines in told)
        positions = [[line for line in lines if line.startswith("id: ")] for lines in told]
        assert len(positions[0]) > 5
        assert all(one == positions[0] for one in positions)
        assert "429" in refused[0]
        assert any(line.lower().startswith("retry-after") for line in refused)
        assert slowest < 10
        assert curl(f"/executions/{id}")["workflow_status"] == "completed"
        assert server.poll() is None
        print(f"{len(told)} streams, slowest other answer {slowest:.2f} s")
