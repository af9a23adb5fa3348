"""What an assignment's priority and a person's turn are to the queue."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.service.operations.executions import Executing
from flowc.runtime.service.queues.queue import GOES_ON, RANKS

from ..conftest import Opening


def test_a_priority_and_a_completed_step_reach_the_queue(opening: Opening) -> None:
    known: list[Executing] = []

    def note(executing: Executing) -> Executing:
        known.append(executing)
        return executing

    with opening(concurrency=0, answers=0.0, around=note) as desk:

        def ranks() -> dict[str, int]:
            listed = desk.client.portal.call(known[0].due.jobs, 10)
            return {job.execution: job.rank for job in listed}

        team, agents = desk.team()
        about = {"workflow_id": desk.workflow(), "team_id": team}
        first, second, third = (desk.post("/executions", about)["execution_id"] for _ in range(3))
        assert set(ranks().values()) == {RANKS["normal"]}
        given: dict[str, Any] = {"step_id": "gather", "agent_id": agents["researcher"]}
        config = {"assignment_config": {"priority": "critical"}}
        desk.post(f"/executions/{first}/assignments", given | config)
        desk.complete(second, "gather")
        assert ranks() == {
            first: GOES_ON + RANKS["critical"],
            second: GOES_ON + RANKS["normal"],
            third: RANKS["normal"],
        }
        assert list(ranks()) == [first, second, third]
